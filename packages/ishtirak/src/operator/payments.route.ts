// Payments of all users, everything known of one, and the acts on it.
import type { App } from '../http/app.js'
import { problemResponses } from '../http/problem.js'
import type { SettleDeps } from '../payments/settle.js'
import { acceptPayment, recheckPayment, refundPayment, showPayment } from './payments.js'
import { newestPayments } from './payments.sql.js'
import { ACT, actedBy, BASE, OPERATOR, type OperatorRouteDeps, READ, viewedNow } from './route.js'
import {
  OperatorPaymentsQuerySchema,
  OperatorPaymentsSchema,
  OptionalWhySchema,
  PaymentFileSchema,
  PaymentParamsSchema,
  WhySchema,
} from './schemas.js'
import { viewOperatorPayment, viewPaymentFile } from './views.js'

export type PaymentRoutesDeps = OperatorRouteDeps & SettleDeps

const PAYMENT = `${BASE}/payments/:payment_id`
const ASK = [...ACT, 'provider_rejected', 'provider_unavailable'] as const

export function paymentRoutes(app: App, deps: PaymentRoutesDeps): void {
  readRoutes(app, deps)
  const common = { ...OPERATOR, params: PaymentParamsSchema }
  const recheckSchema = {
    ...common,
    operationId: 'recheckPayment',
    summary: 'Ask the provider about it now',
    body: OptionalWhySchema,
    response: { 200: PaymentFileSchema, ...problemResponses(...ASK) },
  }
  app.post(`${PAYMENT}/recheck`, { schema: recheckSchema }, async (request) => {
    const by = actedBy(deps, request, request.body.why)
    return viewPaymentFile(await recheckPayment(deps, request.params.payment_id, by), viewedNow(deps))
  })
  const acceptSchema = {
    ...common,
    operationId: 'acceptPayment',
    summary: 'Take a payment under review as it is',
    description:
      'The provider is asked once more. 409 when nothing is under review, or the provider does not have the money.',
    body: WhySchema,
    response: { 200: PaymentFileSchema, ...problemResponses(...ASK) },
  }
  app.post(`${PAYMENT}/accept`, { schema: acceptSchema }, async (request) => {
    const by = actedBy(deps, request, request.body.why)
    return viewPaymentFile(await acceptPayment(deps, request.params.payment_id, by), viewedNow(deps))
  })
  const refundSchema = {
    ...common,
    operationId: 'recordRefund',
    summary: 'Record a refund that was made by hand at the provider',
    description:
      'It moves no money. The month it bought ends; later paid months move up. 409 when the payment is not paid.',
    body: WhySchema,
    response: { 200: PaymentFileSchema, ...problemResponses(...ACT, 'already_refunded') },
  }
  app.post(`${PAYMENT}/refund`, { schema: refundSchema }, async (request) => {
    const by = actedBy(deps, request, request.body.why)
    return viewPaymentFile(await refundPayment(deps, request.params.payment_id, by), viewedNow(deps))
  })
}

function readRoutes(app: App, deps: PaymentRoutesDeps): void {
  const listSchema = {
    ...OPERATOR,
    operationId: 'listAllPayments',
    summary: 'Payments of all users, newest first',
    querystring: OperatorPaymentsQuerySchema,
    response: { 200: OperatorPaymentsSchema, ...problemResponses(...READ) },
  }
  app.get(`${BASE}/payments`, { schema: listSchema }, async ({ query }) => {
    const { status = null, user_id: userId = null, limit = 50 } = query
    const payments = await newestPayments(deps.database, { status, userId, limit }, deps.clock.now())
    return { data: payments.map((payment) => viewOperatorPayment(payment, viewedNow(deps))) }
  })
  const showSchema = {
    ...OPERATOR,
    operationId: 'getPaymentFile',
    summary: 'Everything known of one payment',
    params: PaymentParamsSchema,
    response: { 200: PaymentFileSchema, ...problemResponses(...READ) },
  }
  app.get(PAYMENT, { schema: showSchema }, async ({ params }) =>
    viewPaymentFile(await showPayment(deps, params.payment_id), viewedNow(deps)),
  )
}
