// What prevents the erasure of a user, and the erasure, which is one query. docs/privacy.md lists what stays,
// and the test of this folder reads every table.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, flag, integer, rowOf, textOrNull } from '../database/rows.js'

// A canceled payment with a next check may still be paid at the provider. Without an address for events no
// event waits to be delivered.
const selectErasable = statement(
  'privacy.erasable',
  `select u.phone,
          exists (select from payments p
                   where p.user_id = u.user_id
                     and (p.status in ('requested', 'pending')
                          or p.status <> 'review' and p.next_check_at is not null)) as is_open,
          exists (select from payments p
                   where p.user_id = u.user_id
                     and (p.status = 'review'
                          or p.second_of is not null and p.status = 'paid' and p.kept_at is null))
            or exists (select from transfers t
                        where t.user_id = u.user_id and t.state in ('open', 'ended')
                          and (t.proof_at is not null or t.approvals <> '[]')) as is_in_review,
          u.delivered_sequence < u.event_sequence
            and exists (select from event_endpoint) as is_undelivered,
          (select count(*) from transfer_proofs f
            where f.user_id = u.user_id and f.erased_at is null)::int as proofs,
          (select count(*) from mails m where m.user_id = u.user_id)::int as mails,
          (select count(*) from portal_sessions s where s.user_id = u.user_id)::int as sessions,
          (select count(*) from usage c where c.user_id = u.user_id)::int as usage
     from users u where u.user_id = $1`,
)

const parseErasable = rowOf({
  phone: textOrNull,
  isOpen: flag,
  isInReview: flag,
  isUndelivered: flag,
  proofs: integer,
  mails: integer,
  sessions: integer,
  usage: integer,
})

export async function readErasable(database: Queryable, userId: string) {
  const [row] = await database.query(selectErasable, [userId])
  if (!row) throw new Error(`user ${userId} is gone: users are never deleted`)
  return parseErasable(row)
}

// The version is raised, so that a document that was drawn up meanwhile with the old name is not saved. The
// user's row stays, so that a code or a trial cannot be used a second time. The audit trail and the documents
// refuse changes.
const erase = statement(
  'privacy.erase',
  `with guard as (
     select user_id, email from users where user_id = $1 and version = $2 for update
   ), named as (
     update users u
        set email = null, name = null, phone = null, locale = null, buyer = null, version = u.version + 1,
            changed_at = $4::timestamptz
       from guard g where u.user_id = g.user_id
   ), ordered as (
     update payments p set bought_by = null, po_number = null, return_url = null, metadata = null
       from guard g
      where p.user_id = g.user_id
        and num_nonnulls(p.bought_by, p.po_number, p.return_url, p.metadata) > 0
   ), refused as (
     update transfers t set refusal = '' from guard g where t.user_id = g.user_id and t.refusal <> ''
   ), granted as (
     update grants t set why = null from guard g where t.user_id = g.user_id and t.why is not null
   ), closed as (
     update discrepancies d set closed_because = ''
       from guard g where d.user_id = g.user_id and d.closed_because <> ''
   ), emptied as (
     delete from transfer_proof_parts d using guard g where d.user_id = g.user_id
   ), proofs as (
     delete from transfer_proofs d using guard g where d.user_id = g.user_id
   ), offers as (
     delete from proformas d using guard g where d.user_id = g.user_id
   ), owed as (
     delete from owed_invoices d using guard g where d.user_id = g.user_id
   ), sessions as (
     delete from portal_sessions d using guard g where d.user_id = g.user_id
   ), requests as (
     delete from portal_link_requests d using guard g where lower(d.email) = lower(g.email)
   ), mail as (
     delete from mails d using guard g where d.user_id = g.user_id
   ), counted as (
     delete from usage d using guard g where d.user_id = g.user_id
   ), operations as (
     delete from usage_operations d using guard g where d.user_id = g.user_id
   ), full_limits as (
     delete from usage_refusals d using guard g where d.user_id = g.user_id
   ), tries as (
     delete from code_tries d using guard g where d.user_id = g.user_id
   ), noted as (${insertAudit({
     ...{ userId: 'g.user_id', at: '$4::timestamptz', entry: '$3::jsonb', from: 'guard g' },
   })}
   )
   select user_id from guard`,
)

/** Erases, and writes the entry of the audit trail. `stale`: the user has another version by now. */
export async function eraseUser(
  database: Queryable,
  of: { readonly userId: string; readonly version: number; readonly audit: AuditEntry },
  now: Instant,
): Promise<'saved' | 'stale'> {
  const rows = await database.query(erase, [of.userId, of.version, JSON.stringify(of.audit), at(now)])
  return rows.length > 0 ? 'saved' : 'stale'
}
