// A receipt: drawn up once, when the payment is booked, and kept as it is: no later change of name, tax,
// seller or plan touches it. Its number is drawn by the statement that books.
import { type BuyerDetails, missingDetails } from './buyer-details.js'
import { DAY, type Instant, toTimestamp } from './instant.js'
import type { Translated } from './locale.js'
import type { Payment } from './payment.js'
import { type StampDutyTerms, stampDutyOn } from './stamp-duty.js'

/** Who sells, as décret exécutif 05-468 requires (article 3: name, form, address, RC, NIF, …). */
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
  /** Share capital as it is to be written, such as "1 000 000,00 DA"; null where there is none. */
  readonly capital: string | null
}

export interface Seller {
  readonly identity: SellerIdentity
  readonly taxTerms: TaxTerms
  /** Null: cash is not taken. */
  readonly stampDutyTerms: StampDutyTerms | null
  readonly shop: Shop
}

/** How the seller appears to customers, on pages and in mail. */
export interface Shop {
  /** The terms of sale and the refund policy: customers can read both before they pay. */
  readonly termsUrl: Translated
  readonly refundUrl: Translated
  /** A `data:` address, so that a page stays one request; null: the name alone. */
  readonly logo: string | null
  /** `#rrggbb`, readable under white; null: the color of the style sheet. */
  readonly color: string | null
}

export interface Buyer {
  readonly userId: string
  readonly name: string | null
  readonly email: string | null
  /** Of an invoice and what belongs to it. */
  readonly details?: BuyerDetails
}

/**
 * `invoice`: in place of the receipt, or asked for after it. `credit_note`: takes an invoice back.
 * `proforma`: what an invoice will say, before anything is paid.
 */
export const DOCUMENT_KINDS = ['receipt', 'invoice', 'credit_note', 'proforma'] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

/** What a payment can have. */
export type IssuedKind = Exclude<DocumentKind, 'proforma'>

/** Another document that a document names. */
export interface NamedDocument {
  readonly kind: IssuedKind
  /** As it is shown: `F-2026-000042`. */
  readonly number: string
  /** `YYYY-MM-DD` */
  readonly issuedOn: string
}

/**
 * Everything the document shows but its number. Plain JSON, `version` for the day its shape changes. Days are
 * `YYYY-MM-DD` in the billing time zone, fixed here because the rules of a zone change too.
 */
export interface DocumentSnapshot {
  readonly version: 1
  readonly kind: DocumentKind
  /**
   * Of a credit note the invoice; of an invoice that came later the receipt, or the credit note before it.
   */
  readonly about?: NamedDocument
  /** The number of the buyer's own order. */
  readonly poNumber?: string
  /** Of a proforma: the last day on which its price holds, `YYYY-MM-DD`. */
  readonly validUntil?: string
  readonly seller: SellerIdentity
  readonly buyer: Buyer
  /** Null as all that was bought is, where money was received in advance. */
  readonly planName: string | null
  readonly issuedAt: Instant
  readonly issuedOn: string
  readonly paidOn: string
  readonly periodFrom: string | null
  readonly periodTo: string | null
  /** How many were bought. */
  readonly months: number | null
  /** What was paid in whole dinars, tax included. The stamp duty comes on top of it. */
  readonly amount: number
  /** What was asked for, where another amount came. Absent: the amount. */
  readonly asked?: number
  /** What a code took off the price, in whole dinars, tax included. Absent: nothing. */
  readonly discount?: number
  /** Of another plan in mid-term; absent: more time was bought. */
  readonly change?: {
    /** The name of the plan that ran. */
    readonly from: string
    /** What was left of what was paid for the time, in whole dinars, tax included. */
    readonly credit: number
    /** What of the amount is on the balance, in whole dinars, untaxed as yet. Absent: nothing. */
    readonly surplus?: number
  }
  readonly tax: Tax | AdvanceTax
  readonly split: TaxSplit
  /** 0 but for cash: the rest is exempt (circulaire 14/MF/DGI/LF.2025 of 5 March 2025). */
  readonly stampDutyCentimes: number
  /** The kind of card or account, such as `edahabia`, or `cash`; null where the provider did not say. */
  readonly paymentMethod: string | null
  readonly paymentId: string
  readonly checkoutId: string | null
  /** False for a payment in test mode: the document then says that no money moved. */
  readonly live: boolean
}

export interface ReceiptContext {
  readonly seller: Seller
  readonly buyer: Buyer
  /** The instant of booking, which is the date of the document. */
  readonly issuedAt: Instant
  /** Of the payment's method. */
  readonly bearsStampDuty: boolean
  /** The day of an instant in the billing time zone, `YYYY-MM-DD`. */
  readonly dayOf: (instant: Instant) => string
}

/**
 * `payment` as it is booked: paid, with what it bought. Tax and duty are those of the day of payment. A sale
 * to a company has an invoice in place of the receipt; money received in advance has sold nothing yet.
 */
