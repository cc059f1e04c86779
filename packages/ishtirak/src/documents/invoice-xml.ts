// The data of an invoice or credit note for programs: a subset of UBL 2.1 (OASIS, ISO/IEC 19845), with
// elements in the order of its schemas. It is attached to the PDF that people read.
import { escapeHtml } from '@kitajs/html'
import { isTransferred } from '../core/account.js'
import type { Locale } from '../core/locale.js'
import { type DocumentSnapshot, type NamedDocument, netPriceOf, totalOf } from '../core/receipt.js'

/** The sentences that the page has in its language. */
interface SaidOnPage {
  readonly number: string
  readonly isDuplicate: boolean
  readonly description: string
  readonly credit: string
  readonly discount: string
  readonly surplus: string
  /** The notice that no money moved; null: money moved. */
  readonly notice: string | null
}

export function invoiceXml(snapshot: DocumentSnapshot, page: SaidOnPage, locale: Locale): string {
  const { about, poNumber, issuedOn, paidOn, paymentId } = snapshot
  const isCreditNote = snapshot.kind === 'credit_note'
  const total = money(totalOf(snapshot))
  const { priceCentimes, creditCentimes, discountCentimes } = netPriceOf(snapshot)
  const surplusCentimes = (snapshot.change?.surplus ?? 0) * 100
  return `<?xml version="1.0" encoding="UTF-8"?>\n${document(isCreditNote ? 'CreditNote' : 'Invoice', [
    basic('UBLVersionID', '2.1'),
    basic('ID', page.number),
    basic('CopyIndicator', String(page.isDuplicate)),
    basic('IssueDate', issuedOn),
    isCreditNote ? basic('CreditNoteTypeCode', '381') : basic('InvoiceTypeCode', '380'),
    basic('Note', page.notice),
    basic('DocumentCurrencyCode', 'DZD'),
    period(snapshot),
    poNumber === undefined ? '' : group('OrderReference', basic('ID', poNumber)),
    about ? group('BillingReference', reference(about)) : '',
    group('AccountingSupplierParty', seller(snapshot, locale)),
    group('AccountingCustomerParty', buyer(snapshot)),
    group(
      'PaymentMeans',
      basic('PaymentMeansCode', meansCode(snapshot.paymentMethod)),
      basic('PaymentID', paymentId),
    ),
    isCreditNote
      ? ''
      : group(
          'PrepaidPayment',
          basic('ID', paymentId),
          amount('PaidAmount', total),
          basic('PaidDate', paidOn),
        ),
    allowance(false, page.credit, creditCentimes),
    allowance(false, page.discount, discountCentimes),
    allowance(true, page.surplus, surplusCentimes),
    vat(snapshot, surplusCentimes, locale),
    stampDuty(snapshot),
    group(
      'LegalMonetaryTotal',
      amount('LineExtensionAmount', money(priceCentimes)),
      amount('TaxExclusiveAmount', money(snapshot.split.netCentimes)),
      amount('TaxInclusiveAmount', total),
      amount('AllowanceTotalAmount', money(creditCentimes + discountCentimes)),
      amount('ChargeTotalAmount', money(surplusCentimes)),
      isCreditNote ? '' : amount('PrepaidAmount', total),
      // An invoice shows a payment that was made, so nothing is left to pay.
      amount('PayableAmount', isCreditNote ? total : money(0)),
    ),
    group(
      isCreditNote ? 'CreditNoteLine' : 'InvoiceLine',
      basic('ID', '1'),
      basic(isCreditNote ? 'CreditedQuantity' : 'InvoicedQuantity', '1', { unitCode: 'C62' }),
      amount('LineExtensionAmount', money(priceCentimes)),
      group('Item', basic('Name', page.description)),
      group('Price', amount('PriceAmount', money(priceCentimes))),
    ),
  ])}`
}

function period({ periodFrom, periodTo }: DocumentSnapshot): string {
  if (periodFrom === null || periodTo === null) return ''
  return group('InvoicePeriod', basic('StartDate', periodFrom), basic('EndDate', periodTo))
}

function reference({ kind, number, issuedOn }: NamedDocument): string {
  const names = {
    invoice: 'InvoiceDocumentReference',
    credit_note: 'CreditNoteDocumentReference',
    receipt: 'AdditionalDocumentReference',
  }
  return group(names[kind], basic('ID', number), basic('IssueDate', issuedOn))
}

function seller({ seller: one }: DocumentSnapshot, locale: Locale): string {
  return party({
    ...one,
    name: one.name[locale],
    legalForm: one.legalForm[locale],
    address: one.address[locale],
    card: one.autoEntrepreneurCard,
  })
}

function buyer({ buyer: { details } }: DocumentSnapshot): string {
  return party({ ...NOTHING, ...details })
}

