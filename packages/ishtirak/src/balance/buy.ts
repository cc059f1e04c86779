// A purchase paid by balance: payment, time, receipt and entry are saved in one query, or nothing is. A
// repetition within a minute returns the same payment, like a click on a page that is still open.
import type { PaysAtOnce } from '../acts/capability.js'
import { codeOf, countCodeTry, type QuoteDeps } from '../checkout/quote.js'
import { balanceIn, type NewEntry, withEntry } from '../core/balance.js'
import { BillingError } from '../core/error.js'
import { type Instant, MINUTE } from '../core/instant.js'
import { newPayment, ownReport } from '../core/payment.js'
import { LONGEST_TERM } from '../core/plan.js'
import { decidePayment, hashOf, type Quote } from '../core/quote.js'
import { decideSettlement } from '../core/settlement.js'
import { BY_BALANCE, NEVER_PAID, type SubscriptionFacts } from '../core/subscription.js'
import { changeUser, type Decided } from '../ledger/change-user.js'
import { type PaymentMethod, paidWhenWritten } from '../ledger/method.js'
import { quoteRefusal } from '../ledger/refusals.js'
import type { SettleDeps } from '../ledger/settle.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { type Asked, findRecentPurchase } from './balance.sql.js'
import { requireShown } from './order.js'

export function createBalanceMethod({ live }: Pick<PaymentMethod, 'live'>): PaymentMethod {
  return paidWhenWritten({ name: BY_BALANCE, live, bearsStampDuty: false }, 'a balance pays at once')
}

export type BuyDeps = SettleDeps & QuoteDeps

const SAME_WITHIN_MS = MINUTE

/**
 * `buy` throws what `quoteRefusal` names, `balance_too_low` with what is missing, `conflict` if the price is
 * above the shown one, `unknown_method` if there are no balances.
 */
export function payByBalance(deps: BuyDeps): PaysAtOnce {
  return {
    method: BY_BALANCE,
    buy: async ({ user, requestId }, { months = 1, ...wanted }) => {
      const { userId } = user
      if (deps.rules.balanceMax === 0) throw new BillingError('unknown_method')
      if (!Number.isInteger(months) || Math.abs(months) > LONGEST_TERM) throw new BillingError('unknown_term')
      const asked = { ...wanted, months, user }
      const paymentId = await countCodeTry(deps, { userId, typed: asked.code }, () =>
        changeUser(deps, {
          what: 'a purchase by balance',
          inTurnOf: userId,
          load: async () => ({ userId, user: (await deps.loadUser(userId))?.user ?? null }),
          decide: ({ user }, now) => buyOnFacts(deps, asked, user, now),
        }),
      )
      const line = { request_id: requestId, user_id: userId, payment_id: paymentId }
      deps.log.info(line, 'bought by balance')
      return { paymentId }
    },
  }
}

async function buyOnFacts(
  deps: BuyDeps,
  asked: Asked,
  user: UserRecord | null,
  now: Instant,
): Promise<Decided<string>> {
  const { planId, months, start } = asked
  const { userId } = asked.user
  const facts = user?.subscription ?? NEVER_PAID
  // Read after the user, so that a change between the two reads makes those facts stale.
  const code = await codeOf(deps, { userId, typed: asked.code, methods: [] })
  const same = await findRecentPurchase(deps.database, asked, hashOf(code), now - SAME_WITHIN_MS)
  if (same !== null) return { revision: null, result: same }
  const wanted = { planId, months, start, code, mode: 'payment' } as const
  const decision = decidePayment(facts, wanted, now, deps.rules)
  if (decision.kind !== 'sold') throw quoteRefusal(decision)
  const { quote } = decision
  requireShown(quote.amount, asked.shown)
  const missing = quote.amount - balanceIn(facts)
  if (!user || missing > 0) throw new BillingError('balance_too_low', { extra: { missing } })
  return booking(deps, asked, { facts, quote }, now)
}

/** Booked by the common settlement: a report of our own says that it is paid. */
function booking(
  deps: BuyDeps,
  { user: { userId, personId: boughtBy }, poNumber, metadata }: Asked,
  { facts, quote }: { readonly facts: SubscriptionFacts; readonly quote: Quote },
  now: Instant,
): Decided<string> {
  const { offer, change, amount, discount, codeHash } = quote
  const method = deps.methods.of(BY_BALANCE)
  const id = deps.ids.next('pay', now)
  const ordered = newPayment({
    ...{ id, userId, boughtBy, poNumber, metadata, method, createdAt: now, attemptEndsAt: now },
    offer: { ...offer, price: { ...offer.price, amount } },
    change,
    ...(codeHash !== null && { code: { hash: codeHash, discount } }),
  })
  const times = { createdAt: now, updatedAt: now, paidAt: now }
  const paid = ownReport(ordered, id, { status: 'paid', amount, instrument: BY_BALANCE, ...times })
  const booked = decideSettlement({ payment: ordered, subscription: facts }, paid, {
    ...{ now, rules: deps.rules, method, isAnswer: true },
    freshPaymentId: () => deps.ids.next('pay', now),
  })
  const { subscription } = booked
  if (booked.outcome !== 'booked' || !subscription)
    throw new Error(`the purchase ${id} by balance was not booked but ${booked.outcome}`)
  const entry: NewEntry = { kind: 'purchase', amount: -amount, paymentId: id, note: null, at: now }
  const revision = {
    ...booked,
    payment: booked.payment && { ...booked.payment, checkoutId: null },
    ...{ isNew: true, isBooked: true, takesCode: codeHash ?? undefined },
    ...{ subscription: withEntry(subscription, entry), entry },
    events: [...booked.events, 'balance.changed' as const],
  }
  return { revision, result: id }
}
