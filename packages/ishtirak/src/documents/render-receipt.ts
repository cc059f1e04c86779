// Prints a stored snapshot as one page of PDF. Only the color of the seller is read from elsewhere, so the
// same document has the same words years later.

import { readFileSync } from 'node:fs'
import { isTransferred } from '../core/account.js'
import type { Locale } from '../core/locale.js'
import {
  type DocumentSnapshot,
  type NamedDocument,
  netPriceOf,
  type SellerIdentity,
  totalOf,
} from '../core/receipt.js'
import { formatReference } from '../core/reference.js'
import { amountInWords } from '../i18n/amount-in-words.js'
import { termInWords } from '../i18n/formats.js'
import { CATALOGS, instrumentName } from '../i18n/messages.js'
import { textsOfFolder } from '../i18n/words.js'
import { invoiceXml } from './invoice-xml.js'
import type { Typesetter } from './typesetter.js'

/** A page, or the paper roll of a printer at the counter. */
export const RECEIPT_FORMS = ['a4', '80mm'] as const
export type ReceiptForm = (typeof RECEIPT_FORMS)[number]

const texts = textsOfFolder('documents')
type ReceiptWords = (typeof texts)[Locale]['receipt']

const TEMPLATE = readFileSync(new URL('./receipt.typ', import.meta.url), 'utf8')

/** What a copy shows besides its snapshot. */
export interface PrintedCopy {
  /** The number in the form of `receiptNumber`. */
  readonly number: string
  /** `YYYY-MM-DD`, stamped on copies printed after a refund. The document itself stays as it was issued. */
  readonly refundedOn?: string
  /** True if it was handed out before. */
  readonly isDuplicate?: boolean
  /** The invoice that was issued after this receipt. */
  readonly invoice?: NamedDocument
}

export function renderReceipt(
  typesetter: Typesetter,
  receipt: PrintedCopy & { readonly snapshot: DocumentSnapshot },
  locale: Locale,
  form: ReceiptForm = 'a4',
): Uint8Array {
  const { snapshot } = receipt
  const page = describePage(snapshot, receipt, locale)
  const { author, issuedAt } = page
  const title = `${page.title} ${receipt.number}`
  const document = { lang: locale, form, title, author, issuedAt, document: page }
  if (page.signature === null) return typesetter.typeset(TEMPLATE, document)
  const words = wordsOf(snapshot, locale)
  const said = { ...words, notice: page.notice, description: page.item.description }
  return typesetter.typeset(
    TEMPLATE,
    { ...document, attached: words.attachedData },
    invoiceXml(receipt, said, locale),
  )
}

/** The parts of a document in the template's order. Every text is final. */
export function describePage(
  snapshot: DocumentSnapshot,
  { number, refundedOn, isDuplicate, invoice }: PrintedCopy,
  locale: Locale,
) {
  const words = wordsOf(snapshot, locale)
  const { kind } = snapshot
  const total = totalOf(snapshot)
  return {
    title: words.title,
    author: snapshot.seller.name[locale],
    issuedAt: dateParts(snapshot.issuedOn),
    number: { label: words.number, value: number },
    date: { label: words.issuedOn, value: dayInFigures(snapshot.issuedOn) },
    notice: snapshot.live ? null : words.testMode,
    duplicate: isDuplicate ? words.duplicate : null,
    references: describeReferences(snapshot, invoice, words),
    stamp: refundedOn ? { label: words.refunded, value: dayInFigures(refundedOn) } : null,
    seller: describeSeller(snapshot.seller, words, locale),
    buyer: describeBuyer(snapshot, words),
    item: describeItem(snapshot, words, locale),
    totals: describeTotals(snapshot, words, locale),
    mention: mentionOf(snapshot, words, locale),
    inWords: { label: words.inWords, value: amountInWords(Math.floor(total / 100), locale, total % 100) },
    payment: {
      label: words.payment,
      rows: kind === 'proforma' ? describeOffer(snapshot, words) : describePayment(snapshot, words, locale),
    },
    signature: kind === 'invoice' || kind === 'credit_note' ? words.signature : null,
    closing: closingOf(snapshot, words),
  }
}

/** The words of a receipt, replaced where another kind of document has its own. */
function wordsOf({ kind }: DocumentSnapshot, locale: Locale): ReceiptWords {
  const { receipt } = texts[locale]
  return kind === 'receipt' ? receipt : { ...receipt, ...texts[locale][kind] }
}

