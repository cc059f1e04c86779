// The receipts of a user in one year, together: as one PDF that begins with a list and what was paid and
// given back in all, or as one table.
import { csvLine } from '../acts/csv.js'
import { BillingError } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { PAPER_KINDS, paperSeries, type ReceiptSnapshot, receiptNumber, totalOf } from '../core/receipt.js'
import { BY_BALANCE } from '../core/subscription.js'
import { listReceiptsOfYear, type PaperOfYear } from './papers.sql.js'
import { print, type ReceiptDeps } from './receipt.js'
import {
  boughtInWords,
  dayInFigures,
  describeBuyer,
  describePage,
  dinarsInFigures,
  rowsOf,
  TEMPLATE,
} from './render-receipt.js'
import type { Typesetter } from './typesetter.js'
import { receiptsWords as texts } from './words.js'

export interface YearWish {
  readonly userId: string
  readonly year: number
  readonly locale: Locale
}

/** Rows of a list: more payments than one a day. */
export const LISTED_MAX = 600
/** Printed behind it: they hold the main thread for some milliseconds each. */
export const PRINTED_MAX = 50

/** Throws `not_found` where there is none, `busy` when too many wait already, and `receipts_unavailable`. */
export async function printYear(deps: ReceiptDeps, of: YearWish): Promise<Uint8Array> {
  const year = await readYear(deps, of)
  const pdf = await print(deps.printer, (typesetter) => renderYear(deps, typesetter, year, of))
  if (pdf === null) throw new BillingError('receipts_unavailable')
  return pdf
}

/** A table with a line of names. Throws `not_found` where there is none. */
export async function tableOfYear(deps: ReceiptDeps, of: YearWish): Promise<string> {
  const { papers } = await readYear(deps, of)
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
  const described = (snapshot: ReceiptSnapshot) =>
    boughtInWords(snapshot, texts[of.locale].receipt, of.locale).replaceAll('\u00a0', ' ')
  return [
    csvLine([...names, ...sums]),
    ...inForce(papers).map((paper) => {
      const { snapshot } = paper
      const sign = signOf(paper)
      const { issuedOn, paidOn, periodFrom, periodTo, split, stampDutyCentimes, paymentId } = snapshot
      return csvLine([
        ...[numberOf(paper), issuedOn, paidOn],
        ...[described(snapshot), periodFrom, periodTo],
        ...[snapshot.paymentMethod, (sign * split.netCentimes) / 100, (sign * split.taxCentimes) / 100],
        ...[
          (sign * stampDutyCentimes) / 100,
          (sign * totalOf(snapshot)) / 100,
          'DZD',
          refundedOn(deps, paper),
          paymentId,
        ],
      ])
    }),
  ].join('')
}

const inForce = (papers: readonly PaperOfYear[]) => papers.filter((paper) => !paper.is_replaced)

/** What an avoir takes back is below zero. */
const signOf = ({ snapshot }: PaperOfYear) => (snapshot.paper === 'avoir' ? -1 : 1)

interface PapersRead {
  /** In the order in which they were issued. */
  readonly papers: readonly PaperOfYear[]
  /** There are earlier ones. */
  readonly isCut: boolean
}

/** Throws `not_found`. */
async function readYear({ database }: ReceiptDeps, { userId, year }: YearWish): Promise<PapersRead> {
  const series = PAPER_KINDS.flatMap((kind) =>
    [true, false].map((live) => paperSeries(kind, `${year}-01-01`, live)),
  )
  const found = await listReceiptsOfYear(database, { userId, series, limit: LISTED_MAX + 1 })
  if (found.length === 0) throw new BillingError('not_found')
  return { papers: found.slice(-LISTED_MAX), isCut: found.length > LISTED_MAX }
}

const numberOf = ({ series, number }: PaperOfYear) => receiptNumber(series, number)

function refundedOn({ receipts }: ReceiptDeps, paper: PaperOfYear): string | null {
  const { refunded_at: at, is_later: isLater } = paper
  return at === null || isLater ? null : receipts.dayOf(at)
}

function renderYear(
  deps: ReceiptDeps,
  typesetter: Typesetter,
  { papers, isCut }: PapersRead,
  { year, locale }: YearWish,
): Uint8Array {
  const words = texts[locale].receipt
  const pages = papers.slice(-PRINTED_MAX).map((paper) => {
    // The one that counts was handed out when it was issued.
    const isDuplicate = paper.snapshot.paper !== undefined
    const about = { number: numberOf(paper), refundedOn: refundedOn(deps, paper), isDuplicate }
    return describePage(paper.snapshot, about, locale)
  })
  const title = words.papersOf.replace('{year}', String(year))
  const [last] = pages.slice(-1)
  return typesetter.typeset(TEMPLATE, {
    lang: locale,
    form: 'a4',
    title,
    author: last?.author,
    issuedAt: last?.issuedAt,
    year: {
      title,
      ...listOf(deps, papers, locale),
      notes: [
        ...(isCut ? [words.papersCut] : []),
        ...(pages.length < papers.length ? [words.papersNote] : []),
      ],
    },
    papers: pages,
  })
}

/** What the template lists, with the sums of the year. */
function listOf(deps: ReceiptDeps, papers: readonly PaperOfYear[], locale: Locale) {
  const words = texts[locale].receipt
  const money = (centimes: number) => dinarsInFigures(centimes, locale)
  const sumOf = (some: readonly PaperOfYear[]) =>
    some.reduce((sum, { snapshot }) => sum + totalOf(snapshot), 0)
  // What the balance paid for was paid in before.
  const received = inForce(papers).filter(
    ({ snapshot, is_later }) => !is_later && snapshot.paymentMethod !== BY_BALANCE,
  )
  const paid = sumOf(received)
  const refunded = sumOf(received.filter((paper) => refundedOn(deps, paper) !== null))
  const [newest] = papers.slice(-1)
  return {
    buyer: newest ? describeBuyer(newest.snapshot, words).name : '',
    head: [words.number, words.issuedOn, words.description, words.totalNet, words.vat, words.totalPaid],
    rows: inForce(papers).map((paper) => {
      const signed = (centimes: number) => `${signOf(paper) < 0 ? '\u2212' : ''}${money(centimes)}`
      const { snapshot } = paper
      const bought = boughtInWords(snapshot, words, locale)
      const back = refundedOn(deps, paper)
      return [
        numberOf(paper),
        dayInFigures(snapshot.issuedOn),
        back === null ? bought : `${bought} (${words.refunded} ${dayInFigures(back)})`,
        signed(snapshot.split.netCentimes),
        signed(snapshot.split.taxCentimes),
        signed(totalOf(snapshot)),
      ]
    }),
    totals: rowsOf([
      [words.totalPaid, money(paid)],
      [words.refundedSum, refunded > 0 ? money(refunded) : null],
      [words.remains, refunded > 0 ? money(paid - refunded) : null],
    ]),
  }
}
