// GET …/documents?year=2026: the receipts of a year as one table, for their user.
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { CSV_TYPE } from '../acts/send-file.js'
import { idOf } from '../http/auth.js'
import { checker } from '../http/checker.js'
import { locale, query } from '../http/schemas.js'
import { forBothCallers } from '../ledger/user-routes.js'
import type { DocumentsWish, ReceiptCalls } from './calls.js'
import { tableOfYear, type YearWish } from './documents-of-year.js'
import type { ReceiptDeps } from './receipt.js'
import { LANGUAGE, type ReceiptRoutesDeps, wishedLocale } from './receipt.route.js'

const DocumentsQuerySchema = query({
  year: Type.Integer({ minimum: 2000, maximum: 9999, description: 'In which they were issued' }),
  lang: Type.Optional(locale),
})

const CSV = { 'text/csv': { schema: Type.String() } }

export function documentRoutes(deps: ReceiptRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const refusals = callers.refusals('not_found', 'validation_failed')
    const schema = {
      ...callers.operation('getDocuments'),
      summary: 'The receipts of a year',
      description: `CSV in UTF-8 with amounts in dinars, of the last 600 where there are more. ${LANGUAGE}`,
      params: callers.params({}),
      querystring: DocumentsQuerySchema,
      response: { 200: { description: 'The receipts', content: CSV }, ...refusals },
    }
    app.get(`${path}/documents`, { schema, onRequest }, async (request, reply) => {
      const { userId } = callers.callOf(request).user
      const { year, lang } = request.query
      return sendDocuments(deps, reply, { userId, year, locale: lang ?? (await callers.localeOf(request)) })
    })
  })
}

export const documentCalls = (deps: ReceiptRoutesDeps): Pick<ReceiptCalls, 'documents'> => ({
  documents: async (given, asked) => {
    const { year, lang } = documentsWish(asked)
    const userId = idOf(given)
    const of = { userId, year, locale: await wishedLocale(deps, userId, lang ? { lang } : {}) }
    return new TextEncoder().encode(await tableOfYear(deps, of))
  },
})

const documentsWish = checker<DocumentsWish>(DocumentsQuerySchema)

export async function sendDocuments(
  deps: ReceiptDeps,
  reply: FastifyReply,
  of: YearWish,
): Promise<FastifyReply> {
  return reply
    .type(CSV_TYPE)
    .header('content-disposition', `attachment; filename="receipts-${of.year}.csv"`)
    .header('cache-control', 'private, no-store')
    .send(await tableOfYear(deps, of))
}
