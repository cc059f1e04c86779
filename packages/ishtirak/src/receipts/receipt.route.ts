// GET …/payments/{payment_id}/receipt: the receipt as PDF, for its owner, in the language asked for.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { App } from '../http/app.js'
import type { UserIdentity } from '../http/auth.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { preferredLocale } from '../http/request.js'
import { locale, query } from '../http/schemas.js'
import { BILLING_API, USER_ROUTE } from '../ledger/schemas.js'
import { askForReceipt, type PrintedReceipt, type ReceiptDeps } from './receipt.js'

export type ReceiptRoutesDeps = ReceiptDeps & Pick<CallerChecks, 'identify'>

/** What the routes to a PDF have in common: it is its user's, in the language asked for. */
export const PDF_ROUTE = { ...USER_ROUTE, querystring: query({ lang: Type.Optional(locale) }) }
const PDF = { 'application/pdf': { schema: Type.String({ format: 'binary' }) } }
const REFUSALS = [
  ...(['unauthenticated', 'not_found', 'validation_failed', 'rate_limited'] as const),
  ...(['busy', 'receipts_unavailable', 'database_unavailable'] as const),
]

export function pdfOrRefused(description: string, ...refusals: readonly ErrorCode[]) {
  return { 200: { description, content: PDF }, ...problemResponses(...REFUSALS, ...refusals) }
}

export function receiptRoutes(deps: ReceiptRoutesDeps) {
  return async (app: App): Promise<void> => {
    const schema = {
      ...PDF_ROUTE,
      operationId: 'getReceipt',
      summary: 'The receipt of a payment',
      description:
        'One page of PDF. The language is `lang`, else that of the token, else `Accept-Language`, ' +
        'else Arabic.',
      params: Type.Object({ payment_id: Type.String() }),
      response: pdfOrRefused('The receipt', 'payment_not_paid'),
    }
    const users = callersBy(deps.identify)
    const { onRequest } = users
    app.get(`${BILLING_API}/payments/:payment_id/receipt`, { schema, onRequest }, async (request, reply) => {
      const user = users.of(request)
      const { payment_id: paymentId } = request.params
      const of = { userId: user.userId, paymentId, locale: languageOf(request, user) }
      return sendReceipt(reply, await askForReceipt(deps, of))
    })
  }
}

/** Receipts are in Arabic by default. */
export function languageOf(
  { query, headers }: { readonly query: { readonly lang?: Locale }; readonly headers: IncomingHttpHeaders },
  user: UserIdentity,
): Locale {
  return query.lang ?? user.locale ?? preferredLocale(headers['accept-language'], 'ar')
}

/** Shown in the browser, with a name for saving it. */
export function sendReceipt(reply: FastifyReply, { number, pdf }: PrintedReceipt): FastifyReply {
  return sendPdf(reply, `receipt-${number}`, pdf)
}

export function sendPdf(reply: FastifyReply, name: string, pdf: Uint8Array): FastifyReply {
  return reply
    .type('application/pdf')
    .header('content-disposition', `inline; filename="${name}.pdf"`)
    .header('cache-control', 'private, no-store')
    .send(Buffer.from(pdf))
}
