// GET …/papers?year=2026: the receipts of a year in one file, for their user, as PDF or as a table.
import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { CSV_TYPE } from '../acts/send-file.js'
import { idOf } from '../http/auth.js'
import { checker } from '../http/checker.js'
import { locale, query } from '../http/schemas.js'
import { forBothCallers } from '../ledger/user-routes.js'
import type { PapersWish, ReceiptCalls } from './calls.js'
import { printYear, tableOfYear, type YearWish } from './papers.js'
import type { ReceiptDeps } from './receipt.js'
import { LANGUAGE, PDF, type ReceiptRoutesDeps, sendPdf, wishedLocale } from './receipt.route.js'

export const PaperFormatSchema = Type.Enum(['pdf', 'csv'])

const PapersQuerySchema = query({
  year: Type.Integer({ minimum: 2000, maximum: 9999, description: 'In which they were issued' }),
  format: Type.Optional(PaperFormatSchema),
  lang: Type.Optional(locale),
})

const CSV = { 'text/csv': { schema: Type.String() } }

export function paperRoutes(deps: ReceiptRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const refusals = callers.refusals('not_found', 'validation_failed', 'busy', 'receipts_unavailable')
    const schema = {
      ...callers.operation('getPapers'),
      summary: 'The receipts of a year',
      description:
        'One PDF: a list with what was paid and given back in all, then the receipts, the last 50 where ' +
        'there are more; or a table, `format=csv`, with amounts in dinars. Both list the last 600 where ' +
        `there are more. ${LANGUAGE}`,
      params: callers.params({}),
      querystring: PapersQuerySchema,
      response: { 200: { description: 'The receipts', content: { ...PDF, ...CSV } }, ...refusals },
    }
    app.get(`${path}/papers`, { schema, onRequest }, async (request, reply) => {
      const { userId } = callers.callOf(request).user
      const { year, format = 'pdf', lang } = request.query
      return sendPapers(
        deps,
        reply,
        { userId, year, locale: lang ?? (await callers.localeOf(request)) },
        format,
      )
    })
  })
}

export const paperCalls = (deps: ReceiptRoutesDeps): Pick<ReceiptCalls, 'papers'> => ({
  papers: async (given, asked) => {
    const { year, format = 'pdf', lang } = papersWish(asked)
    const userId = idOf(given)
    const of = { userId, year, locale: await wishedLocale(deps, userId, lang ? { lang } : {}) }
    return format === 'pdf' ? printYear(deps, of) : new TextEncoder().encode(await tableOfYear(deps, of))
  },
})

const papersWish = checker<PapersWish>(PapersQuerySchema)

export async function sendPapers(
  deps: ReceiptDeps,
  reply: FastifyReply,
  of: YearWish,
  format: Static<typeof PaperFormatSchema>,
): Promise<FastifyReply> {
  const name = `receipts-${of.year}`
  if (format === 'pdf') return sendPdf(reply, name, await printYear(deps, of))
  return reply
    .type(CSV_TYPE)
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .header('cache-control', 'private, no-store')
    .send(await tableOfYear(deps, of))
}
