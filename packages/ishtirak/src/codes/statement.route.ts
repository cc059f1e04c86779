// GET …/redemptions/{redemption_id}/statement: what a redeemed code gave, as PDF, for its user, in the
// language asked for.
import { Type } from 'typebox'
import type { App } from '../http/app.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { locale, query } from '../http/schemas.js'
import { languageOf, sendPdf } from '../receipts/receipt.route.js'
import { printStatement, type StatementDeps } from './statement.js'

export type StatementRoutesDeps = StatementDeps & Pick<CallerChecks, 'identify'>

export function statementRoutes(deps: StatementRoutesDeps) {
  const schema = {
    security: [{ user: [] }],
    tags: ['billing'],
    operationId: 'getStatement',
    summary: 'The statement of a redeemed code',
    description:
      'One page of PDF. No money came, so there is no receipt. The language is `lang`, else that of ' +
      'the token, else `Accept-Language`, else Arabic.',
    params: Type.Object({ redemption_id: Type.String({ maxLength: 100 }) }),
    querystring: query({ lang: Type.Optional(locale) }),
    response: {
      200: {
        description: 'The statement',
        content: { 'application/pdf': { schema: Type.String({ format: 'binary' }) } },
      },
      ...problemResponses(
        'unauthenticated',
        'not_found',
        'validation_failed',
        'rate_limited',
        'busy',
        'receipts_unavailable',
        'database_unavailable',
      ),
    },
  }
  return async (app: App): Promise<void> => {
    const users = callersBy(deps.identify)
    const address = '/api/v1/billing/redemptions/:redemption_id/statement'
    app.get(address, { schema, onRequest: users.onRequest }, async (request, reply) => {
      const user = users.of(request)
      const { redemption_id: redemptionId } = request.params
      const of = { userId: user.userId, redemptionId, locale: languageOf(request, user) }
      return sendPdf(reply, `statement-${redemptionId}`, await printStatement(deps, of))
    })
  }
}
