// Prints a receipt: the snapshot that was stored at booking, its number and a language become one page of
// PDF. Nothing else is looked up but the seller's color, so the same receipt has the same words years later.

import { readFileSync } from 'node:fs'
import { isTransferred } from '../core/account.js'
import type { Locale } from '../core/locale.js'
import { netPriceOf, type ReceiptSnapshot, type SellerIdentity, totalOf } from '../core/receipt.js'
import { formatReference } from '../core/reference.js'
import { amountInWords } from '../i18n/amount-in-words.js'
import { termInWords } from '../i18n/formats.js'
import { CATALOGS, instrumentName } from '../i18n/messages.js'
import type { Typesetter } from './typesetter.js'
import { receiptsWords as texts } from './words.js'

/** A page, or the roll of a printer at the counter. */
export const RECEIPT_FORMS = ['a4', '80mm'] as const
export type ReceiptForm = (typeof RECEIPT_FORMS)[number]

type ReceiptWords = (typeof texts)[Locale]['receipt']

export const TEMPLATE = readFileSync(new URL('./receipt.typ', import.meta.url), 'utf8')

/**
 * `number` as it is shown, from `receiptNumber`. Gives the PDF; the first takes some 50 ms, the others a few.
 */
export function renderReceipt(
  typesetter: Typesetter,
  receipt: {
    readonly snapshot: ReceiptSnapshot
    readonly number: string
    /** `YYYY-MM-DD`: stamped on copies printed after a refund. The document itself stays as it was issued. */
    readonly refundedOn?: string | null
  },
  locale: Locale,
  form: ReceiptForm = 'a4',
): Uint8Array {
  return typesetter.typeset(TEMPLATE, onPaper(describePage(receipt.snapshot, receipt, locale), locale, form))
}

/** What the template takes: the document's own title and date, and its pages. */
export function onPaper(
  page: Pick<ReturnType<typeof describePage>, 'title' | 'author' | 'issuedAt'> & {
    readonly number: { readonly value: string } | null
  },
  locale: Locale,
  form: ReceiptForm = 'a4',
) {
  const { title, author, issuedAt, number } = page
  const named = number === null ? title : `${title} ${number.value}`
  return { lang: locale, form, title: named, author, issuedAt, year: null, papers: [page] }
}

/** What the template lays out of one, in its order. Every text is ready to be read. */
export function describePage(
  snapshot: ReceiptSnapshot,
  { number, refundedOn }: { readonly number: string; readonly refundedOn?: string | null },
  locale: Locale,
) {
  const words = texts[locale].receipt
  const method = describeMethod(snapshot, words)
  const { paymentMethod, asked } = snapshot
  return {
    title: words.title,
    author: snapshot.seller.name[locale],
    issuedAt: dateParts(snapshot.issuedOn),
    number: { label: words.number, value: number },
    date: { label: words.issuedOn, value: dayInFigures(snapshot.issuedOn) },
    notice: snapshot.live ? null : words.testMode,
    stamp: refundedOn ? { label: words.refunded, value: dayInFigures(refundedOn) } : null,
    seller: describeSeller(snapshot.seller, words, locale),
    buyer: describeBuyer(snapshot, words),
    item: describeItem(snapshot, words, locale),
    totals: describeTotals(snapshot, words, locale),
    mention: mentionOf(snapshot, words, locale),
    inWords: { label: words.inWords, value: totalInWords(snapshot, locale) },
    payment: {
      label: words.payment,
      rows: rowsOf([
        [words.paidOn, dayInFigures(snapshot.paidOn)],
        [
          words.method,
          paymentMethod === null ? words.anyMethod : shorten(instrumentName(paymentMethod, locale)),
        ],
        [words.paymentId, snapshot.paymentId],
        [method.reference, transactionOf(snapshot)],
        [words.amountAsked, asked === undefined ? null : dinarsInFigures(asked * 100, locale)],
      ]),
    },
    closing: method.closing,
  }
}

function mentionOf({ tax }: ReceiptSnapshot, words: ReceiptWords, locale: Locale): string | null {
  if (tax.kind === 'advance') return words.advanceMention
  return tax.kind === 'vat' ? null : tax.mention[locale]
}

export function describeSeller(seller: SellerIdentity, words: ReceiptWords, locale: Locale) {
  return {
    label: words.seller,
    name: seller.name[locale],
    lines: [
      seller.legalForm[locale],
      seller.activity[locale],
      seller.address[locale],
      seller.phone,
      seller.email,
    ],
    rows: rowsOf([
      [words.capital, seller.capital],
      [words.rc, seller.rc],
      [words.card, seller.autoEntrepreneurCard],
      [words.nif, seller.nif],
      [words.nis, seller.nis],
      [words.ai, seller.ai],
    ]),
  }
}

export function describeBuyer({ buyer }: Pick<ReceiptSnapshot, 'buyer'>, words: ReceiptWords) {
  const { name, email, userId } = buyer
  return {
    label: words.buyer,
    name: shorten(name ?? email ?? userId),
    lines: name !== null && email !== null ? [shorten(email)] : [],
    rows: rowsOf([[words.userId, shorten(userId)]]),
  }
}

function describeItem(snapshot: ReceiptSnapshot, words: ReceiptWords, locale: Locale) {
  const { tax, periodFrom, periodTo } = snapshot
  return {
    head: [
      words.description,
      words.period,
      words.quantity,
      isUntaxed(tax) ? words.unitPrice : words.unitPriceNet,
    ],
    description: boughtInWords(snapshot, words, locale),
    period: rowsOf([
      [words.periodFrom, periodFrom && dayInFigures(periodFrom)],
      [words.periodTo, periodTo && dayInFigures(periodTo)],
    ]),
    quantity: '1',
    price: dinarsInFigures(netPriceOf(snapshot).priceCentimes, locale),
  }
}

