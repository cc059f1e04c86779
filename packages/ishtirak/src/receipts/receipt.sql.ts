// Receipts as they were issued: number and snapshot. They are written with the booking (payments/settle.sql.ts) and never changed;
// here they are read.
import type { ReceiptSnapshot } from '../core/receipt.js'
import { type Queryable, statement } from '../database/database.js'
import { integer, json, text } from '../database/rows.js'

export interface IssuedReceipt {
  readonly series: string
  readonly number: number
  readonly snapshot: ReceiptSnapshot
}

const selectReceipt = statement(
  'receipts.one',
  'select series, number, snapshot from receipts where user_id = $1 and payment_id = $2',
)

/** Null where there is none, or it is another user's. */
export async function findReceipt(
  database: Queryable,
  userId: string,
  paymentId: string,
): Promise<IssuedReceipt | null> {
  const [row] = await database.query(selectReceipt, [userId, paymentId])
  if (!row) return null
  return {
    series: text(row, 'series'),
    number: integer(row, 'number'),
    snapshot: json<ReceiptSnapshot>(row, 'snapshot'),
  }
}
