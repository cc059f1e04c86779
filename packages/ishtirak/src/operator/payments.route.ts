// Payments of all users, everything known of one, and the acts on it.
import type { ErrorCode } from '../core/error.js'
import type { App } from '../http/app.js'
import type { By } from '../payments/audit.js'
import type { SettleDeps } from '../payments/settle.js'
import { acceptPayment, type PaymentFile, recheckPayment, refundPayment, showPayment } from './payments.js'
import { newestPayments } from './payments.sql.js'
import { actedBy, acts, BASE, type OperatorRouteDeps, reads, viewedNow } from './route.js'
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
const ASKED = ['provider_rejected', 'provider_unavailable'] as const

export function paymentRoutes(app: App, deps: PaymentRoutesDeps): void {
  readRoutes(app, deps)
  const act = (
    name: 'recheck' | 'accept' | 'refund',
    run: (deps: SettleDeps, paymentId: string, by: By) => Promise<PaymentFile>,
    described: {
      readonly operationId: string
      readonly summary: string
      readonly description?: string
      readonly body: typeof WhySchema | typeof OptionalWhySchema
      readonly refusals: readonly ErrorCode[]
    },
  ) => {
    const { refusals, ...rest } = described
    const schema = { ...acts(PaymentFileSchema, ...refusals), params: PaymentParamsSchema, ...rest }
    app.post(`${PAYMENT}/${name}`, { schema }, async (request) => {
      const by = actedBy(deps, request, request.body.why)
      return viewPaymentFile(await run(deps, request.params.payment_id, by), viewedNow(deps))
    })
  }
  act('recheck', recheckPayment, {
    operationId: 'recheckPayment',
    summary: 'Ask the provider about it now',
    body: OptionalWhySchema,
    refusals: ASKED,
  })
  act('accept', acceptPayment, {
    operationId: 'acceptPayment',
    summary: 'Take a payment under review as it is',
    description:
      'The provider is asked once more. 409 when nothing is under review, or the provider does not have the money.',
    body: WhySchema,
    refusals: ASKED,
  })
  act('refund', refundPayment, {
    operationId: 'recordRefund',
    summary: 'Record a refund that was made by hand at the provider',
    description:
      'It moves no money. The period it bought ends; later paid periods move up. 409 when the payment is not paid.',
    body: WhySchema,
    refusals: ['already_refunded'],
  })
}

function readRoutes(app: App, deps: PaymentRoutesDeps): void {
  const listSchema = {
    ...reads(OperatorPaymentsSchema),
    operationId: 'listAllPayments',
    summary: 'Payments of all users, newest first',
    querystring: OperatorPaymentsQuerySchema,
  }
  app.get(`${BASE}/payments`, { schema: listSchema }, async ({ query }) => {
    const { status = null, user_id: userId = null, limit = 50 } = query
    const payments = await newestPayments(deps.database, { status, userId, limit }, deps.clock.now())
    return { data: payments.map((payment) => viewOperatorPayment(payment, viewedNow(deps))) }
  })
  const showSchema = {
    ...reads(PaymentFileSchema),
    operationId: 'getPaymentFile',
    summary: 'Everything known of one payment',
    params: PaymentParamsSchema,
  }
  app.get(PAYMENT, { schema: showSchema }, async ({ params }) =>
    viewPaymentFile(await showPayment(deps, params.payment_id), viewedNow(deps)),
  )
}
