// The details of buyers, in the rows of users. A change names the version that it was decided on, and its
// line in the audit trail is written by the same statement, and invoices may be owed from then on.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { BuyerDetails } from '../core/buyer-details.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, integer, json, rowOf, text } from '../database/rows.js'

export interface BuyerChange {
  readonly userId: string
  /** Of the facts that it was decided on. */
  readonly version: number
  readonly buyer: BuyerDetails
  readonly audit: AuditEntry
}

const save = statement(
  'buyers.save',
  `with input as (
     select i.user_id, i.version, i.buyer, i.audit
       from jsonb_to_recordset($1::jsonb) as i(user_id text, version bigint, buyer jsonb, audit jsonb)
   ), guard as (
     select u.user_id, i.buyer, i.audit from users u, input i
      where u.user_id = i.user_id and u.version = i.version
      order by u.user_id
        for update of u
   ), saved as (
     update users u set buyer = g.buyer, version = u.version + 1 from guard g where u.user_id = g.user_id
     returning u.user_id, g.audit
   ), owing as (
     insert into owed_invoices (user_id, due_at) select user_id, $2::timestamptz from saved
         on conflict (user_id) do update set due_at = excluded.due_at
   ), noted as (${insertAudit({
     ...{ userId: 's.user_id', at: '$2::timestamptz', entry: 's.audit', from: 'saved s' },
   })}
   )
   select user_id from saved`,
)

/** Of different users. Gives those that were saved: of the others the version is another one by now. */
export async function saveBuyers(
  database: Queryable,
  changes: readonly BuyerChange[],
  now: Instant,
): Promise<ReadonlySet<string>> {
  const input = changes.map(({ userId, ...change }) => ({ user_id: userId, ...change }))
  const rows = await database.query(save, [JSON.stringify(input), at(now)])
  return new Set(rows.map((row) => text(row, 'user_id')))
}

const selectMany = statement(
  'buyers.of_users',
  `select u.user_id, u.version, u.buyer from unnest($1::text[]) i(user_id) join users u using (user_id)`,
)

const parseBuyer = rowOf({ userId: text, version: integer, buyer: json<BuyerDetails | null> })
export type StoredBuyer = ReturnType<typeof parseBuyer>

/** By the ids of those that are known. */
export async function findBuyers(
  database: Queryable,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, StoredBuyer>> {
  const rows = await database.query(selectMany, [userIds])
  return new Map(rows.map(parseBuyer).map((found) => [found.userId, found]))
}