export function drawUpReceipt(payment: Payment, context: ReceiptContext): DocumentSnapshot {
  const { seller, buyer, issuedAt, bearsStampDuty, dayOf } = context
  const { kind, paidAt, periodStart, periodEnd } = payment
  if (paidAt === null || (kind === 'purchase' && (periodStart === null || periodEnd === null)))
    throw new Error(`payment ${payment.id} is to have a receipt and has bought nothing`)
  const { amount } = payment.price
  const paidOn = dayOf(paidAt)
  // Also a change whose time was over: its money is on the balance.
  const tax = periodStart === null ? ADVANCE : taxAt(seller.taxTerms, paidOn)
  const change = changeOf(payment)
  const { userId, name, email, details } = buyer
  const isWholeCompany = details?.kind === 'company' && missingDetails(details).length === 0
  const isInvoice = tax.kind !== 'advance' && isWholeCompany
  return {
    version: 1,
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

/** Undefined: nothing has changed. */
function changeOf({ change }: Payment): DocumentSnapshot['change'] {
  if (!change || change.parts.length === 0) return undefined
  const { from, credit, surplus } = change
  return { from: from.name, credit, ...(surplus !== undefined && { surplus }) }
}

/** `surplus`: the part of the amount that is not taxed. In whole dinars. */
function splitBeside(surplus: number, amount: number, tax: Tax | AdvanceTax): TaxSplit {
  const { netCentimes, taxCentimes } = splitTax(amount - surplus, tax)
  return { netCentimes: netCentimes + surplus * 100, taxCentimes, totalCentimes: amount * 100 }
}

/** In centimes, without tax. Of another amount than was asked for nothing was taken off. */
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

/** In centimes: what the customer paid. */
export function totalOf({ amount, stampDutyCentimes }: DocumentSnapshot): number {
  return amount * 100 + stampDutyCentimes
}

/** What the series of each kind begins with. */
const LETTERS = { receipt: '', invoice: 'F-', credit_note: 'A-', proforma: 'P-' } as const

/**
 * The series of a document issued on this day: one a year for each kind, so that dates rise with the numbers.
 * Test payments have their own: a legal series has no gap and only real money.
 */
export function documentSeries(document: DocumentKind, issuedOn: string, live: boolean): string {
  return `${live ? '' : 'TEST-'}${LETTERS[document]}${issuedOn.slice(0, 4)}`
}

/** `2026-000042`, `F-2026-000042`: six digits, more from a million a year on. */
export function receiptNumber(series: string, number: number): string {
  return `${series}-${String(number).padStart(6, '0')}`
}

/** As typed, also `2026-42`; null: it is none. In a test shop a number without `TEST-` is one as well. */
export function readReceiptNumber(
  typed: string,
  live: boolean,
): { readonly series: string; readonly number: number } | null {
  const [, test, series, digits] =
    /^(TEST-)?((?:[FAP]-)?\d{4}(?:-R\d{14})?)-(\d{1,9})$/.exec(typed.toUpperCase()) ?? []
  if (series === undefined) return null
  return { series: test !== undefined || !live ? `TEST-${series}` : series, number: Number(digits) }
}

// The tax on what a customer paid, tax included. Rates and exemptions are dated settings, since finance acts
// change them. Integers only: net and tax always add up to the total.

/**
 * How a sale is taxed. `vat`: TVA at a whole percentage (19 normal, 9 reduced: article 21 of the Code des
 * taxes sur le chiffre d'affaires). `exempt` and `not_liable`: none, for the reason that `mention` gives in
 * the words of the law.
 */
export type Tax =
  | { readonly kind: 'vat'; readonly ratePercent: number }
  | { readonly kind: 'exempt' | 'not_liable'; readonly mention: Translated }

/** Money received in advance is not taxed: what it buys is, on a receipt of its own. */
type AdvanceTax = { readonly kind: 'advance' }
const ADVANCE: AdvanceTax = { kind: 'advance' }

/** A tax and the first day on which it holds, `YYYY-MM-DD` on the wall. It holds until the next begins. */
export interface TaxTerm {
  readonly from: string
  /** Its last day, where that is known: the day before the next begins. */
  readonly until?: string
  readonly tax: Tax
}

/** At least one, by rising date, no date twice. */
export type TaxTerms = readonly [TaxTerm, ...TaxTerm[]]

/** On the day of payment. A day before the first term is taken for the first: booking must not fail. */
export function taxAt(terms: TaxTerms, paidOn: string): Tax {
  return termAt(terms, paidOn).tax
}

/** From so many days before the last day of a tax on, it is told of. */
const ENDING_DAYS = 30

/** The known end of the last term. After it that term is still booked by. Null: its end is not known. */
export function taxEnd(
  terms: TaxTerms,
  today: string,
): { readonly until: string; readonly state: 'far' | 'near' | 'past' } | null {
  const until = terms.at(-1)?.until
  if (until === undefined) return null
  const toldFrom = toTimestamp(Date.parse(until) - ENDING_DAYS * DAY).slice(0, 10)
  return { until, state: today > until ? 'past' : today >= toldFrom ? 'near' : 'far' }
}

/** In centimes on `amount` whole dinars of cash; a day before the first term is taken for the first. */
export function stampDutyAt({ stampDutyTerms }: Seller, amount: number, paidOn: string): number {
  return stampDutyTerms === null ? 0 : stampDutyOn(amount, termAt(stampDutyTerms, paidOn))
}

function termAt<Term extends { readonly from: string }>(
  terms: readonly [Term, ...Term[]],
  day: string,
): Term {
  // Dates in this form sort as text.
  return terms.findLast(({ from }) => from <= day) ?? terms[0]
}

/** In centimes, hundredths of a dinar. `net` + `tax` = `total`. */
export interface TaxSplit {
  readonly netCentimes: number
  readonly taxCentimes: number
  readonly totalCentimes: number
}

/**
 * Takes the tax out of a tax-included price in whole dinars. The net is rounded to the nearest centime, a
 * half upwards; the tax is the rest. 2000 at 19 %: 200,000 × 100 / 119 = 168,067.2…, so 1,680.67 net and
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
