// The data of an invoice or credit note for programs: a subset of UBL 2.1 (OASIS, ISO/IEC 19845), with
// elements in the order of its schemas. It is attached to the PDF that people read.
import { escapeHtml } from '@kitajs/html'
import { isTransferred } from '../core/account.js'
import type { Locale } from '../core/locale.js'
import { type DocumentSnapshot, type NamedDocument, netPriceOf, totalOf } from '../core/receipt.js'

/** `said` has the words of the page in its language. Its `notice` is null if money moved. */
export function invoiceXml(
  of: { readonly snapshot: DocumentSnapshot; readonly number: string; readonly isDuplicate?: boolean },
  said: Readonly<Record<'description' | 'credit' | 'discount' | 'surplus', string>> & {
    readonly notice: string | null
  },
  locale: Locale,
): string {
  const { snapshot, number, isDuplicate = false } = of
  const { about, poNumber, issuedOn, paidOn, paymentId, periodFrom, periodTo, seller, buyer } = snapshot
  const isCreditNote = snapshot.kind === 'credit_note'
  const total = money(totalOf(snapshot))
  const { priceCentimes, creditCentimes, discountCentimes } = netPriceOf(snapshot)
  const surplusCentimes = (snapshot.change?.surplus ?? 0) * 100
  const price = money(priceCentimes)
  const one = { text: '1', attributes: { unitCode: 'C62' } }
  return documentOf(isCreditNote ? 'CreditNote' : 'Invoice', {
    UBLVersionID: '2.1',
    ID: number,
    CopyIndicator: String(isDuplicate),
    IssueDate: issuedOn,
    ...(isCreditNote ? { CreditNoteTypeCode: '381' } : { InvoiceTypeCode: '380' }),
    Note: said.notice,
    DocumentCurrencyCode: 'DZD',
    InvoicePeriod: periodFrom && periodTo ? { StartDate: periodFrom, EndDate: periodTo } : null,
    OrderReference: { ID: poNumber },
    BillingReference: about && reference(about),
    AccountingSupplierParty: party({
      ...seller,
      name: seller.name[locale],
      legal_form: seller.legalForm[locale],
      address: seller.address[locale],
      card: seller.autoEntrepreneurCard,
    }),
    AccountingCustomerParty: party(buyer.details ?? { name: buyer.userId }),
    PaymentMeans: { PaymentMeansCode: meansCode(snapshot.paymentMethod), PaymentID: paymentId },
    PrepaidPayment: isCreditNote ? null : { ID: paymentId, PaidAmount: total, PaidDate: paidOn },
    AllowanceCharge: [
      allowance(false, said.credit, creditCentimes),
      allowance(false, said.discount, discountCentimes),
      allowance(true, said.surplus, surplusCentimes),
    ],
    TaxTotal: [vat(snapshot, surplusCentimes, locale), stampDuty(snapshot)],
    LegalMonetaryTotal: {
      LineExtensionAmount: price,
      TaxExclusiveAmount: money(snapshot.split.netCentimes),
      TaxInclusiveAmount: total,
      AllowanceTotalAmount: money(creditCentimes + discountCentimes),
      ChargeTotalAmount: money(surplusCentimes),
      PrepaidAmount: isCreditNote ? null : total,
      // An invoice shows a payment that was made, so nothing is left to pay.
      PayableAmount: isCreditNote ? total : money(0),
    },
    [isCreditNote ? 'CreditNoteLine' : 'InvoiceLine']: {
      ID: '1',
      ...(isCreditNote ? { CreditedQuantity: one } : { InvoicedQuantity: one }),
      LineExtensionAmount: price,
      Item: { Name: said.description },
      Price: { PriceAmount: price },
    },
  })
}

function reference({ kind, number, issuedOn }: NamedDocument): Elements {
  const names = {
    invoice: 'InvoiceDocumentReference',
    credit_note: 'CreditNoteDocumentReference',
    receipt: 'AdditionalDocumentReference',
  }
  return { [names[kind]]: { ID: number, IssueDate: issuedOn } }
}

type PartyText = 'name' | 'legal_form' | 'address' | 'phone' | 'email' | 'rc' | 'card' | 'nif' | 'nis' | 'ai'