/** Words and data in turn: a number must stay whole in an Arabic line. */
function describeReferences(
  { about, poNumber }: DocumentSnapshot,
  invoice: NamedDocument | undefined,
  words: ReceiptWords,
): readonly (readonly string[])[] {
  const naming = (sentence: string, { number, issuedOn }: NamedDocument) =>
    splitAtData(sentence, { number, date: dayInFigures(issuedOn) })
  const { replacesReceipt: receipt, cancelsInvoice, replacesInvoice: credit_note } = words
  const sentences = { receipt, invoice: cancelsInvoice, credit_note }
  return [
    ...(about ? [naming(sentences[about.kind], about)] : []),
    ...(invoice ? [naming(words.namesInvoice, invoice)] : []),
    ...(poNumber === undefined ? [] : [splitAtData(words.orderNumber, { number: poNumber })]),
  ]
}

/** Splits `of {date}` into `of `, the date, and an empty text. */
function splitAtData(sentence: string, data: Readonly<Record<string, string>>): readonly string[] {
  return sentence.split(/\{(\w+)\}/).map((part, place) => (place % 2 === 0 ? part : (data[part] ?? '')))
}

function describePayment(snapshot: DocumentSnapshot, words: ReceiptWords, locale: Locale) {
  const { paidOn, paymentMethod, paymentId, asked } = snapshot
  const method = paymentMethod === null ? words.anyMethod : shorten(instrumentName(paymentMethod, locale))
  return rowsOf([
    [words.paidOn, dayInFigures(paidOn)],
    [words.method, method],
    [words.paymentId, paymentId],
    [describeMethod(snapshot, words).reference, transactionOf(snapshot)],
    [words.amountAsked, asked === undefined ? null : dinarsInFigures(asked * 100, locale)],
  ])
}

/** For a proforma: until when its price holds, and how it is paid. */
function describeOffer({ validUntil }: DocumentSnapshot, words: ReceiptWords) {
  return rowsOf([
    [words.validUntil, validUntil === undefined ? null : dayInFigures(validUntil)],
    [words.method, words.payByTransfer],
  ])
}

function closingOf(snapshot: DocumentSnapshot, words: ReceiptWords): string {
  const { kind, paymentMethod } = snapshot
  if (kind === 'receipt') return describeMethod(snapshot, words).closing
  if (kind === 'proforma') return words.bindsNobody
  const isUncollected = kind === 'invoice' && paymentMethod === 'cheque'
  return isUncollected ? `${words.subjectToCollection} ${words.signatureNote}` : words.signatureNote
}

function mentionOf({ tax }: DocumentSnapshot, words: ReceiptWords, locale: Locale): string | null {
  if (tax.kind === 'advance') return words.advanceMention
  return tax.kind === 'vat' ? null : tax.mention[locale]
}

function describeSeller(seller: SellerIdentity, words: ReceiptWords, locale: Locale) {
  const { phone, email, autoEntrepreneurCard: card, ...numbers } = seller
  const lines = [seller.legalForm[locale], seller.activity[locale], seller.address[locale], phone, email]
  const rows = rowsOfParty({ ...numbers, card }, words)
  return { label: words.seller, name: seller.name[locale], lines, rows }
}

function describeBuyer({ kind, buyer }: DocumentSnapshot, words: ReceiptWords) {
  const { name, email, userId, details } = buyer
  const label = words.buyer
  if (kind === 'receipt' || !details)
    return {
      ...{ label, isWhole: false, name: shorten(name ?? email ?? words.noName) },
      lines: name !== null && email !== null ? [shorten(email)] : [],
      rows: rowsOf([[words.userId, shorten(userId)]]),
    }
  // A currency in Arabic would order the groups of a number as its line runs.
  const capital = details.capital?.replace(/(?<=\d) (?=\d)/g, '\u00a0') ?? null
  return {
    // Nothing is shortened on an invoice.
    ...{ label, isWhole: true, name: details.name ?? '' },
    lines: [details.legal_form, details.address, details.phone, details.email].filter(
      (line) => line !== null,
    ),
    rows: rowsOfParty({ ...details, capital, card: null }, words),
  }
}

const PARTY_ROWS = ['capital', 'rc', 'card', 'nif', 'nis', 'ai'] as const

function rowsOfParty(
  party: Readonly<Record<(typeof PARTY_ROWS)[number], string | null>>,
  words: ReceiptWords,
) {
  return rowsOf(PARTY_ROWS.map((name) => [words[name], party[name]]))
}

function describeItem(snapshot: DocumentSnapshot, words: ReceiptWords, locale: Locale) {
  const { kind, tax, periodFrom, periodTo } = snapshot
  return {
    head: [
      ...[words.description, words.period, words.quantity],
      isUntaxed(tax) ? words.unitPrice : words.unitPriceNet,
    ],
    description: boughtInWords(snapshot, words, locale),
    period:
      kind === 'proforma' && periodFrom === null
        ? [{ label: words.periodOnPayment, value: '' }]
        : rowsOf([
            [words.periodFrom, periodFrom && dayInFigures(periodFrom)],
            [words.periodTo, periodTo && dayInFigures(periodTo)],
          ]),
    quantity: '1',
    price: dinarsInFigures(netPriceOf(snapshot).priceCentimes, locale),
  }
}

