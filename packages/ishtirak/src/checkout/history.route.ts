// A user's payments, newest first.
import { Type } from 'typebox'
import type { App } from '../http/app.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import type { CommonParts } from '../ledger/parts.js'
import {
  BILLING_API,
  type PaymentPage,
  PaymentPageSchema,
  PaymentSchema,
  type PaymentsQuery,
  PaymentsQuerySchema,
  USER_ROUTE,
  viewPayment,
} from '../ledger/schemas.js'
import { type HistoryDeps, readHistory, readPayment } from './history.js'

export type HistoryRoutesDeps = HistoryViewDeps & Pick<CallerChecks, 'identify'>

const REFUSALS = ['unauthenticated', 'validation_failed', 'rate_limited', 'database_unavailable'] as const

export function historyRoutes(deps: HistoryRoutesDeps) {
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
    app.get(`${BILLING_API}/payments`, { schema: listSchema, onRequest }, async (request) => {
      const { userId } = users.of(request)
      return listPayments(deps, userId, request.query, request.id)
    })
    app.get(`${BILLING_API}/payments/:payment_id`, { schema: oneSchema, onRequest }, async (request) => {
      const { userId } = users.of(request)
      return showPaymentOfUser(deps, userId, request.params.payment_id, request.id)
    })
  }
}

export type HistoryViewDeps = HistoryDeps & Pick<CommonParts, 'publicUrl'>

export async function listPayments(
  deps: HistoryViewDeps,
  userId: string,
  query: PaymentsQuery,
  requestId: string,
): Promise<PaymentPage> {
  const { limit = 20, cursor = null, status = null } = query
  const page = await readHistory(deps, { userId, limit, cursor, status, requestId })
  return {
    data: page.payments.map((payment) => viewPayment(payment, page.now, deps)),
    has_more: page.nextCursor !== null,
    next_cursor: page.nextCursor,
  }
}

export async function showPaymentOfUser(
  deps: HistoryViewDeps,
  userId: string,
  paymentId: string,
  requestId: string,
) {
  const { payment, now } = await readPayment(deps, { userId, paymentId, requestId })
  return viewPayment(payment, now, deps)
}
