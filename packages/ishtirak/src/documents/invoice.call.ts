// The calls about a payment's documents: one asks for an invoice, one lists the documents, one returns one of
// them as PDF.
import { type Static, Type } from 'typebox'
import { userCall } from '../acts/user-call.js'
import { object } from '../http/schemas.js'
import type { StoredDocument } from '../ledger/documents.sql.js'
import { askForInvoice, type InvoiceDeps, listDocuments } from './invoices.js'
import { fileOf, LANGUAGE, LangSchema, PRINT_REFUSALS, wishedLocale } from './receipt.call.js'
import { askForReceipt, type ReceiptDeps } from './receipt.js'

export const DocumentSchema = object('Document', {
  kind: Type.Enum(['receipt', 'invoice', 'credit_note'], { examples: ['invoice'] }),
  number: Type.String({ examples: ['F-2026-000042'] }),
  issued_on: Type.String({ description: '`YYYY-MM-DD`, in the billing time zone' }),
  about: Type.Union([Type.String(), Type.Null()], {
    description: 'The number of the document that it replaces, or takes back',
  }),
  po_number: Type.Union([Type.String(), Type.Null()], {
    description: 'The number of the buyer’s own purchase order',
  }),
})
export type DocumentView = Static<typeof DocumentSchema>

const DocumentsSchema = object('DocumentsOfPayment', { documents: Type.Array(DocumentSchema) })

export function viewDocument({ kind, number, issuedOn, snapshot }: StoredDocument): DocumentView {
  const { about, poNumber } = snapshot
  return { kind, number, issued_on: issuedOn, about: about?.number ?? null, po_number: poNumber ?? null }
}

export const invoice = userCall<InvoiceDeps>()({
  name: 'invoice',
  operationId: 'askForInvoice',
  summary: 'The invoice of a payment: it is issued where there is none',
  description:
    'For a person; a company has one without asking. It names the buyer’s details, which must be whole ' +
    '(409 `buyer_incomplete`), and the receipt that it replaces. Asked again it is the same invoice.',
  method: 'POST',
  path: '/payments/:payment_id/invoice',
  answer: DocumentSchema,
  refuses: ['not_found', 'payment_not_paid', 'already_refunded', 'conflict', 'buyer_incomplete', 'forbidden'],
  run: async (deps, { user: { userId }, params: { payment_id: paymentId } }) =>
    viewDocument(await askForInvoice(deps, { userId, paymentId })),
})

export const documentsOf = userCall<InvoiceDeps>()({
  name: 'documentsOf',
  operationId: 'listDocumentsOfPayment',
  summary: 'The documents of a payment, in the order in which they were issued',
  description:
    'The receipt, or the invoice in its place; then invoices and credit notes. None before it is paid.',
  method: 'GET',
  path: '/payments/:payment_id/documents',
  answer: DocumentsSchema,
  list: 'documents',
  refuses: ['not_found'],
  run: async (deps, { user: { userId }, params: { payment_id: paymentId } }) => {
    return { documents: (await listDocuments(deps, { userId, paymentId })).map(viewDocument) }
  },
})

export const document = userCall<ReceiptDeps>()({
  name: 'document',
  operationId: 'getDocument',
  summary: 'A document of a payment',
  description: `One page of PDF. ${LANGUAGE}`,
  method: 'GET',
  path: '/payments/:payment_id/documents/:number',
  withoutHead: true,
  params: { number: Type.String({ maxLength: 50 }) },
  input: LangSchema,
  answer: { file: 'application/pdf', description: 'The document' },
  refuses: [...PRINT_REFUSALS, 'payment_not_paid'],
  run: async (deps, request) => {
    const { payment_id: paymentId, number } = request.params
    const wish = { userId: request.user.userId, paymentId, number, locale: await wishedLocale(request) }
    return fileOf(await askForReceipt(deps, wish))
  },
})
