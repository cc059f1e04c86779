// Receipts as rows. Written with the booking (ledger/settle.sql.ts), and never changed.

import type { ReceiptSnapshot } from '../core/receipt.js'
import { type Queryable, statement } from '../database/database.js'
import { integer, json, rowOf, text } from '../database/rows.js'

const selectReceipt = statement(
  'receipts.one',
  'select series, number, snapshot from receipts where user_id = $1 and payment_id = $2',
)

/** Null where there is none, or it is another user's. */
export async function findReceipt(database: Queryable, userId: string, paymentId: string) {
  const [row] = await database.query(selectReceipt, [userId, paymentId])
  return row ? parseReceipt(row) : null
}

const parseReceipt = rowOf({ series: text, number: integer, snapshot: json<ReceiptSnapshot> })
