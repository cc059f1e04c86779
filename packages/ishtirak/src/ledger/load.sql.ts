// A payment with its user, and what it cost: what operators decide on.

import type { Payment } from '../core/payment.js'
import { type ReceiptSnapshot, totalOf } from '../core/receipt.js'
import { type Queryable, statement } from '../database/database.js'
import { json } from '../database/rows.js'
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

const selectSnapshot = statement(
  'operator.snapshot',
  'select snapshot from receipts where user_id = $1 and payment_id = $2',
)

/** The receipt of a booked payment; null: it has none. */
export async function findSnapshot(
  database: Queryable,
  { userId, id }: Payment,
): Promise<ReceiptSnapshot | null> {
  const [row] = await database.query(selectSnapshot, [userId, id])
  return row ? json<ReceiptSnapshot>(row, 'snapshot') : null
}

/** In dinars, which have centimes where the duty has. */
export function describeTotal(snapshot: ReceiptSnapshot) {
  return { stamp_duty: snapshot.stampDutyCentimes / 100, total: totalOf(snapshot) / 100 }
}
