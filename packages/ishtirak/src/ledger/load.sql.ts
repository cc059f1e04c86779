// A payment with its user, for operators' decisions.
import type { Payment } from '../core/payment.js'
import { type Queryable, statement } from '../database/database.js'
import { PAYMENT_COLUMNS, parsePayment } from './payments.sql.js'
import { FACT_COLUMNS, parseUser, type UserRecord } from './users.sql.js'

const selectWithUser = statement(
  'operator.payment',
  `select ${PAYMENT_COLUMNS}, ${FACT_COLUMNS} from payments p join users u using (user_id) where p.id = $1`,
)

export async function findPaymentWithUser(
  database: Queryable,
  paymentId: string,
): Promise<{ readonly payment: Payment; readonly user: UserRecord } | null> {
  const [row] = await database.query(selectWithUser, [paymentId])
  return row ? { payment: parsePayment(row), user: parseUser(row) } : null
}
