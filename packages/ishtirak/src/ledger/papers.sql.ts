// The papers of a payment as rows: its receipt, or the facture in place of it, and what was issued later.
import type { IssuedPaper } from '../core/facture.js'
import { type IssuedKind, type ReceiptSnapshot, receiptNumber } from '../core/receipt.js'
import { type Queryable, statement } from '../database/database.js'
import { integer, json, rowOf, text, word } from '../database/rows.js'

/** As the statement that saves a change takes it; the number is drawn there. */
export interface NewPaper {
  readonly id: string
  readonly kind: IssuedKind
  readonly series: string
  readonly snapshot: ReceiptSnapshot
  readonly payment_id: string
  /** Among the later papers of the payment, from 1 on: two that were decided at once are not both issued. */
  readonly place: number
  /** Another facture is to follow. */
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
// Uses receipts_one_per_payment and papers_in_order.
const selectOfPayments = statement(
  'papers.of_payments',
  `select payment_id, '' as id, coalesce(snapshot->>'paper', 'receipt') as kind, series, number, snapshot,
          0 as place
     from receipts where user_id = $1 and payment_id = any($2::text[])
    union all
   select payment_id, id, kind, series, number, snapshot, place
     from papers where user_id = $1 and payment_id = any($2::text[])
    order by place`,
)

/** The same of several payments of a user, by the payment's id. */
export async function papersOfPayments(
  database: Queryable,
  userId: string,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredPaper[]>> {
  const rows = await database.query(selectOfPayments, [userId, paymentIds])
  const papers = new Map<string, StoredPaper[]>()
  for (const row of rows) {
    const paymentId = text(row, 'payment_id')
    papers.set(paymentId, [...(papers.get(paymentId) ?? []), shown(parseRow(row))])
  }
  return papers
}

const selectOne = statement(
  'papers.one',
  'select id, kind, series, number, snapshot from papers where user_id = $1 and id = $2',
)

/** One that was issued later, by its id. Throws where there is none: papers are never deleted. */
export async function findPaper(database: Queryable, userId: string, id: string): Promise<StoredPaper> {
  const [row] = await database.query(selectOne, [userId, id])
  if (!row) throw new Error(`paper ${id} is gone`)
  return shown(parseRow(row))
}

export type StoredPaper = IssuedPaper & { readonly id: string }

/** All of a payment, in the order in which they were issued; none: it was not booked. */
export async function papersOfPayment(
  database: Queryable,
  { userId, id }: { readonly userId: string; readonly id: string },
): Promise<readonly StoredPaper[]> {
  return (await papersOfPayments(database, userId, [id])).get(id) ?? []
}

function shown({ id, kind, series, number, snapshot }: ReturnType<typeof parseRow>): StoredPaper {
  return { id, kind, number: receiptNumber(series, number), issuedOn: snapshot.issuedOn, snapshot }
}