/** The name may be shortened, but never the term after it. */
export function boughtInWords(snapshot: DocumentSnapshot, words: ReceiptWords, locale: Locale): string {
  const { planName, months, change, tax } = snapshot
  if (planName === null || tax.kind === 'advance') return words.advance
  const fill = (sentence: string, data: Readonly<Record<string, string>>) =>
    splitAtData(sentence, data).join('')
  const plan = shorten(planName)
  if (change) return fill(words.changeOfPlan, { from: shorten(change.from), plan })
  if (months === null) return shorten(fill(words.subscription, { plan: planName }))
  if (months === 1) return shorten(fill(words.subscriptionTo, { plan: planName }))
  return fill(words.subscriptionForTerm, { term: termInWords(months, locale), plan })
}

const isUntaxed = ({ kind }: DocumentSnapshot['tax']) => kind === 'not_liable' || kind === 'advance'

function describeTotals(snapshot: DocumentSnapshot, words: ReceiptWords, locale: Locale) {
  const { tax, split, stampDutyCentimes } = snapshot
  const isLiable = !isUntaxed(tax)
  const hasDuty = stampDutyCentimes > 0
  const untaxed = { exempt: words.exempt, not_liable: words.notLiable, advance: words.untaxed }
  const sign = locale === 'en' ? '%' : '\u00a0%'
  const rate = tax.kind === 'vat' ? `${tax.ratePercent}${sign}` : `(${untaxed[tax.kind]})`
  const { creditCentimes, discountCentimes } = netPriceOf(snapshot)
  const surplus = snapshot.change?.surplus ?? 0
  const money = (centimes: number) => dinarsInFigures(centimes, locale)
  return rowsOf([
    [words.credit, snapshot.change ? money(creditCentimes) : null],
    [words.discount, discountCentimes > 0 ? money(discountCentimes) : null],
    [words.surplus, surplus > 0 ? money(surplus * 100) : null],
    [isLiable ? words.totalNet : words.total, money(split.netCentimes)],
    [`${words.vat} ${rate}`, money(split.taxCentimes)],
    [words.totalGross, isLiable && hasDuty ? money(split.totalCentimes) : null],
    [describeMethod(snapshot, words).stampDuty, money(stampDutyCentimes)],
    // The tax is not computed on the duty.
    [isLiable && !hasDuty ? words.totalPaidGross : words.totalPaid, money(totalOf(snapshot))],
  ])
}

/** The words of a receipt that depend on how it was paid, without the method's name. */
function describeMethod({ paymentMethod }: DocumentSnapshot, words: ReceiptWords) {
  const atCounter = (['cash', 'cheque'] as const).find((one) => one === paymentMethod) ?? 'page'
  const isTransfer = isTransferred(paymentMethod)
  const method = isTransfer ? 'transfer' : atCounter
  return {
    reference: words[`reference_${method}`],
    stampDuty: words[`stampDuty_${method}`],
    closing: words[`closing_${isTransfer ? paymentMethod : atCounter}`],
  }
}

/** The number that the payer finds on the provider's page or on their own slip. */
function transactionOf({ paymentMethod, checkoutId }: DocumentSnapshot): string | null {
  return checkoutId !== null && isTransferred(paymentMethod) ? formatReference(checkoutId) : checkoutId
}

function rowsOf(rows: readonly (readonly [string, string | null])[]) {
  return rows.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]))
}

// Names come from the platform's tokens. Eighty characters wrap to a few lines, so it stays one page.
const LONGEST_TEXT = 80

function shorten(text: string): string {
  const characters = Array.from(text)
  return characters.length <= LONGEST_TEXT ? text : `${characters.slice(0, LONGEST_TEXT - 1).join('')}…`
}

function dateParts(day: string) {
  const [year, month, date] = day.split('-').map(Number)
  return { year, month, day: date }
}

/** `200000` is "2 000,00 DA" in all three languages: a point or a comma could be read as another sum. */
function dinarsInFigures(centimes: number, locale: Locale): string {
  const dinars = String(Math.floor(centimes / 100)).replace(/\B(?=(\d{3})+$)/g, '\u00a0')
  return `${dinars},${String(centimes % 100).padStart(2, '0')}\u00a0${CATALOGS[locale].page.currency}`
}

/** `2026-11-21` is "21/11/2026". */
function dayInFigures(day: string): string {
  return day.split('-').reverse().join('/')
}
