// The row of a payment that only the provider knows of, and of its user.
import type { Payment } from '../core/payment.js'
import { type Queryable, statement } from '../database/database.js'
import { COLUMN_NAMES, NEW_PAYMENT, paymentToColumns } from './payments.sql.js'

const insertFound = statement(
  'found_payments.insert',
  `with input as (
     select * from jsonb_populate_record(null::payments, $1::jsonb)
   ), known as (
     insert into users (user_id, created_at) select user_id, created_at from input on conflict do nothing
   )
   insert into payments (${COLUMN_NAMES}) select ${NEW_PAYMENT} from input n
       on conflict do nothing`,
)

/** Changes nothing where there is such a payment by now. */
export async function insertFoundPayment(database: Queryable, payment: Payment): Promise<void> {
  await database.query(insertFound, [JSON.stringify(paymentToColumns(payment))])
}