function party(of: Readonly<Partial<Record<PartyText, string | null>>>): Elements {
  const numbers = { RC: of.rc, 'carte auto-entrepreneur': of.card, NIF: of.nif, NIS: of.nis, AI: of.ai }
  return {
    Party: {
      PartyIdentification: Object.entries(numbers).map(([schemeID, text]) => ({
        ID: text && { text, attributes: { schemeID } },
      })),
      PartyName: { Name: of.name },
      PostalAddress: { AddressLine: { Line: of.address } },
      PartyLegalEntity: { RegistrationName: of.name, CompanyID: of.rc, CompanyLegalForm: of.legal_form },
      Contact: { Telephone: of.phone, ElectronicMail: of.email },
    },
  }
}

/** UN/ECE 4461. */
function meansCode(method: string | null): string {
  if (isTransferred(method)) return '30'
  const known: Readonly<Record<string, string>> = { cash: '10', cheque: '20', cib: '48', edahabia: '48' }
  return known[method ?? ''] ?? '1'
}

function allowance(isCharge: boolean, reason: string, centimes: number): Elements | null {
  if (centimes === 0) return null
  return { ChargeIndicator: String(isCharge), AllowanceChargeReason: reason, Amount: money(centimes) }
}

/** UN/ECE 5305: S for a rate, E for exempt, O for outside of the tax. */
function vat({ tax, split }: DocumentSnapshot, surplusCentimes: number, locale: Locale): Elements {
  const codes = { vat: 'S', exempt: 'E', not_liable: 'O', advance: 'O' }
  const share = (taxable: number, of: number, category: Elements) => ({
    TaxableAmount: money(taxable),
    TaxAmount: money(of),
    TaxCategory: { ...category, TaxScheme: { ID: 'VAT', Name: 'TVA' } },
  })
  const category = {
    ID: codes[tax.kind],
    ...(tax.kind === 'vat' && { Percent: String(tax.ratePercent) }),
    ...('mention' in tax && { TaxExemptionReason: tax.mention[locale] }),
  }
  return {
    TaxAmount: money(split.taxCentimes),
    TaxSubtotal: [
      share(split.netCentimes - surplusCentimes, split.taxCentimes, category),
      surplusCentimes === 0 ? null : share(surplusCentimes, 0, { ID: 'O' }),
    ],
  }
}

function stampDuty({ split, stampDutyCentimes }: DocumentSnapshot): Elements | null {
  if (stampDutyCentimes === 0) return null
  return {
    TaxAmount: money(stampDutyCentimes),
    TaxSubtotal: {
      TaxableAmount: money(split.totalCentimes),
      TaxAmount: money(stampDutyCentimes),
      TaxCategory: { TaxScheme: { ID: 'TIMBRE', Name: 'Droit de timbre' } },
    },
  }
}

const money = (centimes: number) => ({
  text: (centimes / 100).toFixed(2),
  attributes: { currencyID: 'DZD' },
})

/** Elements by name: a text is a basic component of UBL, an object an aggregate one, a list one of each. */
interface Elements {
  readonly [name: string]: Content | readonly Content[]
}
type Content = string | TextWith | Elements | null | undefined
interface TextWith {
  readonly text: string
  readonly attributes: Readonly<Record<string, string>>
}

function documentOf(name: string, content: Elements): string {
  const schema = 'urn:oasis:names:specification:ubl:schema:xsd'
  const spaces = [
    `xmlns="${schema}:${name}-2"`,
    `xmlns:cac="${schema}:CommonAggregateComponents-2"`,
    `xmlns:cbc="${schema}:CommonBasicComponents-2"`,
  ]
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', `<${name} ${spaces.join(' ')}>`, ...inXml(content)]
  return `${lines.join('\n')}\n</${name}>\n`
}

function inXml(elements: Elements): readonly string[] {
  return Object.entries(elements).flatMap(([name, content]) =>
    [content].flat().flatMap((one) => {
      if (!one) return []
      if (typeof one === 'string') return basic(name, { text: one, attributes: {} })
      if (isTextWith(one)) return basic(name, one)
      const inner = inXml(one).join('')
      return inner === '' ? [] : `<cac:${name}>${inner}</cac:${name}>`
    }),
  )
}

const isTextWith = (content: TextWith | Elements): content is TextWith => typeof content.text === 'string'

function basic(name: string, { text, attributes }: TextWith): string {
  const said = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  return `<cbc:${name}${said.join('')}>${escaped(text)}</cbc:${name}>`
}

/** Characters that XML 1.0 does not allow. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const escaped = (text: string) => escapeHtml(text.replace(FORBIDDEN, '\ufffd')).replaceAll('>', '&gt;')
