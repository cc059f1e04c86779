// A user's payments, newest first.
import { Type } from 'typebox'
import type { ChangeDeps } from '../ledger/change-user.js'
import { findCurrentUser } from '../ledger/load.js'
import {
  type PaymentPage,
  PaymentPageSchema,
  PaymentSchema,
  type PaymentsQuery,
  PaymentsQuerySchema,
  type PaymentView,
  viewPayment,
} from '../ledger/schemas.js'
import { forBothCallers, type UserCall, type UserRoutesDeps } from '../ledger/user-routes.js'
import { type HistoryDeps, readHistory, readPayment } from './history.js'

type ListDeps = HistoryDeps & ChangeDeps
export type HistoryRoutesDeps = ListDeps & UserRoutesDeps

export function historyRoutes(deps: HistoryRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const listSchema = {
      ...callers.operation('listPayments'),
      summary: 'Payment history',
      description: 'Newest first, in pages: nothing is skipped or repeated while payments arrive.',
      params: callers.params({}),
      querystring: PaymentsQuerySchema,
      response: { 200: PaymentPageSchema, ...callers.refusals('validation_failed', 'invalid_cursor') },
    }
    app.get(`${path}/payments`, { schema: listSchema, onRequest }, (request) =>
      listPayments(deps, callers.callOf(request), request.query),
    )
    const oneSchema = {
      ...callers.operation('getPayment'),
      summary: 'One payment',
      params: callers.params({ payment_id: Type.String() }),
      response: { 200: PaymentSchema, ...callers.refusals('not_found') },
    }
    app.get(`${path}/payments/:payment_id`, { schema: oneSchema, onRequest }, (request) =>
      showPaymentOfUser(deps, callers.callOf(request), request.params.payment_id),
    )
  })
}

export async function listPayments(
  deps: ListDeps,
  { user: { userId }, api, requestId }: UserCall,
  query: PaymentsQuery,
): Promise<PaymentPage> {
  const { limit = 20, cursor = null, status = null } = query
  // So that it stands in the list.
  if (deps.rules.balanceMax > 0) await findCurrentUser(deps, userId)
  const page = await readHistory(deps, { userId, limit, cursor, status, requestId })
  const shown = { methods: deps.methods, api }
  return {
    data: page.payments.map((payment) => viewPayment(payment, page.now, shown)),
    has_more: page.nextCursor !== null,
    next_cursor: page.nextCursor,
  }
}

export async function showPaymentOfUser(
  deps: HistoryDeps,
  { user: { userId }, api, requestId }: UserCall,
  paymentId: string,
): Promise<PaymentView> {
  const { payment, now } = await readPayment(deps, { userId, paymentId, requestId })
  return viewPayment(payment, now, { methods: deps.methods, api })
}
