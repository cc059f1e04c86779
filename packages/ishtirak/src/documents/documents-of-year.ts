// The receipts of a user in one year, as one table.
import { type CsvCell, csvLine } from '../acts/files.js'
import type { SentFile } from '../acts/user-call.js'
import { BillingError } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { totalOf } from '../core/receipt.js'
import { textsOfFolder } from '../i18n/words.js'
import { type DocumentOfYear, listReceiptsOfYear } from './documents.sql.js'
import type { ReceiptDeps } from './receipt.js'
import { boughtInWords } from './render-receipt.js'

/** More payments than one a day. */
export const LISTED_MAX = 600

/** The last ones, in order of issue. Throws `not_found` if there are none. */
export async function fileOfYear(
  { database, billingDayOf }: ReceiptDeps,
  of: { readonly userId: string; readonly year: number; readonly locale: Locale },
): Promise<SentFile> {
  const { userId, year, locale } = of
  const found = await listReceiptsOfYear(database, { userId, year, limit: LISTED_MAX })
  if (found.length === 0) throw new BillingError('not_found')
  const columns = columnsIn(locale, billingDayOf)
  const rows = found
    .filter((document) => !document.is_replaced)
    .map((document) => csvLine(Object.values(columns).map((cell) => cell(document))))
  const content = new TextEncoder().encode([csvLine(Object.keys(columns)), ...rows].join(''))
  return { name: `receipts-${year}.csv`, content }
}

/** Amounts in dinars. A credit note's amounts are negative. */
function columnsIn(locale: Locale, dayOf: ReceiptDeps['billingDayOf']) {
  const dinars = ({ snapshot: { kind } }: DocumentOfYear, centimes: number) =>
    (kind === 'credit_note' ? -centimes : centimes) / 100
  const words = textsOfFolder('documents')[locale].receipt
  return {
    receipt: ({ number }) => number,
    issued_on: ({ snapshot }) => snapshot.issuedOn,
    paid_on: ({ snapshot }) => snapshot.paidOn,
    description: ({ snapshot }) => boughtInWords(snapshot, words, locale).replaceAll('\u00a0', ' '),
    period_from: ({ snapshot }) => snapshot.periodFrom,
    period_to: ({ snapshot }) => snapshot.periodTo,
    payment_method: ({ snapshot }) => snapshot.paymentMethod,
    net: (document) => dinars(document, document.snapshot.split.netCentimes),
    tax: (document) => dinars(document, document.snapshot.split.taxCentimes),
    stamp_duty: (document) => dinars(document, document.snapshot.stampDutyCentimes),
    total: (document) => dinars(document, totalOf(document.snapshot)),
    currency: () => 'DZD',
    refunded_on: ({ refunded_at: at, is_later: isLater }) => (at === null || isLater ? null : dayOf(at)),
    payment_id: ({ snapshot }) => snapshot.paymentId,
  } satisfies Readonly<Record<string, (document: DocumentOfYear) => CsvCell>>
}
