// A buyer's details, in the row of the user. A change names the version that it was decided on. The same
// query writes its line of the audit trail and marks purchases that are owed an invoice.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { BuyerDetails } from '../core/buyer-details.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at } from '../database/rows.js'

interface BuyerChange {
  readonly userId: string
  readonly version: number
  readonly buyer: BuyerDetails
  readonly audit: AuditEntry
}

const save = statement(
  'buyers.save',
  `with saved as (
     update users set buyer = $3::jsonb, version = version + 1, changed_at = $5::timestamptz
      where user_id = $1 and version = $2
     returning user_id
   ), owing as (
     insert into owed_invoices (user_id, due_at) select user_id, $5::timestamptz from saved
         on conflict (user_id) do update set due_at = excluded.due_at
   ), noted as (${insertAudit({
     ...{ userId: 's.user_id', at: '$5::timestamptz', entry: '$4::jsonb', from: 'saved s' },
   })}
   )
   select user_id from saved`,
)

/** `stale`: the user's version has changed. */
export async function saveBuyer(
  database: Queryable,
  { userId, version, buyer, audit }: BuyerChange,
  now: Instant,
): Promise<'saved' | 'stale'> {
  const values = [userId, version, JSON.stringify(buyer), JSON.stringify(audit), at(now)]
  return (await database.query(save, values)).length > 0 ? 'saved' : 'stale'
}
