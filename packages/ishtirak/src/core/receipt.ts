// A receipt is drawn up once, when the payment is booked. Later changes of name, tax, seller or plan do not
// change it. The query that books it also draws its number.
import { type BuyerDetails, missingDetails } from './buyer-details.js'
import { DAY, type Instant, toTimestamp } from './instant.js'
import type { Translated } from './locale.js'
import type { Payment } from './payment.js'
import { type StampDutyTerms, stampDutyOn } from './stamp-duty.js'

/** The seller, as décret exécutif 05-468 requires (article 3: name, form, address, RC, NIF, …). */
export interface SellerIdentity {
  readonly name: Translated
  readonly legalForm: Translated
  readonly activity: Translated
  readonly address: Translated
  readonly phone: string
  readonly email: string
  /** Registre du commerce; null for an auto-entrepreneur, who has a card instead. */
  readonly rc: string | null
  readonly autoEntrepreneurCard: string | null
  readonly nif: string
  readonly nis: string | null
  /** Article d'imposition. */
  readonly ai: string | null
  /** Share capital as documents show it, such as "1 000 000,00 DA"; null: none. */
  readonly capital: string | null
}

export interface Seller {
  readonly identity: SellerIdentity
  readonly taxTerms: TaxTerms
  /** Null: cash is not accepted. */
  readonly stampDutyTerms: StampDutyTerms | null
  readonly shop: Shop
}

/** How pages and mail present the seller to customers. */
interface Shop {
  /** The terms of sale and refund policy, which customers can read before they pay. */
  readonly termsUrl: Translated
  readonly refundUrl: Translated
  /** A `data:` address, so that a page needs no second request; null: pages show the name alone. */
  readonly logo: string | null
  /** `#rrggbb`, dark enough to be readable under white text; null: the style sheet's color. */
  readonly color: string | null
}

export interface Buyer {
  readonly userId: string
  readonly name: string | null
  readonly email: string | null
  /** Set on invoices, credit notes and proformas. */
  readonly details?: BuyerDetails
}

/**
 * `invoice`: in place of a receipt, or after it on request. `credit_note`: takes an invoice back. `proforma`:
 * what an invoice will say, before the payment.
 */
export type DocumentKind = 'receipt' | 'invoice' | 'credit_note' | 'proforma'

export type IssuedKind = Exclude<DocumentKind, 'proforma'>

export interface NamedDocument {
  readonly kind: IssuedKind
  /** The number as it is shown: `F-2026-000042`. */
  readonly number: string
  /** `YYYY-MM-DD` */
  readonly issuedOn: string
}

/**
 * Everything that a document shows except its number. It is plain JSON. Days are `YYYY-MM-DD` in the billing
 * time zone, stored because the rules of a zone change too.
 */
export interface DocumentSnapshot {
  readonly kind: DocumentKind
  /** The invoice that a credit note takes back; for a later invoice, the document before it. */
  readonly about?: NamedDocument
  readonly poNumber?: string
  /** The last day on which the price of a proforma holds, `YYYY-MM-DD`. */
  readonly validUntil?: string
  readonly seller: SellerIdentity
  readonly buyer: Buyer
  /** Null for a top-up, as all fields of bought time are. */
  readonly planName: string | null
  readonly issuedAt: Instant
  readonly issuedOn: string
  readonly paidOn: string
  readonly periodFrom: string | null
  readonly periodTo: string | null
  readonly months: number | null
  /** The amount paid in whole dinars, tax included. Stamp duty comes on top. */
  readonly amount: number
  /** The amount asked for, if another was paid. Absent: the same. */
  readonly asked?: number
  /** The discount of a code in whole dinars, tax included. Absent: none. */
  readonly discount?: number
  /** The plan change that was bought; absent: more time was bought. */
  readonly change?: {
    readonly from: string
    /** The credit for the time left, in whole dinars, tax included. */
    readonly credit: number
    /** The part of the amount that went to the balance, in whole dinars, not taxed yet. Absent: none. */
    readonly surplus?: number
  }
  readonly tax: Tax | AdvanceTax
  readonly split: TaxSplit
  /** 0 unless paid in cash; all else is exempt (circulaire 14/MF/DGI/LF.2025 of 5 March 2025). */
  readonly stampDutyCentimes: number
  /** The instrument, such as `edahabia`, or `cash`; null: the provider did not say. */
  readonly paymentMethod: string | null
  readonly paymentId: string
  readonly checkoutId: string | null
  /** False for test mode. The document then says that no money moved. */
  readonly live: boolean
}

export interface ReceiptContext {
  readonly seller: Seller
  readonly buyer: Buyer
  /** The instant of booking, which is the document's date. */
  readonly issuedAt: Instant
  readonly bearsStampDuty: boolean
  /** The day of an instant in the billing time zone, `YYYY-MM-DD`. */
  readonly dayOf: (instant: Instant) => string
}

