// The purchase: a month of a plan by `/upgrade`, as seed.md gives it; any term, also ahead, as a payment; and
// what such a payment would be.
import type { FastifyRequest } from 'fastify'
import type { Locale } from '../core/locale.js'
import type { App } from '../http/app.js'
import type { UserIdentity } from '../http/auth.js'
import { type CallerChecks, type Callers, callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { preferredLocale } from '../http/request.js'
import {
  BILLING_API,
  type PaymentRequest,
  PaymentRequestSchema,
  PaymentSchema,
  type PaymentView,
  type QuoteQuery,
  QuoteQuerySchema,
  QuoteSchema,
  type QuoteView,
  UpgradeRequestSchema,
  type UpgradeResult,
  UpgradeResultSchema,
  USER_ROUTE,
  viewQuote,
} from '../ledger/schemas.js'
import { type HistoryViewDeps, showPaymentOfUser } from './history.route.js'
import { type QuoteDeps, readQuote } from './quote.js'
import { openPayment, type UpgradeDeps, upgrade } from './upgrade.js'

export type UpgradeRoutesDeps = UpgradeDeps & HistoryViewDeps & Pick<CallerChecks, 'identify'>

const REFUSALS = [
  'unauthenticated',
  'unknown_plan',
  'plan_not_purchasable',
  'validation_failed',
  'rate_limited',
  'database_unavailable',
] as const
const PURCHASE_REFUSALS = [
  ...REFUSALS,
  'malformed_json',
  'already_subscribed',
  'too_many_checkouts',
  'provider_rejected',
  'provider_unavailable',
] as const

export function upgradeRoutes(deps: UpgradeRoutesDeps) {
  return async (app: App): Promise<void> => {
    const users = callersBy(deps.identify)
    upgradeRoute(app, deps, users)
    paymentRoute(app, deps, users)
    quoteRoute(app, deps, users)
  }
}

function upgradeRoute(app: App, deps: UpgradeRoutesDeps, users: Callers<UserIdentity>): void {
  const schema = {
    ...USER_ROUTE,
    operationId: 'upgradePlan',
    summary: 'Upgrade plan',
    description:
      'Opens a checkout at the provider; send the user to `checkout_url`. It is also the renewal, in ' +
      'the last days of the paid time and in grace.',
    body: UpgradeRequestSchema,
    response: { 200: UpgradeResultSchema, ...problemResponses(...PURCHASE_REFUSALS) },
  }
  app.post(`${BILLING_API}/upgrade`, { schema, onRequest: users.onRequest }, (request) =>
    upgradePlan(deps, buyerOf(request, users.of(request)), request.body.plan),
  )
}

export async function upgradePlan(
  deps: UpgradeDeps,
  buyer: UpgradeCaller,
  planId: string,
): Promise<UpgradeResult> {
  const { checkoutUrl, paymentId } = await upgrade(deps, { ...buyer, planId })
  return { checkout_url: checkoutUrl, payment_id: paymentId }
}

function paymentRoute(app: App, deps: UpgradeRoutesDeps, users: Callers<UserIdentity>): void {
  const schema = {
    ...USER_ROUTE,
    operationId: 'createPayment',
    summary: 'Create a payment',
    description:
      'Buys a term of a plan, also before the renewal window; send the user to `checkout_url`. A ' +
      'repetition gives the same payment, and another choice takes its place: `checkout_url` is null ' +
      'where that happened meanwhile.',
    body: PaymentRequestSchema,
    response: {
      201: PaymentSchema,
      ...problemResponses(
        ...PURCHASE_REFUSALS,
        'unknown_term',
        'unknown_method',
        'prepaid_limit_reached',
        'code_not_valid',
        'too_many_wrong_codes',
        'conflict',
      ),
    },
  }
  app.post(`${BILLING_API}/payments`, { schema, onRequest: users.onRequest }, async (request, reply) => {
    const payment = await createPayment(deps, buyerOf(request, users.of(request)), request.body)
    reply.header('location', `${deps.publicUrl}${BILLING_API}/payments/${payment.id}`)
    return reply.code(201).send(payment)
  })
}

export async function createPayment(
  deps: Omit<UpgradeRoutesDeps, 'identify'>,
  buyer: UpgradeCaller,
  { plan, months = 1, method, code }: PaymentRequest,
): Promise<PaymentView> {
  const { paymentId } = await openPayment(deps, {
    ...buyer,
    planId: plan,
    months,
    code,
    method,
    mode: 'payment',
  })
  return showPaymentOfUser(deps, buyer.user.userId, paymentId, buyer.requestId)
}

function quoteRoute(app: App, deps: UpgradeRoutesDeps, users: Callers<UserIdentity>): void {
  const schema = {
    ...USER_ROUTE,
    operationId: 'getQuote',
    summary: 'Get a quote',
    description: 'What a payment made now would buy and cost, by the decision that the payment is made on.',
    querystring: QuoteQuerySchema,
    response: {
      200: QuoteSchema,
      ...problemResponses(
        ...REFUSALS,
        'unknown_term',
        'prepaid_limit_reached',
        'code_not_valid',
        'too_many_wrong_codes',
      ),
    },
  }
  app.get(`${BILLING_API}/quote`, { schema, onRequest: users.onRequest }, async (request) => {
    return showQuote(deps, users.of(request).userId, request.query)
  })
}

export async function showQuote(
  deps: QuoteDeps,
  userId: string,
  { plan: planId, months = 1, code }: QuoteQuery,
): Promise<QuoteView> {
  return viewQuote(await readQuote(deps, { userId, planId, months, code }), code)
}

/** Who buys, and in which language the provider's page is. */
export interface UpgradeCaller {
  readonly user: UserIdentity
  readonly locale: Locale
  readonly requestId: string
}

function buyerOf(request: Pick<FastifyRequest, 'id' | 'headers'>, user: UserIdentity): UpgradeCaller {
  const locale = user.locale ?? preferredLocale(request.headers['accept-language']) ?? 'ar'
  return { user, locale, requestId: request.id }
}