const NOTHING = {
  ...{ name: null, legalForm: null, address: null, phone: null, email: null },
  ...{ rc: null, card: null, nif: null, nis: null, ai: null },
}

function party(of: Readonly<Record<keyof typeof NOTHING, string | null>>): string {
  const numbers = { RC: of.rc, 'carte auto-entrepreneur': of.card, NIF: of.nif, NIS: of.nis, AI: of.ai }
  return group(
    'Party',
    ...Object.entries(numbers).map(([schemeID, value]) =>
      group('PartyIdentification', basic('ID', value, { schemeID })),
    ),
    group('PartyName', basic('Name', of.name)),
    group('PostalAddress', group('AddressLine', basic('Line', of.address))),
    group(
      'PartyLegalEntity',
      basic('RegistrationName', of.name),
      basic('CompanyID', of.rc),
      basic('CompanyLegalForm', of.legalForm),
    ),
    group('Contact', basic('Telephone', of.phone), basic('ElectronicMail', of.email)),
  )
}

/** UN/ECE 4461. */
function meansCode(method: string | null): string {
  if (isTransferred(method)) return '30'
  const known: Readonly<Record<string, string>> = { cash: '10', cheque: '20', cib: '48', edahabia: '48' }
  return known[method ?? ''] ?? '1'
}

/** A discount or an untaxed charge. */
function allowance(isCharge: boolean, reason: string, centimes: number): string {
  if (centimes === 0) return ''
  return group(
    'AllowanceCharge',
    basic('ChargeIndicator', String(isCharge)),
    basic('AllowanceChargeReason', reason),
    amount('Amount', money(centimes)),
  )
}

/** UN/ECE 5305: S for a rate, E for exempt, O for outside of the tax. */
function vat({ tax, split }: DocumentSnapshot, surplusCentimes: number, locale: Locale): string {
  const codes = { vat: 'S', exempt: 'E', not_liable: 'O', advance: 'O' }
  const reason = 'mention' in tax ? tax.mention[locale] : null
  const share = (taxable: number, of: number, category: string) =>
    group(
      'TaxSubtotal',
      amount('TaxableAmount', money(taxable)),
      amount('TaxAmount', money(of)),
      group('TaxCategory', category, group('TaxScheme', basic('ID', 'VAT'), basic('Name', 'TVA'))),
    )
  const rate = tax.kind === 'vat' ? String(tax.ratePercent) : null
  const category = [
    basic('ID', codes[tax.kind]),
    basic('Percent', rate),
    basic('TaxExemptionReason', reason),
  ].join('')
  return group(
    'TaxTotal',
    amount('TaxAmount', money(split.taxCentimes)),
    share(split.netCentimes - surplusCentimes, split.taxCentimes, category),
    surplusCentimes === 0 ? '' : share(surplusCentimes, 0, basic('ID', 'O')),
  )
}

function stampDuty({ split, stampDutyCentimes }: DocumentSnapshot): string {
  if (stampDutyCentimes === 0) return ''
  const scheme = group('TaxScheme', basic('ID', 'TIMBRE'), basic('Name', 'Droit de timbre'))
  return group(
    'TaxTotal',
    amount('TaxAmount', money(stampDutyCentimes)),
    group(
      'TaxSubtotal',
      amount('TaxableAmount', money(split.totalCentimes)),
      amount('TaxAmount', money(stampDutyCentimes)),
      group('TaxCategory', scheme),
    ),
  )
}

const money = (centimes: number) => (centimes / 100).toFixed(2)
const amount = (name: string, value: string) => basic(name, value, { currencyID: 'DZD' })

/** Characters that XML 1.0 does not allow. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const escaped = (text: string) => escapeHtml(text.replace(FORBIDDEN, '\ufffd')).replaceAll('>', '&gt;')

/** Null values are left out, and so are empty groups. */
function basic(name: string, value: string | null, attributes: Readonly<Record<string, string>> = {}) {
  if (value === null) return ''
  const said = Object.entries(attributes).map(([key, of]) => ` ${key}="${escaped(of)}"`)
  return `<cbc:${name}${said.join('')}>${escaped(value)}</cbc:${name}>`
}

function group(name: string, ...children: readonly string[]): string {
  const content = children.join('')
  return content === '' ? '' : `<cac:${name}>${content}</cac:${name}>`
}

function document(name: string, children: readonly string[]): string {
  const schema = 'urn:oasis:names:specification:ubl:schema:xsd'
  const spaces = [
    `xmlns="${schema}:${name}-2"`,
    `xmlns:cac="${schema}:CommonAggregateComponents-2"`,
    `xmlns:cbc="${schema}:CommonBasicComponents-2"`,
  ]
  return `<${name} ${spaces.join(' ')}>\n${children.filter((child) => child !== '').join('\n')}\n</${name}>\n`
}