/**
 * `payment` is booked: paid, with the time that it bought. Tax and duty are those of the day of payment. A
 * sale to a company gets an invoice instead of a receipt. A top-up has sold nothing yet and is not taxed.
 */
export function drawUpReceipt(payment: Payment, context: ReceiptContext): DocumentSnapshot {
  const { seller, buyer, issuedAt, bearsStampDuty, dayOf } = context
  const { kind, paidAt, periodStart, periodEnd } = payment
  if (paidAt === null || (kind === 'purchase' && (periodStart === null || periodEnd === null)))
    throw new Error(`payment ${payment.id} is to have a receipt and has bought nothing`)
  const { amount } = payment.price
  const paidOn = dayOf(paidAt)
  // A plan change whose time was over is not taxed either: its money is on the balance.
  const tax = periodStart === null ? ADVANCE : taxAt(seller.taxTerms, paidOn)
  const change = changeOf(payment)
  const { userId, name, email, details } = buyer
  const isWholeCompany = details?.kind === 'company' && missingDetails(details).length === 0
  const isInvoice = tax.kind !== 'advance' && isWholeCompany
  return {
    kind: isInvoice ? 'invoice' : 'receipt',
    ...(payment.poNumber !== null && { poNumber: payment.poNumber }),
    seller: seller.identity,
    buyer: { userId, name, email, ...(isInvoice && { details }) },
    planName: payment.plan?.name ?? null,
    issuedAt,
    issuedOn: dayOf(issuedAt),
    paidOn,
    periodFrom: periodStart === null ? null : dayOf(periodStart),
    periodTo: periodEnd === null ? null : dayOf(periodEnd),
    months: payment.months,
    amount,
    ...(payment.amountAsked !== null && { asked: payment.amountAsked }),
    ...(payment.discount > 0 && { discount: payment.discount }),
    ...(change && { change }),
    tax,
    split: change?.surplus ? splitBeside(change.surplus, amount, tax) : splitTax(amount, tax),
    stampDutyCentimes: bearsStampDuty ? stampDutyAt(seller, amount, paidOn) : 0,
    paymentMethod: payment.instrument,
    paymentId: payment.id,
    checkoutId: payment.checkoutId,
    live: payment.live,
  }
}

/** Undefined: the payment was no plan change, or nothing changed. */
function changeOf({ change }: Payment): DocumentSnapshot['change'] {
  if (!change || change.parts.length === 0) return undefined
  const { from, credit, surplus } = change
  return { from: from.name, credit, ...(surplus !== undefined && { surplus }) }
}

/** `surplus` is the part of the amount that is not taxed, in whole dinars. */
function splitBeside(surplus: number, amount: number, tax: Tax | AdvanceTax): TaxSplit {
  const { netCentimes, taxCentimes } = splitTax(amount - surplus, tax)
  return { netCentimes: netCentimes + surplus * 100, taxCentimes, totalCentimes: amount * 100 }
}

/** In centimes, without tax. If another amount was paid than was asked for, no discount is shown. */
export function netPriceOf({
  amount,
  asked,
  discount = 0,
  change,
  tax,
  split,
}: Pick<DocumentSnapshot, 'amount' | 'asked' | 'discount' | 'change' | 'tax' | 'split'>) {
  const { credit = 0, surplus = 0 } = change ?? {}
  const paid = amount - surplus
  const due = paid + (asked === undefined ? discount : 0)
  const { netCentimes: dueCentimes } = splitTax(due, tax)
  const { netCentimes: priceCentimes } = splitTax(due + credit, tax)
  return {
    priceCentimes,
    creditCentimes: priceCentimes - dueCentimes,
    discountCentimes: dueCentimes + surplus * 100 - split.netCentimes,
  }
}

export function totalOf({ amount, stampDutyCentimes }: DocumentSnapshot): number {
  return amount * 100 + stampDutyCentimes
}

const LETTERS = { receipt: '', invoice: 'F-', credit_note: 'A-', proforma: 'P-' } as const

/**
 * The series of a document issued on this day: one a year for each kind, so that dates rise with numbers.
 * Test payments have series of their own, because a legal series has no gaps and only real money.
 */
export function documentSeries(document: DocumentKind, issuedOn: string, live: boolean): string {
  return `${live ? '' : 'TEST-'}${LETTERS[document]}${issuedOn.slice(0, 4)}`
}

/** `2026-000042` or `F-2026-000042`: six digits, and more after a million documents in a year. */
export function receiptNumber(series: string, number: number): string {
  return `${series}-${String(number).padStart(6, '0')}`
}

