// The balance of a user: what there is and how it came, a top-up, and the standing order.

import type { HistoryDeps } from '../checkout/history.js'
import { showPaymentOfUser } from '../checkout/history.route.js'
import { openPayment, type UpgradeDeps } from '../checkout/upgrade.js'
import { hostBuyer, type UpgradeCaller } from '../checkout/upgrade.route.js'
import { BillingError, wrongField } from '../core/error.js'
import { describeOrder } from '../core/event.js'
import type { App } from '../http/app.js'
import type { UserIdentity } from '../http/auth.js'
import { checker } from '../http/checker.js'
import {
  type BalanceQuery,
  BalanceQuerySchema,
  type RenewalRequest,
  RenewalRequestSchema,
  StandingOrderSchema,
  type StandingOrderView,
  type TopUpRequest,
  TopUpRequestSchema,
  UserBalanceSchema,
  type UserBalanceView,
} from '../ledger/balance-schemas.js'
import { PaymentSchema, type PaymentView } from '../ledger/schemas.js'
import {
  forBothCallers,
  hostCall,
  type UserCall,
  type UserCallers,
  type UserRoutesDeps,
} from '../ledger/user-routes.js'
import { findUser } from '../ledger/users.sql.js'
import type { BalanceCalls } from './calls.js'
import { endOrder, type OrderDeps, setOrder } from './order.js'
import { showBalance } from './read-balance.js'

export type BalanceRoutesDeps = OrderDeps & UpgradeDeps & HistoryDeps & UserRoutesDeps

export function balanceRoutes(deps: BalanceRoutesDeps) {
  return forBothCallers(deps, (app, callers) => {
    readRoute(app, deps, callers)
    endRoute(app, deps, callers)
    if (isOff(deps)) return
    topUpRoute(app, deps, callers)
    setRoute(app, deps, callers)
  })
}

const balanceQuery = checker<BalanceQuery>(BalanceQuerySchema)
const topUpRequest = checker<TopUpRequest>(TopUpRequestSchema)
const renewalRequest = checker<RenewalRequest>(RenewalRequestSchema)

export const balanceCalls = (deps: BalanceRoutesDeps): BalanceCalls => {
  const callOf = (user: UserIdentity) => {
    if (deps.rules.balanceMax === 0) throw new BillingError('not_found')
    return hostCall(deps, user)
  }
  return {
    balance: async (userId, query = {}) => {
      const { user } = hostCall(deps, { userId })
      await requireBalance(deps, user.userId)
      return showBalance(deps, user.userId, balanceQuery(query))
    },
    topUpBalance: async (user, request) => {
      return topUp(deps, await hostBuyer(deps, callOf(user)), topUpRequest(request))
    },
    setRenewal: async (user, request) => setRenewal(deps, callOf(user), renewalRequest(request)),
    endRenewal: async (user) => endRenewal(deps, hostCall(deps, user)),
  }
}

const isOff = ({ rules }: BalanceRoutesDeps) => rules.balanceMax === 0

/**
 * Where there are no balances, nothing of them is there but for a user who has one from before: they can see
 * it, and end its order. Throws `not_found`.
 */
async function requireBalance(deps: BalanceRoutesDeps, userId: string): Promise<void> {
  if (!isOff(deps)) return
  if (!(await findUser(deps.database, userId))?.subscription.balance) throw new BillingError('not_found')
}

function readRoute(app: App, deps: BalanceRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    hide: isOff(deps),
    ...callers.operation('getBalance'),
    summary: 'Get the balance',
    description:
      'What was paid in and not spent, the standing order, and each change, newest first, in pages.',
    params: callers.params({}),
    querystring: BalanceQuerySchema,
    response: { 200: UserBalanceSchema, ...callers.refusals('validation_failed', 'invalid_cursor') },
  }
  app.get(`${path}/balance`, { schema, onRequest }, async (request) => {
    const { userId } = callers.callOf(request).user
    await requireBalance(deps, userId)
    return showBalance(deps, userId, request.query)
  })
}

function topUpRoute(app: App, deps: BalanceRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    ...callers.personal('topUpBalance'),
    summary: 'Top up the balance',
    description:
      'Money for the balance, by any method that the seller takes; send the user to `checkout_url`. A ' +
      'repetition gives the same payment, and another amount takes its place. 422 above what a user may ' +
      'have.',
    params: callers.params({}),
    body: TopUpRequestSchema,
    response: {
      201: PaymentSchema,
      ...callers.refusals(
        'malformed_json',
        'forbidden',
        'validation_failed',
        'balance_limit_reached',
        'unknown_method',
        'too_many_checkouts',
        'conflict',
        'provider_rejected',
        'provider_unavailable',
      ),
    },
  }
  app.post(`${path}/balance/top-ups`, { schema, onRequest }, async (request, reply) => {
    const buyer = { ...callers.callOf(request), locale: await callers.localeOf(request) }
    const payment = await topUp(deps, buyer, request.body)
    return reply.header('location', `${buyer.api}/payments/${payment.id}`).code(201).send(payment)
  })
}

async function topUp(
  deps: UpgradeDeps & HistoryDeps,
  buyer: UpgradeCaller,
  { amount, method }: TopUpRequest,
): Promise<PaymentView> {
  const { leastAmount } = deps.rules
  if (amount < leastAmount) throw wrongField('amount', 'too_small', leastAmount)
  const { paymentId } = await openPayment(deps, { ...buyer, topUp: amount, method })
  return showPaymentOfUser(deps, buyer, paymentId)
}

function setRoute(app: App, deps: BalanceRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    ...callers.personal('setRenewal'),
    summary: 'Renew by itself',
    description:
      'Whenever the paid time ends, the balance buys this term, at the price of now, as long as it lasts. ' +
      'Set again, it takes the place of what was: so a user agrees to another price.',
    params: callers.params({}),
    body: RenewalRequestSchema,
    response: {
      200: StandingOrderSchema,
      ...callers.refusals(
        'malformed_json',
        'forbidden',
        'validation_failed',
        'unknown_plan',
        'plan_not_purchasable',
        'unknown_term',
      ),
    },
  }
  app.put(`${path}/balance/renewal`, { schema, onRequest }, (request) =>
    setRenewal(deps, callers.callOf(request), request.body),
  )
}

function endRoute(app: App, deps: BalanceRoutesDeps, { path, onRequest, ...callers }: UserCallers): void {
  const schema = {
    hide: isOff(deps),
    ...callers.personal('endRenewal'),
    summary: 'Renew by itself no more',
    description: 'What is on the balance stays there.',
    params: callers.params({}),
    response: { 200: UserBalanceSchema, ...callers.refusals('forbidden') },
  }
  app.delete(`${path}/balance/renewal`, { schema, onRequest }, (request) =>
    endRenewal(deps, callers.callOf(request)),
  )
}

async function setRenewal(
  deps: OrderDeps,
  { user }: Pick<UserCall, 'user'>,
  { plan: planId, months = 1 }: RenewalRequest,
): Promise<StandingOrderView> {
  const order = describeOrder(await setOrder(deps, user, { planId, months }), deps.clock.now())
  if (!order) throw new Error('an order that was set is not there')
  return order
}

async function endRenewal(
  deps: BalanceRoutesDeps,
  { user }: Pick<UserCall, 'user'>,
): Promise<UserBalanceView> {
  await requireBalance(deps, user.userId)
  await endOrder(deps, user)
  return showBalance(deps, user.userId, {})
}
