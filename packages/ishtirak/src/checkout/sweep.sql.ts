// Selects the payments to ask the provider about. The row is the schedule: claiming it sets its next time, so
// that any number of processes may run, and after a crash the row is due again.
import type { Instant } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { type Queryable, statement } from '../database/database.js'
import { at } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from '../ledger/payments.sql.js'

// Uses payments_due.
const claimDue = statement(
  'checks.claim_due',
  `with due as (
     select user_id, id from payments
      where next_check_at <= $1::timestamptz and (method = any($4::text[])) = $5
      order by next_check_at, id
      limit $2::int
        for update skip locked
   )
   update payments p set next_check_at = $3::timestamptz
     from due
    where p.user_id = due.user_id and p.id = due.id
   returning ${PAYMENT_COLUMNS}`,
)

/** Payments by one method, or by all methods but these. */
export type DueMethods = { readonly of: string } | { readonly allBut: readonly string[] }

/** Claims up to `limit` due payments. They are due again at `retryAt` if the lookup is not finished. */
export async function claimDuePayments(
  database: Queryable,
  methods: DueMethods,
  { now, limit, retryAt }: { readonly now: Instant; readonly limit: number; readonly retryAt: Instant },
): Promise<readonly Payment[]> {
  const named = 'of' in methods ? [[methods.of], true] : [methods.allBut, false]
  const rows = await database.query(claimDue, [at(now), limit, at(retryAt), ...named])
  return rows.map(parsePayment)
}

const scheduleNext = statement(
  'checks.schedule_next',
  `update payments set next_check_at = $3::timestamptz
    where user_id = $1 and id = $2 and next_check_at = $4::timestamptz`,
)

/**
 * Sets the next lookup of a claimed payment; null: none. Only while the claim holds, because others set their
 * own schedule.
 */
export async function scheduleNextCheck(database: Queryable, claimed: Payment, nextCheckAt: Instant | null) {
  const { userId, id } = claimed
  await database.query(scheduleNext, [userId, id, at(nextCheckAt), at(claimed.nextCheckAt)])
}

const claimAsked = statement(
  'checks.claim_lookup',
  `update payments set asked_at = $3::timestamptz
    where user_id = $1 and id = $2
      and (asked_at is null or asked_at <= $4::timestamptz)
   returning id`,
)

/** Whether this reader may ask the provider: no process did since `unlessSince`. */
export async function claimLookup(
  database: Queryable,
  payment: Payment,
  when: { readonly now: Instant; readonly unlessSince: Instant },
): Promise<boolean> {
  const { userId, id } = payment
  const rows = await database.query(claimAsked, [userId, id, at(when.now), at(when.unlessSince)])
  return rows.length === 1
}
