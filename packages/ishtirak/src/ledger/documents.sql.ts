// The documents of a payment as rows: the one issued with its booking, and later ones.
import { createHash } from 'node:crypto'
import type { IssuedDocument } from '../core/invoice.js'
import {
  type DocumentSnapshot,
  type IssuedKind,
  receiptNumber,
  type SellerIdentity,
} from '../core/receipt.js'
import { type Queryable, statement } from '../database/database.js'
import { instant, integer, json, rowOf, text, word } from '../database/rows.js'

/** The members of a snapshot that have no column of their own. */
type StoredSnapshot = Omit<
  DocumentSnapshot,
  'kind' | 'seller' | 'issuedAt' | 'issuedOn' | 'split' | 'stampDutyCentimes' | 'paymentId'
>

/** The sellers of this process, each by the hash of its version. A service has one. */
const hashes = new Map<SellerIdentity, string>()

export function sellerHash(seller: SellerIdentity): string {
  const hash = hashes.get(seller) ?? createHash('sha256').update(JSON.stringify(seller)).digest('hex')
  hashes.set(seller, hash)
  return hash
}

export const knownSellers = () => Array.from(hashes, ([seller, hash]) => ({ hash, seller }))

/** Reads `documents d` with their `seller_versions v`. */
export const DOCUMENT_COLUMNS = `d.payment_id, d.place, d.kind, d.series, d.number, d.issued_at,
          to_char(d.issued_on, 'YYYY-MM-DD') as issued_on, d.net_centimes, d.tax_centimes, d.duty_centimes,
          d.snapshot, v.seller`

const parseRow = rowOf({
  paymentId: text,
  place: integer,
  kind: word<IssuedKind>,
  series: text,
  number: integer,
  issuedAt: instant,
  issuedOn: text,
  netCentimes: integer,
  taxCentimes: integer,
  dutyCentimes: integer,
  snapshot: json<StoredSnapshot & { readonly removed?: string }>,
  seller: json<SellerIdentity>,
})

/** `place` 0 was issued with the booking. */
export type StoredDocument = IssuedDocument & { readonly place: number }

export function parseDocument(row: Parameters<typeof parseRow>[0]): StoredDocument {
  const { kind, place, series, number, issuedAt, issuedOn, paymentId, seller, ...parsed } = parseRow(row)
  const { netCentimes, taxCentimes, dutyCentimes: stampDutyCentimes } = parsed
  const split = { netCentimes, taxCentimes, totalCentimes: netCentimes + taxCentimes }
  // A later document repeats the snapshot, and has its buyer again.
  const { removed: _, ...snapshot } = parsed.snapshot
  const shown = { ...snapshot, kind, seller, issuedAt, issuedOn, paymentId, split, stampDutyCentimes }
  return { kind, place, number: receiptNumber(series, number), issuedOn, snapshot: shown }
}

// Uses documents_in_order.
const selectOfPayments = statement(
  'documents.of_payments',
  `select ${DOCUMENT_COLUMNS}
     from documents d join seller_versions v on v.hash = d.seller
    where d.user_id = $1 and d.payment_id = any($2::text[])
    order by d.place`,
)

export async function documentsOfPayments(
  database: Queryable,
  userId: string,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredDocument[]>> {
  const rows = await database.query(selectOfPayments, [userId, paymentIds])
  const documents = new Map<string, StoredDocument[]>()
  for (const row of rows) {
    const paymentId = text(row, 'payment_id')
    documents.set(paymentId, [...(documents.get(paymentId) ?? []), parseDocument(row)])
  }
  return documents
}

/** All documents of a payment in order of issue; empty: it was not booked. */
export async function documentsOfPayment(
  database: Queryable,
  { userId, id }: { readonly userId: string; readonly id: string },
): Promise<readonly StoredDocument[]> {
  return (await documentsOfPayments(database, userId, [id])).get(id) ?? []
}

/** Throws if there is none, because documents are never deleted. */
export async function documentAt(
  database: Queryable,
  of: { readonly userId: string; readonly paymentId: string; readonly place: number },
): Promise<StoredDocument> {
  const { userId, paymentId, place } = of
  const documents = await documentsOfPayment(database, { userId, id: paymentId })
  const found = documents.find((document) => document.place === place)
  if (!found) throw new Error(`document ${place} of payment ${paymentId} is not in the database`)
  return found
}
