// POST …/payments/{payment_id}/invoice asks for an invoice; GET …/payments/{payment_id}/documents lists what
// was issued for a payment, and the address of each gives it as PDF.
import { type Static, Type } from 'typebox'
import { idOf } from '../http/auth.js'
import { object } from '../http/schemas.js'
import type { StoredDocument } from '../ledger/documents.sql.js'
import { forBothCallers } from '../ledger/user-routes.js'
import type { ReceiptCalls } from './calls.js'
import { askForInvoice, type InvoiceDeps, listDocuments } from './invoices.js'
import { askForReceipt } from './receipt.js'
import {
  LANGUAGE,
  PRINTS,
  pdfRoute,
  type ReceiptRoutesDeps,
  sendReceipt,
  wishedLocale,
} from './receipt.route.js'

export type InvoiceRoutesDeps = InvoiceDeps & ReceiptRoutesDeps

export const DocumentSchema = object('Document', {
  kind: Type.Enum(['receipt', 'invoice', 'credit_note']),
  number: Type.String({ examples: ['F-2026-000042'] }),
  issued_on: Type.String({ description: '`YYYY-MM-DD`, in the billing time zone' }),
  about: Type.Union([Type.String(), Type.Null()], {
    description: 'The number of the document that it replaces, or takes back',
  }),
  po_number: Type.Union([Type.String(), Type.Null()], { description: 'Of the buyer’s own order' }),
})

const DocumentsSchema = object('DocumentsOfPayment', { documents: Type.Array(DocumentSchema) })

export function viewDocument({
  kind,
  number,
  issuedOn,
  snapshot,
}: StoredDocument): Static<typeof DocumentSchema> {
  const { about, poNumber } = snapshot
  return { kind, number, issued_on: issuedOn, about: about?.number ?? null, po_number: poNumber ?? null }
}

export function invoiceRoutes(deps: InvoiceRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const params = callers.params({ payment_id: Type.String() })
    const asks = {
      ...callers.personal('askForInvoice'),
      summary: 'The invoice of a payment: it is issued where there is none',
      description:
        'For a person; a company has one without asking. It names the buyer’s details, which must be whole ' +
        '(409 `buyer_incomplete`), and the receipt that it replaces. Asked again it is the same invoice.',
      params,
      response: {
        200: DocumentSchema,
        ...callers.refusals(
          'not_found',
          'payment_not_paid',
          'already_refunded',
          'conflict',
          'buyer_incomplete',
          'forbidden',
        ),
      },
    }
    app.post(`${path}/payments/:payment_id/invoice`, { schema: asks, onRequest }, async (request) => {
      const { userId } = callers.callOf(request).user
      return viewDocument(await askForInvoice(deps, { userId, paymentId: request.params.payment_id }))
    })
    const lists = {
      ...callers.operation('listDocumentsOfPayment'),
      summary: 'The documents of a payment, in the order in which they were issued',
      description:
        'The receipt, or the invoice in its place; then invoices and credit notes. None before it is paid.',
      params,
      response: { 200: DocumentsSchema, ...callers.refusals('not_found') },
    }
    app.get(`${path}/payments/:payment_id/documents`, { schema: lists, onRequest }, async (request) => {
      const { userId } = callers.callOf(request).user
      const documents = await listDocuments(deps, { userId, paymentId: request.params.payment_id })
      return { documents: documents.map(viewDocument) }
    })
    const gives = {
      ...callers.operation('getDocument'),
      ...pdfRoute(callers, 'The document', 'payment_not_paid'),
      summary: 'A document of a payment',
      description: `One page of PDF. ${LANGUAGE}`,
      params: callers.params({ payment_id: Type.String(), number: Type.String({ maxLength: 50 }) }),
    }
    const address = `${path}/payments/:payment_id/documents/:number`
    app.get(address, { ...PRINTS, schema: gives, onRequest }, async (request, reply) => {
      const { userId } = callers.callOf(request).user
      const { payment_id: paymentId, number } = request.params
      const locale = request.query.lang ?? (await callers.localeOf(request))
      return sendReceipt(reply, await askForReceipt(deps, { userId, paymentId, number, locale }))
    })
  })
}

type InvoiceCalls = Pick<ReceiptCalls, 'invoice' | 'documentsOf' | 'document'>

export const invoiceCalls = (deps: InvoiceRoutesDeps): InvoiceCalls => ({
  invoice: async (given, paymentId) =>
    viewDocument(await askForInvoice(deps, { userId: idOf(given), paymentId })),
  documentsOf: async (given, paymentId) => {
    return (await listDocuments(deps, { userId: idOf(given), paymentId })).map(viewDocument)
  },
  document: async (given, paymentId, number, asked) => {
    const userId = idOf(given)
    const locale = await wishedLocale(deps, userId, asked)
    return (await askForReceipt(deps, { userId, paymentId, number, locale })).pdf
  },
})