/** The name is shortened, never the term behind it. */
export function boughtInWords(snapshot: ReceiptSnapshot, words: ReceiptWords, locale: Locale): string {
  const { planName, months, change, tax } = snapshot
  if (planName === null || tax.kind === 'advance') return words.advance
  if (change)
    return words.changeOfPlan
      .replace('{from}', () => shorten(change.from))
      .replace('{plan}', () => shorten(planName))
  if (months === null) return shorten(words.subscription.replace('{plan}', () => planName))
  if (months === 1) return shorten(words.subscriptionTo.replace('{plan}', () => planName))
  const term = words.subscriptionForTerm.replace('{term}', () => termInWords(months, locale))
  return term.replace('{plan}', () => shorten(planName))
}

const isUntaxed = ({ kind }: ReceiptSnapshot['tax']) => kind === 'not_liable' || kind === 'advance'

function describeTotals(snapshot: ReceiptSnapshot, words: ReceiptWords, locale: Locale) {
  const { tax, split, stampDutyCentimes } = snapshot
  const isLiable = !isUntaxed(tax)
  const hasDuty = stampDutyCentimes > 0
  const untaxed = { exempt: words.exempt, not_liable: words.notLiable, advance: words.untaxed }
  const rate = tax.kind === 'vat' ? percent(tax.ratePercent, locale) : `(${untaxed[tax.kind]})`
  const { creditCentimes, discountCentimes } = netPriceOf(snapshot)
  const surplus = snapshot.change?.surplus ?? 0
  return rowsOf([
    [words.credit, snapshot.change ? dinarsInFigures(creditCentimes, locale) : null],
    [words.discount, discountCentimes > 0 ? dinarsInFigures(discountCentimes, locale) : null],
    [words.surplus, surplus > 0 ? dinarsInFigures(surplus * 100, locale) : null],
    [isLiable ? words.totalNet : words.total, dinarsInFigures(split.netCentimes, locale)],
    [`${words.vat} ${rate}`, dinarsInFigures(split.taxCentimes, locale)],
    [words.totalGross, isLiable && hasDuty ? dinarsInFigures(split.totalCentimes, locale) : null],
    [describeMethod(snapshot, words).stampDuty, dinarsInFigures(stampDutyCentimes, locale)],
    // The duty is no part of what the tax is reckoned on.
    [
      isLiable && !hasDuty ? words.totalPaidGross : words.totalPaid,
      dinarsInFigures(totalOf(snapshot), locale),
    ],
  ])
}

/** `19 %`, in English `19%`. */
function percent(rate: number, locale: Locale): string {
  return `${rate}${locale === 'en' ? '' : '\u00a0'}%`
}

function totalInWords(snapshot: ReceiptSnapshot, locale: Locale): string {
  const centimes = totalOf(snapshot)
  return amountInWords(Math.floor(centimes / 100), locale, centimes % 100)
}

/** What a receipt says by how it was paid, its name apart. */
function describeMethod({ paymentMethod: method }: ReceiptSnapshot, words: ReceiptWords) {
  const onPage = { reference: words.checkoutId, stampDuty: words.stampDuty, closing: words.electronic }
  const byTransfer = { reference: words.transferReference, stampDuty: words.stampDutyTransfer }
  const known = new Map([
    ['ccp', { ...byTransfer, closing: words.paidByCcp }],
    ['baridimob', { ...byTransfer, closing: words.paidByBaridimob }],
    ['bank_transfer', { ...byTransfer, closing: words.paidByBankTransfer }],
    ['cash', { reference: words.cashReference, stampDuty: words.stampDutyCash, closing: words.paidInCash }],
    [
      'cheque',
      { reference: words.chequeReference, stampDuty: words.stampDutyCheque, closing: words.paidByCheque },
    ],
  ])
  return known.get(method ?? '') ?? onPage
}

/** As the payer finds it on the provider's page, or on their own slip. */
function transactionOf({ paymentMethod, checkoutId }: ReceiptSnapshot): string | null {
  return checkoutId !== null && isTransferred(paymentMethod) ? formatReference(checkoutId) : checkoutId
}

/** What is null has no line. */
export function rowsOf(rows: readonly (readonly [string, string | null])[]) {
  return rows.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]))
}

// Names come from the platform's tokens. Eighty characters wrap to a few lines: the page stays one.
const LONGEST_TEXT = 80

export function shorten(text: string): string {
  const characters = Array.from(text)
  return characters.length <= LONGEST_TEXT ? text : `${characters.slice(0, LONGEST_TEXT - 1).join('')}…`
}

export function dateParts(day: string) {
  const [year, month, date] = day.split('-').map(Number)
  return { year, month, day: date }
}

/**
 * `200000` is "2 000,00 DA", alike in all three languages: a point or a comma must not change what a sum is.
 */
export function dinarsInFigures(centimes: number, locale: Locale): string {
  const dinars = String(Math.floor(centimes / 100)).replace(/\B(?=(\d{3})+$)/g, '\u00a0')
  return `${dinars},${String(centimes % 100).padStart(2, '0')}\u00a0${CATALOGS[locale].page.currency}`
}

/** `2026-11-21` is "21/11/2026". */
export function dayInFigures(day: string): string {
  return day.split('-').reverse().join('/')
}
