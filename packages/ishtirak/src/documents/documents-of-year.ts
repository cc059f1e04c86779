// The receipts of a user in one year, as one table.
import { csvLine } from '../acts/csv.js'
import { BillingError } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { DOCUMENT_KINDS, type DocumentSnapshot, documentSeries, totalOf } from '../core/receipt.js'
import { type DocumentOfYear, listReceiptsOfYear } from './documents-of-year.sql.js'
import type { ReceiptDeps } from './receipt.js'
import { boughtInWords } from './render-receipt.js'
import { documentsWords as texts } from './words.js'

export interface YearWish {
  readonly userId: string
  readonly year: number
  readonly locale: Locale
}

/** More payments than one a day. */
export const LISTED_MAX = 600

/** A table with a line of names. Throws `not_found` where there is none. */
export async function tableOfYear(deps: ReceiptDeps, of: YearWish): Promise<string> {
  const documents = await readYear(deps, of)
  const names = ['receipt', 'issued_on', 'paid_on', 'description', 'period_from', 'period_to']
  const sums = [
    'payment_method',
    'net',
    'tax',
    'stamp_duty',
    'total',
    'currency',
    'refunded_on',
    'payment_id',
  ]
  const described = (snapshot: DocumentSnapshot) =>
    boughtInWords(snapshot, texts[of.locale].receipt, of.locale).replaceAll('\u00a0', ' ')
  return [
    csvLine([...names, ...sums]),
    ...documents
      .filter((document) => !document.is_replaced)
      .map((document) => {
        const { snapshot, number } = document
        const sign = signOf(document)
        const { issuedOn, paidOn, periodFrom, periodTo, split, stampDutyCentimes, paymentId } = snapshot
        return csvLine([
          ...[number, issuedOn, paidOn],
          ...[described(snapshot), periodFrom, periodTo],
          ...[snapshot.paymentMethod, (sign * split.netCentimes) / 100, (sign * split.taxCentimes) / 100],
          ...[
            (sign * stampDutyCentimes) / 100,
            (sign * totalOf(snapshot)) / 100,
            'DZD',
            refundedOn(deps, document),
            paymentId,
          ],
        ])
      }),
  ].join('')
}

/** What a credit note takes back is below zero. */
const signOf = ({ snapshot }: DocumentOfYear) => (snapshot.kind === 'credit_note' ? -1 : 1)

/** The last ones, in the order in which they were issued. Throws `not_found`. */
async function readYear(
  { database }: ReceiptDeps,
  { userId, year }: YearWish,
): Promise<readonly DocumentOfYear[]> {
  const series = DOCUMENT_KINDS.flatMap((kind) =>
    [true, false].map((live) => documentSeries(kind, `${year}-01-01`, live)),
  )
  const found = await listReceiptsOfYear(database, { userId, series, limit: LISTED_MAX })
  if (found.length === 0) throw new BillingError('not_found')
  return found
}

function refundedOn({ receipts }: ReceiptDeps, document: DocumentOfYear): string | null {
  const { refunded_at: at, is_later: isLater } = document
  return at === null || isLater ? null : receipts.dayOf(at)
}
