// The calls of users about documents: PDFs of a payment, its invoice, and the table of a year.

import { type Static, Type } from 'typebox'
import { type SentFile, type UserRequest, userCall } from '../acts/user-call.js'
import type { Locale } from '../core/locale.js'
import { locale, nullable, object, query } from '../http/schemas.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import type { StoredDocument } from '../ledger/documents.sql.js'
import { fileOfYear } from './documents-of-year.js'
import { askForInvoice, documentsOfUser } from './invoices.js'
import { askForReceipt, type ReceiptDeps } from './receipt.js'

export const LangSchema = query({ lang: Type.Optional(locale) })
export type PdfWish = Static<typeof LangSchema>

export const PRINT_REFUSALS = ['not_found', 'validation_failed', 'busy', 'receipts_unavailable'] as const

export const LANGUAGE =
  'The language is `lang`, else that of the token or of the profile that the platform has set, else ' +
  '`Accept-Language`, else Arabic.'

export async function wishedLocale(request: UserRequest<PdfWish>): Promise<Locale> {
  return request.input.lang ?? request.locale()
}

const PRINTED = {
  description: `One page of PDF. ${LANGUAGE}`,
  method: 'GET',
  withoutHead: true,
  input: LangSchema,
  refuses: [...PRINT_REFUSALS, 'payment_not_paid'],
} as const

export const receipt = userCall<ReceiptDeps>()({
  ...PRINTED,
  name: 'receipt',
  operationId: 'getReceipt',
  summary: 'The receipt of a payment',
  path: '/payments/:payment_id/receipt',
  answer: { file: 'application/pdf', description: 'The receipt' },
  run: async (deps, request) => printFor(deps, request),
})

export const document = userCall<ReceiptDeps>()({
  ...PRINTED,
  name: 'document',
  operationId: 'getDocument',
  summary: 'A document of a payment',
  path: '/payments/:payment_id/documents/:number',
  params: { number: Type.String({ maxLength: 50 }) },
  answer: { file: 'application/pdf', description: 'The document' },
  run: async (deps, request) => printFor(deps, request, request.params.number),
})

async function printFor(
  deps: ReceiptDeps,
  request: UserRequest<PdfWish, 'payment_id'>,
  number?: string,
): Promise<SentFile> {
  const { user, params } = request
  const wish = { userId: user.userId, paymentId: params.payment_id, number }
  return askForReceipt(deps, { ...wish, locale: await wishedLocale(request) })
}

/** For pages, whose routes leave out HEAD: it would use up the original without showing it. */
export const WITHOUT_HEAD = { exposeHeadRoute: false }

export const DocumentSchema = object('Document', {
  kind: Type.Enum(['receipt', 'invoice', 'credit_note'], { examples: ['invoice'] }),
  number: Type.String({ examples: ['F-2026-000042'] }),
  issued_on: Type.String({ description: '`YYYY-MM-DD`, in the billing time zone' }),
  about: nullable(Type.String(), {
    description: 'The number of the document that it replaces, or takes back',
  }),
  po_number: nullable(Type.String(), { description: 'The number of the buyer’s own purchase order' }),
})
export type DocumentView = Static<typeof DocumentSchema>

export function viewDocument({ kind, number, issuedOn, snapshot }: StoredDocument): DocumentView {
  const { about, poNumber } = snapshot
  return { kind, number, issued_on: issuedOn, about: about?.number ?? null, po_number: poNumber ?? null }
}

export const invoice = userCall<ChangeDeps>()({
  name: 'invoice',
  operationId: 'askForInvoice',
  summary: 'The invoice of a payment, which is issued if there is none',
  description:
    'For a person; a company gets one without asking. It shows the buyer’s details, which must be ' +
    'complete (409 `buyer_incomplete`), and names the receipt that it replaces. A repeated call returns ' +
    'the same invoice.',
  method: 'POST',
  path: '/payments/:payment_id/invoice',
  answer: DocumentSchema,
  refuses: ['not_found', 'payment_not_paid', 'already_refunded', 'conflict', 'buyer_incomplete', 'forbidden'],
  run: async (deps, { user: { userId }, params: { payment_id: paymentId } }) =>
    viewDocument(await askForInvoice(deps, { userId, paymentId })),
})

export const documentsOf = userCall<ChangeDeps>()({
  name: 'documentsOf',
  operationId: 'listDocumentsOfPayment',
  summary: 'The documents of a payment, in the order in which they were issued',
  description:
    'The receipt, or the invoice in its place; then invoices and credit notes. None before it is paid.',
  method: 'GET',
  path: '/payments/:payment_id/documents',
  answer: object('DocumentsOfPayment', { documents: Type.Array(DocumentSchema) }),
  list: 'documents',
  refuses: ['not_found'],
  run: async (deps, { user: { userId }, params: { payment_id: paymentId } }) => {
    const { documents } = await documentsOfUser(deps, { userId, paymentId })
    return { documents: documents.map(viewDocument) }
  },
})

const DocumentsQuerySchema = query({
  year: Type.Integer({ minimum: 2000, maximum: 9999, description: 'The year of issue' }),
  lang: Type.Optional(locale),
})
export type DocumentsWish = Static<typeof DocumentsQuerySchema>

export const documentsOfYear = userCall<ReceiptDeps>()({
  name: 'documents',
  operationId: 'getDocuments',
  summary: 'The receipts of a year',
  description: `CSV in UTF-8 with amounts in dinars, of the last 600 where there are more. ${LANGUAGE}`,
  method: 'GET',
  path: '/documents',
  input: DocumentsQuerySchema,
  answer: { file: 'text/csv', description: 'The receipts' },
  refuses: ['not_found', 'validation_failed'],
  run: async (deps, request) => {
    const { user, input } = request
    return fileOfYear(deps, { userId: user.userId, year: input.year, locale: await wishedLocale(request) })
  },
})
