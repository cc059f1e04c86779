// A user's balance: the amount and its entries, a top-up, and the standing order.
import { PROVIDER_REFUSALS } from '../acts/files.js'
import { cursorOf } from '../acts/paging.js'
import { userCall } from '../acts/user-call.js'
import { locationOf, showPaymentOfUser } from '../checkout/history.call.js'
import type { HistoryDeps } from '../checkout/history.js'
import { callerOf, OFFER_REFUSALS, type ReturnDeps, returnUrlOf } from '../checkout/upgrade.call.js'
import { openPayment, type UpgradeDeps } from '../checkout/upgrade.js'
import { BillingError, wrongField } from '../core/error.js'
import { describeStandingOrder } from '../core/event.js'
import { NEVER_PAID } from '../core/subscription.js'
import type { UserIdentity } from '../http/auth.js'
import { entriesOfUser } from '../ledger/balance-entries.sql.js'
import {
  type BalanceQuery,
  BalanceQuerySchema,
  PlatformTopUpRequestSchema,
  type RenewalRequest,
  RenewalRequestSchema,
  StandingOrderSchema,
  type StandingOrderView,
  type TopUpRequest,
  TopUpRequestSchema,
  UserBalanceSchema,
  type UserBalanceView,
  viewBalance,
} from '../ledger/balance-schemas.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { findCurrentUser } from '../ledger/load.js'
import { PaymentSchema, type PaymentView, PlatformPaymentSchema } from '../ledger/schemas.js'
import { findUser } from '../ledger/users.sql.js'
import { endOrder, type OrderDeps, setOrder } from './order.js'

/** If the seller has no balances, each throws `not_found`. */
export interface BalanceCalls {
  /** The amount, the standing order, and the entries in pages, newest first. */
  balance(userId: string, query?: BalanceQuery): Promise<UserBalanceView>
  /** Send the user to `checkout_url`. Throws `balance_limit_reached` and others. */
  topUpBalance(user: UserIdentity, request: TopUpRequest): Promise<PaymentView>
  /** The balance buys this term whenever the paid time ends. A repeated call takes today's price. */
  setRenewal(user: UserIdentity, request: RenewalRequest): Promise<StandingOrderView>
  endRenewal(user: UserIdentity): Promise<UserBalanceView>
}

const isOff = ({ rules }: Pick<OrderDeps, 'rules'>) => rules.balanceMax === 0
const unlessOff = (deps: OrderDeps) => (isOff(deps) ? 'absent' : 'shown')
/** A user with a balance from before it was switched off can see it and end the standing order. */
const hiddenWhenOff = (deps: OrderDeps) => (isOff(deps) ? 'hidden' : 'shown')

/** Throws `not_found` if balances are off and the user has none from before. */
async function requireBalance(deps: OrderDeps, userId: string): Promise<void> {
  if (!isOff(deps)) return
  if (!(await findUser(deps.database, userId))?.subscription.balance) throw new BillingError('not_found')
}

const cursors = cursorOf({ sequence: 'number' })

/** What the balance has bought by now is booked first, so that amount and entries agree. */
export async function showBalance(deps: ChangeDeps, userId: string, { limit = 20, cursor }: BalanceQuery) {
  const before = cursor === undefined ? null : cursors.decode(cursor).sequence
  const facts = (await findCurrentUser(deps, userId))?.subscription ?? NEVER_PAID
  const found = await entriesOfUser(deps.database, userId, { before, limit: limit + 1 })
  const { items: entries, nextCursor } = cursors.pageOf(found, limit)
  return viewBalance(facts, { entries, nextCursor }, deps.clock.now())
}

const balance = userCall<OrderDeps>()({
  name: 'balance',
  operationId: 'getBalance',
  summary: 'Get the balance',
  description: 'The money paid in and not spent, the standing order, and the entries in pages, newest first.',
  method: 'GET',
  path: '/balance',
  offered: hiddenWhenOff,
  input: BalanceQuerySchema,
  answer: UserBalanceSchema,
  refuses: ['validation_failed', 'invalid_cursor'],
  run: async (deps, { user: { userId }, input }) => {
    await requireBalance(deps, userId)
    return showBalance(deps, userId, input)
  },
})

const endRenewal = userCall<OrderDeps>()({
  name: 'endRenewal',
  operationId: 'endRenewal',
  summary: 'Stop the automatic renewal',
  description: 'The balance stays as it is.',
  method: 'DELETE',
  path: '/balance/renewal',
  offered: hiddenWhenOff,
  answer: UserBalanceSchema,
  example: { renewal: null },
  refuses: ['forbidden'],
  run: async (deps, { user }) => {
    await requireBalance(deps, user.userId)
    await endOrder(deps, user)
    return showBalance(deps, user.userId, {})
  },
})

const topUpBalance = userCall<OrderDeps & UpgradeDeps & HistoryDeps & ReturnDeps>()({
  name: 'topUpBalance',
  operationId: 'topUpBalance',
  summary: 'Top up the balance',
  description:
    'Money for the balance, by any method that the seller takes; send the user to `checkout_url`. A ' +
    'repeated call returns the same payment, and another amount replaces it. 422 if the balance would ' +
    'be above its limit.',
  method: 'POST',
  path: '/balance/top-ups',
  offered: unlessOff,
  input: PlatformTopUpRequestSchema,
  answer: PlatformPaymentSchema,
  forUser: { input: TopUpRequestSchema, answer: PaymentSchema },
  example: { kind: 'top_up', plan: null, months: null, amount: 6_000 },
  created: locationOf,
  refuses: [
    'malformed_json',
    'forbidden',
    'validation_failed',
    'balance_limit_reached',
    'unknown_method',
    'too_many_checkouts',
    'conflict',
    ...PROVIDER_REFUSALS,
  ],
  run: async (deps, request) => {
    const { amount, method, metadata } = request.input
    const returnUrl = returnUrlOf(deps, request.input.return_url)
    const { leastAmount } = deps.rules
    if (amount < leastAmount) throw wrongField('amount', 'too_small', leastAmount)
    const wanted = { topUp: amount, method, returnUrl, metadata }
    const { paymentId } = await openPayment(deps, { ...(await callerOf(request)), ...wanted })
    return showPaymentOfUser(deps, request, paymentId)
  },
})

const setRenewal = userCall<OrderDeps>()({
  name: 'setRenewal',
  operationId: 'setRenewal',
  summary: 'Set the automatic renewal',
  description:
    'Whenever the paid time ends, the balance buys this term at today’s price, while the money lasts. ' +
    'A repeated call replaces the order. This is how a user agrees to another price.',
  method: 'PUT',
  path: '/balance/renewal',
  offered: unlessOff,
  input: RenewalRequestSchema,
  answer: StandingOrderSchema,
  refuses: [...OFFER_REFUSALS, 'malformed_json', 'forbidden', 'unknown_term'],
  run: async (deps, { user, input: { plan: planId, months = 1 } }) => {
    const order = describeStandingOrder(await setOrder(deps, user, { planId, months }), deps.clock.now())
    if (!order) throw new Error(`the standing order of ${user.userId} was set and is missing`)
    return order
  },
})

export const balanceCalls = [balance, endRenewal, topUpBalance, setRenewal]
