// GET …/payments/{payment_id}/receipt: the receipt as PDF, for its owner, in the language asked for.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { idOf } from '../http/auth.js'
import { checker } from '../http/checker.js'
import { locale, query } from '../http/schemas.js'
import { forBothCallers, knownLocale, type UserCallers, type UserRoutesDeps } from '../ledger/user-routes.js'
import type { PdfWish, ReceiptCalls } from './calls.js'
import { askForReceipt, type PrintedReceipt, pdfName, type ReceiptDeps } from './receipt.js'

export type ReceiptRoutesDeps = ReceiptDeps & UserRoutesDeps

const LangSchema = query({ lang: Type.Optional(locale) })
export const PDF = { 'application/pdf': { schema: Type.String({ format: 'binary' }) } }

/** What the routes to a PDF have in common: it is its user's, in the language asked for. */
export function pdfRoute(
  callers: Pick<UserCallers, 'refusals'>,
  description: string,
  ...refusals: readonly ErrorCode[]
) {
  const all = ['not_found', 'validation_failed', 'busy', 'receipts_unavailable', ...refusals] as const
  return {
    querystring: LangSchema,
    response: { 200: { description, content: PDF }, ...callers.refusals(...all) },
  }
}

/** Not for HEAD, which would take the original and not show it. */
export const PRINTS = { exposeHeadRoute: false }

export function receiptRoutes(deps: ReceiptRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const schema = {
      ...callers.operation('getReceipt'),
      ...pdfRoute(callers, 'The receipt', 'payment_not_paid'),
      summary: 'The receipt of a payment',
      description: `One page of PDF. ${LANGUAGE}`,
      params: callers.params({ payment_id: Type.String() }),
    }
    app.get(
      `${path}/payments/:payment_id/receipt`,
      { ...PRINTS, schema, onRequest },
      async (request, reply) => {
        const { userId } = callers.callOf(request).user
        const { payment_id: paymentId } = request.params
        const of = { userId, paymentId, locale: request.query.lang ?? (await callers.localeOf(request)) }
        return sendReceipt(reply, await askForReceipt(deps, of))
      },
    )
  })
}

export const receiptCalls = (deps: ReceiptRoutesDeps): Pick<ReceiptCalls, 'receipt'> => ({
  receipt: async (given, paymentId, asked) => {
    const userId = idOf(given)
    return (await askForReceipt(deps, { userId, paymentId, locale: await wishedLocale(deps, userId, asked) }))
      .pdf
  },
})

const pdfWish = checker<PdfWish>(LangSchema)

/** For a host that mounts the service. */
export async function wishedLocale(
  deps: Pick<UserRoutesDeps, 'database'>,
  userId: string,
  asked: PdfWish = {},
): Promise<Locale> {
  return pdfWish(asked).lang ?? (await knownLocale(deps, { userId })) ?? 'ar'
}

export const LANGUAGE =
  'The language is `lang`, else that of the token or of the profile that the platform has set, else ' +
  '`Accept-Language`, else Arabic.'

/** Shown in the browser, with a name for saving it. */
export function sendReceipt(reply: FastifyReply, { number, pdf, snapshot }: PrintedReceipt): FastifyReply {
  return sendPdf(reply, pdfName({ number, snapshot }), pdf)
}

export function sendPdf(reply: FastifyReply, name: string, pdf: Uint8Array): FastifyReply {
  return reply
    .type('application/pdf')
    .header('content-disposition', `inline; filename="${name}"`)
    .header('cache-control', 'private, no-store')
    .send(Buffer.from(pdf))
}
