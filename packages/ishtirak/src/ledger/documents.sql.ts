// The documents of a payment as rows: its receipt, or the invoice in place of it, and what was issued later.
import type { IssuedDocument } from '../core/invoice.js'
import { type IssuedKind, type ReceiptSnapshot, receiptNumber } from '../core/receipt.js'
import { type Queryable, statement } from '../database/database.js'
import { integer, json, rowOf, text, word } from '../database/rows.js'

/** As the statement that saves a change takes it; the number is drawn there. */
export interface NewDocument {
  readonly id: string
  readonly kind: IssuedKind
  readonly series: string
  readonly snapshot: ReceiptSnapshot
  readonly payment_id: string
  /**
   * Among the later documents of the payment, from 1 on: two that were decided at once are not both issued.
   */
  readonly place: number
  /** Another invoice is to follow. */
  readonly owes: boolean
}

const parseRow = rowOf({
  /** Empty: it was issued with the booking. */
  id: text,
  kind: word<IssuedKind>,
  series: text,
  number: integer,
  snapshot: json<ReceiptSnapshot>,
})
// Uses receipts_one_per_payment and documents_in_order.
const selectOfPayments = statement(
  'documents.of_payments',
  `select payment_id, '' as id, coalesce(snapshot->>'document', 'receipt') as kind, series, number, snapshot,
          0 as place
     from receipts where user_id = $1 and payment_id = any($2::text[])
    union all
   select payment_id, id, kind, series, number, snapshot, place
     from documents where user_id = $1 and payment_id = any($2::text[])
    order by place`,
)

/** The same of several payments of a user, by the payment's id. */
export async function documentsOfPayments(
  database: Queryable,
  userId: string,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredDocument[]>> {
  const rows = await database.query(selectOfPayments, [userId, paymentIds])
  const documents = new Map<string, StoredDocument[]>()
  for (const row of rows) {
    const paymentId = text(row, 'payment_id')
    documents.set(paymentId, [...(documents.get(paymentId) ?? []), shown(parseRow(row))])
  }
  return documents
}

const selectOne = statement(
  'documents.one',
  'select id, kind, series, number, snapshot from documents where user_id = $1 and id = $2',
)

/** One that was issued later, by its id. Throws where there is none: documents are never deleted. */
export async function findDocument(database: Queryable, userId: string, id: string): Promise<StoredDocument> {
  const [row] = await database.query(selectOne, [userId, id])
  if (!row) throw new Error(`document ${id} is gone`)
  return shown(parseRow(row))
}

export type StoredDocument = IssuedDocument & { readonly id: string }

/** All of a payment, in the order in which they were issued; none: it was not booked. */
export async function documentsOfPayment(
  database: Queryable,
  { userId, id }: { readonly userId: string; readonly id: string },
): Promise<readonly StoredDocument[]> {
  return (await documentsOfPayments(database, userId, [id])).get(id) ?? []
}

function shown({ id, kind, series, number, snapshot }: ReturnType<typeof parseRow>): StoredDocument {
  return { id, kind, number: receiptNumber(series, number), issuedOn: snapshot.issuedOn, snapshot }
}