/** Reads a typed number, also `2026-42`; null: not a number. In test mode `TEST-` may be left out. */
export function readReceiptNumber(
  typed: string,
  live: boolean,
): { readonly series: string; readonly number: number } | null {
  const [, test, series, digits] =
    /^(TEST-)?((?:[FAP]-)?\d{4}(?:-R\d{14})?)-(\d{1,9})$/.exec(typed.toUpperCase()) ?? []
  if (series === undefined) return null
  return { series: test !== undefined || !live ? `TEST-${series}` : series, number: Number(digits) }
}

/** Commercial code, article 12: books and the documents behind them are kept for ten years. */
export const KEPT_YEARS = 10

/** The first date, `YYYY-MM-DD`, of documents that must still be kept: ten full years after their own. */
export const keptSince = (today: string) => `${Number(today.slice(0, 4)) - KEPT_YEARS}-01-01`

// The tax in what a customer paid. Rates and exemptions are dated settings, because finance acts change them.
// All arithmetic is on integers: net and tax always add up to the total.

/**
 * How a sale is taxed. `vat`: TVA at a whole percentage (19 normal, 9 reduced: article 21 of the Code des
 * taxes sur le chiffre d'affaires). `exempt` and `not_liable`: no tax, for the reason that `mention` gives in
 * the words of the law.
 */
export type Tax =
  | { readonly kind: 'vat'; readonly ratePercent: number }
  | { readonly kind: 'exempt' | 'not_liable'; readonly mention: Translated }

/** Money received in advance is not taxed. What it buys later is taxed on its own receipt. */
type AdvanceTax = { readonly kind: 'advance' }
const ADVANCE: AdvanceTax = { kind: 'advance' }

/** A tax and the first day on which it holds (`YYYY-MM-DD`, local). It holds until the next one begins. */
export interface TaxTerm {
  readonly from: string
  /** Its last day, if known: the day before the next tax begins. */
  readonly until?: string
  readonly tax: Tax
}

/** Sorted by date, each date once. There is at least one. */
export type TaxTerms = readonly [TaxTerm, ...TaxTerm[]]

/** The tax on the day of payment. Before the first term the first holds, because booking must not fail. */
export function taxAt(terms: TaxTerms, paidOn: string): Tax {
  return termAt(terms, paidOn).tax
}

/** The health page warns this many days before the last day of a tax. */
const ENDING_DAYS = 30

/** The known end of the last term, by which later payments are still booked. Null: no known end. */
export function taxEnd(
  terms: TaxTerms,
  today: string,
): { readonly until: string; readonly state: 'far' | 'near' | 'past' } | null {
  const until = terms.at(-1)?.until
  if (until === undefined) return null
  const warnFrom = toTimestamp(Date.parse(until) - ENDING_DAYS * DAY).slice(0, 10)
  return { until, state: today > until ? 'past' : today >= warnFrom ? 'near' : 'far' }
}

/** The duty in centimes on `amount` whole dinars of cash. Before the first term the first one holds. */
export function stampDutyAt({ stampDutyTerms }: Seller, amount: number, paidOn: string): number {
  return stampDutyTerms === null ? 0 : stampDutyOn(amount, termAt(stampDutyTerms, paidOn))
}

function termAt<Term extends { readonly from: string }>(
  terms: readonly [Term, ...Term[]],
  day: string,
): Term {
  return terms.findLast(({ from }) => from <= day) ?? terms[0]
}

/** Centimes (hundredths of a dinar). `net` + `tax` = `total`. */
export interface TaxSplit {
  readonly netCentimes: number
  readonly taxCentimes: number
  readonly totalCentimes: number
}

/**
 * Takes the tax out of a tax-included price in whole dinars. The net is rounded to the nearest centime, a
 * half upwards. The tax is the rest. 2000 at 19 %: 200,000 × 100 / 119 = 168,067.2…, so 1,680.67 net and
 * 319.33 tax.
 */
export function splitTax(totalDinars: number, tax: Tax | AdvanceTax): TaxSplit {
  const totalCentimes = totalDinars * 100
  if (tax.kind !== 'vat') return { netCentimes: totalCentimes, taxCentimes: 0, totalCentimes }
  const netCentimes = divideRounded(totalCentimes * 100, 100 + tax.ratePercent)
  return { netCentimes, taxCentimes: totalCentimes - netCentimes, totalCentimes }
}

/** Exact: both numbers are integers, and twice the first is within what a double holds without loss. */
function divideRounded(dividend: number, divisor: number): number {
  if (!Number.isSafeInteger(dividend * 2) || dividend < 0)
    throw new RangeError('an amount to be split is whole dinars, at most 450,000,000,000')
  const rest = dividend % divisor
  return (dividend - rest) / divisor + (rest * 2 >= divisor ? 1 : 0)
}
