// A second payment that an operator keeps, as a row: whether it waits for that, and the end of the waiting.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at } from '../database/rows.js'

/** A payment and its user. */
interface OfUser {
  readonly userId: string
  readonly id: string
}

const WAITS = `user_id = $1 and id = $2 and second_of is not null and status = 'paid' and kept_at is null`

const selectWaiting = statement('ledger.second_waits', `select id from payments where ${WAITS}`)

/** True for a second payment that is paid and that no operator has kept. */
export async function waitsAsSecond(database: Queryable, { userId, id }: OfUser): Promise<boolean> {
  return (await database.query(selectWaiting, [userId, id])).length > 0
}

/** The user's version changes, so that an operator who saw a refund of this payment before learns of it. */
const keep = statement(
  'ledger.keep',
  `with seen as (
     update users set version = version + 1
      where user_id = $1 and exists (select from payments where ${WAITS})
     returning user_id
   ), marked as (
     update payments set kept_at = $4::timestamptz where exists (select from seen) and ${WAITS}
     returning user_id
   )
   ${insertAudit({ userId: 'm.user_id', at: '$4::timestamptz', entry: '$3::jsonb', from: 'marked m' })}
   returning user_id`,
)

/** Ends the waiting of a second payment. False: it does not wait. */
export async function keepSecondPayment(
  database: Queryable,
  { userId, id }: OfUser,
  audit: AuditEntry,
  now: Instant,
): Promise<boolean> {
  return (await database.query(keep, [userId, id, JSON.stringify(audit), at(now)])).length > 0
}
