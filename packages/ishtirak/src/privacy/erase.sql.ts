// Erases a user in one query, reads what stands in the way, and removes buyers from old documents.
// docs/privacy.md lists what stays of a person; its test reads every table.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { KEPT_YEARS } from '../core/receipt.js'
import { type Queryable, statement } from '../database/database.js'
import { at, flag, integer, rowOf, textOrNull } from '../database/rows.js'

// A canceled payment may still be paid while its page is open at the provider. Without an address for events
// no event waits to be delivered.
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

/** Tables from which all rows of the user are deleted. */
const DELETED = [
  ...['transfer_proof_parts', 'transfer_proofs', 'proformas', 'owed_invoices', 'portal_sessions', 'mails'],
  ...['usage', 'usage_operations', 'usage_refusals', 'code_tries'],
]

const deleteFrom = (table: string) => `
   of_${table} as (
     delete from ${table} d using guard g where d.user_id = g.user_id)`

// The version grows, so a document with the old name that is just being made cannot be saved. The row of the
// user stays, so that time, codes and trials are not given twice. The trail and the ledger refuse changes.
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
   ), requests as (
     delete from portal_link_requests d using guard g where lower(d.email) = lower(g.email)
   ), ${DELETED.map(deleteFrom).join(', ')}, noted as (${insertAudit({
     ...{ userId: 'g.user_id', at: '$4::timestamptz', entry: '$3::jsonb', from: 'guard g' },
   })}
   )
   select user_id from guard`,
)

/** Writes the audit trail too. `stale`: the user has another version by now. */
export async function eraseUser(
  database: Queryable,
  of: { readonly userId: string; readonly version: number; readonly audit: AuditEntry },
  now: Instant,
): Promise<'saved' | 'stale'> {
  const rows = await database.query(erase, [of.userId, of.version, JSON.stringify(of.audit), at(now)])
  return rows.length > 0 ? 'saved' : 'stale'
}

// Dates rise with numbers, so a whole series is over. Uses the index documents_number_once. A removal cannot
// be undone, and a database server may have the same wrong clock. So the books must also have been sealed in
// ten later years.
const removeBuyers = statement(
  'privacy.remove_buyers',
  `with next as (
     select series, buyers_removed_to as done, least(buyers_removed_to + 1000, last_number) as until
       from document_series
      where last_issued_on < $1::date and buyers_removed_to < last_number
        and (select count(distinct left(h.day, 4)) from seal_heads h
              where h.day > to_char(last_issued_on, 'YYYY"-12-31"')) >= ${KEPT_YEARS}
      order by series limit 1 for update
   ), removed as (
     update documents d set snapshot = without_buyer(d.snapshot, d.salt), salt = null
       from next n
      where d.series = n.series and d.number > n.done and d.number <= n.until
   )
   update document_series s set buyers_removed_to = n.until
     from next n where s.series = n.series
   returning n.until - n.done as count`,
)

/** Up to 1,000 documents that were issued before this day. Returns how many; 0: no buyer is left on them. */
export async function removeOldBuyers(database: Queryable, keptSince: string): Promise<number> {
  const [row] = await database.query(removeBuyers, [keptSince])
  return row ? integer(row, 'count') : 0
}
