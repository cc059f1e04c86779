// The row of a payment that only the provider knows of, and of its user.
import type { Payment } from '../core/payment.js'
import { type Queryable, statement } from '../database/database.js'
import { paymentOriginToColumns, paymentStateToColumns } from './payments.sql.js'

const insertFound = statement(
  'found_payments.insert',
  `with input as (
     select * from jsonb_populate_record(null::payments, $1::jsonb)
   ), known as (
     insert into users (user_id, created_at) select user_id, created_at from input on conflict do nothing
   )
   insert into payments (user_id, id, plan, amount, currency, live, status, checkout_id, created_at, expires_at,
                         attempt_ends_at, next_check_at)
   select user_id, id, plan, amount, currency, live, status, checkout_id, created_at, expires_at, attempt_ends_at,
          next_check_at
     from input
       on conflict do nothing`,
)

/** Changes nothing where there is such a payment by now. */
export async function insertFoundPayment(database: Queryable, payment: Payment): Promise<void> {
  const columns = { ...paymentStateToColumns(payment), ...paymentOriginToColumns(payment) }
  await database.query(insertFound, [JSON.stringify({ ...columns, user_id: payment.userId })])
}
