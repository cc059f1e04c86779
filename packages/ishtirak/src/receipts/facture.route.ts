// POST …/payments/{payment_id}/facture asks for a facture; GET …/payments/{payment_id}/papers lists what was
// issued for a payment, and the address of each gives it as PDF.
import { type Static, Type } from 'typebox'
import { idOf } from '../http/auth.js'
import { object } from '../http/schemas.js'
import type { StoredPaper } from '../ledger/papers.sql.js'
import { forBothCallers } from '../ledger/user-routes.js'
import type { ReceiptCalls } from './calls.js'
import { askForFacture, type FactureDeps, listPapers } from './factures.js'
import { askForReceipt } from './receipt.js'
import {
  LANGUAGE,
  PRINTS,
  pdfRoute,
  type ReceiptRoutesDeps,
  sendReceipt,
  wishedLocale,
} from './receipt.route.js'

export type FactureRoutesDeps = FactureDeps & ReceiptRoutesDeps

export const PaperSchema = object('Paper', {
  kind: Type.Enum(['receipt', 'facture', 'avoir']),
  number: Type.String({ examples: ['F-2026-000042'] }),
  issued_on: Type.String({ description: '`YYYY-MM-DD`, in the billing time zone' }),
  about: Type.Union([Type.String(), Type.Null()], {
    description: 'The number of the paper that it replaces, or takes back',
  }),
  po_number: Type.Union([Type.String(), Type.Null()], { description: 'Of the buyer’s own order' }),
})

const PapersSchema = object('PapersOfPayment', { papers: Type.Array(PaperSchema) })

export function viewPaper({ kind, number, issuedOn, snapshot }: StoredPaper): Static<typeof PaperSchema> {
  const { about, poNumber } = snapshot
  return { kind, number, issued_on: issuedOn, about: about?.number ?? null, po_number: poNumber ?? null }
}

export function factureRoutes(deps: FactureRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const params = callers.params({ payment_id: Type.String() })
    const asks = {
      ...callers.personal('askForFacture'),
      summary: 'The facture of a payment: it is issued where there is none',
      description:
        'For a person; a company has one without asking. It names the buyer’s details, which must be whole ' +
        '(409 `buyer_incomplete`), and the receipt that it replaces. Asked again it is the same facture.',
      params,
      response: {
        200: PaperSchema,
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
    app.post(`${path}/payments/:payment_id/facture`, { schema: asks, onRequest }, async (request) => {
      const { userId } = callers.callOf(request).user
      return viewPaper(await askForFacture(deps, { userId, paymentId: request.params.payment_id }))
    })
    const lists = {
      ...callers.operation('listPapersOfPayment'),
      summary: 'The papers of a payment, in the order in which they were issued',
      description:
        'The receipt, or the facture in its place; then factures and avoirs. None before it is paid.',
      params,
      response: { 200: PapersSchema, ...callers.refusals('not_found') },
    }
    app.get(`${path}/payments/:payment_id/papers`, { schema: lists, onRequest }, async (request) => {
      const { userId } = callers.callOf(request).user
      const papers = await listPapers(deps, { userId, paymentId: request.params.payment_id })
      return { papers: papers.map(viewPaper) }
    })
    const gives = {
      ...callers.operation('getPaper'),
      ...pdfRoute(callers, 'The paper', 'payment_not_paid'),
      summary: 'A paper of a payment',
      description: `One page of PDF. ${LANGUAGE}`,
      params: callers.params({ payment_id: Type.String(), number: Type.String({ maxLength: 50 }) }),
    }
    const address = `${path}/payments/:payment_id/papers/:number`
    app.get(address, { ...PRINTS, schema: gives, onRequest }, async (request, reply) => {
      const { userId } = callers.callOf(request).user
      const { payment_id: paymentId, number } = request.params
      const locale = request.query.lang ?? (await callers.localeOf(request))
      return sendReceipt(reply, await askForReceipt(deps, { userId, paymentId, number, locale }))
    })
  })
}

type FactureCalls = Pick<ReceiptCalls, 'facture' | 'papersOf' | 'paper'>

export const factureCalls = (deps: FactureRoutesDeps): FactureCalls => ({
  facture: async (given, paymentId) =>
    viewPaper(await askForFacture(deps, { userId: idOf(given), paymentId })),
  papersOf: async (given, paymentId) => {
    return (await listPapers(deps, { userId: idOf(given), paymentId })).map(viewPaper)
  },
  paper: async (given, paymentId, number, asked) => {
    const userId = idOf(given)
    const locale = await wishedLocale(deps, userId, asked)
    return (await askForReceipt(deps, { userId, paymentId, number, locale })).pdf
  },
})
