// The purchase: a month of a plan by `/upgrade`, as seed.md gives it; any term, also ahead, as a payment; and
// what such a payment would be.
import type { FastifyRequest } from 'fastify'
import { wrongField } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { Start } from '../core/quote.js'
import type { App } from '../http/app.js'
import {
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
  viewQuote,
} from '../ledger/schemas.js'
import {
  forBothCallers,
  knownLocale,
  type UserCall,
  type UserCallers,
  type UserRoutesDeps,
} from '../ledger/user-routes.js'
import type { HistoryDeps } from './history.js'
import { showPaymentOfUser } from './history.route.js'
import { type QuoteDeps, readQuote } from './quote.js'
import { openPayment, type UpgradeDeps, upgrade } from './upgrade.js'

export type UpgradeRoutesDeps = UpgradeDeps & HistoryDeps & UserRoutesDeps

export const OFFER_REFUSALS = ['unknown_plan', 'plan_not_purchasable', 'validation_failed'] as const
const PURCHASE_REFUSALS = [
  ...OFFER_REFUSALS,
  'malformed_json',
  'forbidden',
  'already_subscribed',
  'too_many_checkouts',
  'provider_rejected',
  'provider_unavailable',
] as const

export function upgradeRoutes(deps: UpgradeRoutesDeps) {
  return forBothCallers(deps, (app, callers) => {
    upgradeRoute(app, deps, callers)
    paymentRoute(app, deps, callers)
    quoteRoute(app, deps, callers)
  })
}

function upgradeRoute(app: App, deps: UpgradeRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    ...callers.personal('upgradePlan'),
    summary: 'Upgrade plan',
    description:
      'Opens a checkout at the provider; send the user to `checkout_url`. It is also the renewal, in ' +
      'the last days of the paid time and in grace. A dearer plan than the one that runs begins now, for ' +
      'the difference, and ends when the paid time ends.',
    params: callers.params({}),
    body: UpgradeRequestSchema,
    response: { 200: UpgradeResultSchema, ...callers.refusals(...PURCHASE_REFUSALS) },
  }
  app.post(`${path}/upgrade`, { schema, onRequest }, async (request) =>
    upgradePlan(deps, await buyerOf(callers, request), request.body.plan),
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

function paymentRoute(app: App, deps: UpgradeRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    ...callers.personal('createPayment'),
    summary: 'Create a payment',
    description:
      'Buys a term of a plan, also before the renewal window, or changes to a dearer one; send the user ' +
      'to `checkout_url`. A ' +
      'repetition gives the same payment, and another choice takes its place: `checkout_url` is null ' +
      'where that happened meanwhile. 409 `nothing_to_pay` where the code leaves nothing to pay: redeem it.',
    params: callers.params({}),
    body: PaymentRequestSchema,
    response: {
      201: PaymentSchema,
      ...callers.refusals(
        ...PURCHASE_REFUSALS,
        'unknown_term',
        'unknown_method',
        'prepaid_limit_reached',
        'no_dearer_plan',
        'nothing_to_pay',
        'code_not_valid',
        'too_many_wrong_codes',
        'balance_too_low',
        'conflict',
      ),
    },
  }
  app.post(`${path}/payments`, { schema, onRequest }, async (request, reply) => {
    const buyer = await buyerOf(callers, request)
    const payment = await createPayment(deps, buyer, request.body)
    return reply.header('location', `${buyer.api}/payments/${payment.id}`).code(201).send(payment)
  })
}

export async function createPayment(
  deps: UpgradeDeps & HistoryDeps,
  buyer: UpgradeCaller,
  { plan, months, start, method, code, po_number: poNumber }: PaymentRequest,
): Promise<PaymentView> {
  const wanted = { planId: plan, ...termOf(months, start, 'months'), code, poNumber }
  const atOnce = deps.atOnce.find((one) => one.method === method)
  const { paymentId } = atOnce
    ? await atOnce.buy(buyer, wanted)
    : await openPayment(deps, { ...buyer, ...wanted, method, mode: 'payment' })
  return showPaymentOfUser(deps, buyer, paymentId)
}

function quoteRoute(app: App, deps: UpgradeRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    ...callers.operation('getQuote'),
    summary: 'Get a quote',
    description: 'What a payment made now would buy and cost, by the decision that the payment is made on.',
    params: callers.params({}),
    querystring: QuoteQuerySchema,
    response: {
      200: QuoteSchema,
      ...callers.refusals(
        ...OFFER_REFUSALS,
        'unknown_term',
        'prepaid_limit_reached',
        'no_dearer_plan',
        'code_not_valid',
        'too_many_wrong_codes',
      ),
    },
  }
  app.get(`${path}/quote`, { schema, onRequest }, (request) =>
    showQuote(deps, callers.callOf(request).user.userId, request.query),
  )
}

export async function showQuote(
  deps: QuoteDeps,
  userId: string,
  { plan: planId, months, start, code }: QuoteQuery,
): Promise<QuoteView> {
  return viewQuote(
    await readQuote(deps, { userId, planId, ...termOf(months, start, 'query/months'), code }),
    code,
  )
}

/** Throws `validation_failed`: a change is of the time that is there, and has no term of its own. */
export function termOf(months: number | undefined, start: Start = 'end', field: string) {
  if (start === 'now' && months !== undefined) throw wrongField(field, 'not_allowed')
  return { months: months ?? 1, start }
}

/** Who buys, and in which language the provider's page is. */
export interface UpgradeCaller extends UserCall {
  readonly locale: Locale
}

/** The same of a host that mounts the service. */
export async function hostBuyer(
  deps: Pick<UserRoutesDeps, 'database'>,
  call: UserCall,
): Promise<UpgradeCaller> {
  return { ...call, locale: (await knownLocale(deps, call.user)) ?? 'ar' }
}

async function buyerOf(
  callers: Pick<UserCallers, 'callOf' | 'localeOf'>,
  request: FastifyRequest,
): Promise<UpgradeCaller> {
  return { ...callers.callOf(request), locale: await callers.localeOf(request) }
}
