// A user's payments, newest first, and one of them.
import { Type } from 'typebox'
import type { App } from '../http/app.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { readHistory, readPayment } from './history.js'
import { BASE, PaymentPageSchema, PaymentSchema, PaymentsQuerySchema, USER_ROUTE } from './schemas.js'
import type { StatusDeps } from './status.js'
import { viewPayment } from './views.js'

export interface HistoryRoutesDeps extends StatusDeps, Pick<CallerChecks, 'identify'> {
  readonly publicUrl: string
}

const REFUSALS = ['unauthenticated', 'validation_failed', 'rate_limited', 'database_unavailable'] as const

export function historyRoutes(deps: HistoryRoutesDeps) {
  const { publicUrl } = deps
  const listSchema = {
    ...USER_ROUTE,
    operationId: 'listPayments',
    summary: 'Payment history',
    description: 'Newest first, in pages: nothing is skipped or repeated while payments arrive.',
    querystring: PaymentsQuerySchema,
    response: { 200: PaymentPageSchema, ...problemResponses(...REFUSALS, 'invalid_cursor') },
  }
  const oneSchema = {
    ...USER_ROUTE,
    operationId: 'getPayment',
    summary: 'One payment',
    params: Type.Object({ payment_id: Type.String() }),
    response: { 200: PaymentSchema, ...problemResponses(...REFUSALS, 'not_found') },
  }
  return async (app: App): Promise<void> => {
    const users = callersBy(deps.identify)
    const { onRequest } = users
    app.get(`${BASE}/payments`, { schema: listSchema, onRequest }, async (request) => {
      const { userId } = users.of(request)
      const { limit = 20, cursor = null, status = null } = request.query
      const page = await readHistory(deps, { userId, limit, cursor, status, requestId: request.id })
      return {
        data: page.payments.map((payment) => viewPayment(payment, page.now, publicUrl)),
        has_more: page.nextCursor !== null,
        next_cursor: page.nextCursor,
      }
    })
    app.get(`${BASE}/payments/:payment_id`, { schema: oneSchema, onRequest }, async (request) => {
      const { userId } = users.of(request)
      const paymentId = request.params.payment_id
      const { payment, now } = await readPayment(deps, { userId, paymentId, requestId: request.id })
      return viewPayment(payment, now, publicUrl)
    })
  }
}
