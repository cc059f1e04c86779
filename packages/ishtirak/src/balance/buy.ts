// A purchase paid by balance: payment, time, receipt and entry are saved in one query, or nothing is. A
// repetition within a minute returns the same payment, like a click on a page that is still open.
import type { PaysAtOnce } from '../acts/capability.js'
import { codeOf, type QuoteDeps } from '../checkout/quote.js'
import { balanceIn, type NewEntry, withEntry } from '../core/balance.js'
import type { CheckoutReport } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import { type Instant, MINUTE } from '../core/instant.js'
import { type Metadata, newPayment, type Payment } from '../core/payment.js'
import type { Actor } from '../core/person.js'
import { LONGEST_TERM } from '../core/plan.js'
import { decidePayment, hashOf, type Quote, type Wanted } from '../core/quote.js'
import { decideSettlement } from '../core/settlement.js'
import { BY_BALANCE, NEVER_PAID } from '../core/subscription.js'
import { changeUser, type Decided } from '../ledger/change-user.js'
import { quoteRefusal } from '../ledger/refusals.js'
import type { SettleDeps } from '../ledger/settle.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { findRecentPurchase } from './recent-purchase.sql.js'
import { requireShown } from './shown-price.js'

export type BuyDeps = SettleDeps & QuoteDeps

interface Asked extends Pick<Wanted, 'planId' | 'months' | 'start' | 'poNumber'> {
  readonly user: Actor
  readonly metadata?: Metadata | undefined
  /** The code as it was typed. */
  readonly code: string | undefined
  /** The price on the page, in whole dinars. */
  readonly shown?: number | undefined
}

const SAME_WITHIN_MS = MINUTE

export function payByBalance(deps: BuyDeps): PaysAtOnce {
  return {
    method: BY_BALANCE,
    buy: async ({ user, requestId }, { months = 1, ...asked }) => {
      const paymentId = await buyByBalance(deps, { ...asked, months, user })
      deps.log.info(
        { request_id: requestId, user_id: user.userId, payment_id: paymentId },
        'bought by balance',
      )
      return { paymentId }
    },
  }
}

/**
 * Throws what `quoteRefusal` names, `balance_too_low` with what is missing, `conflict` if the price is above
 * the shown one, `unknown_method` if there are no balances.
 */
async function buyByBalance(deps: BuyDeps, asked: Asked): Promise<string> {
  if (deps.rules.balanceMax === 0) throw new BillingError('unknown_method')
  const { months, code } = asked
  const { userId } = asked.user
  if (!Number.isInteger(months) || Math.abs(months) > LONGEST_TERM) throw new BillingError('unknown_term')
  const buy = () =>
    changeUser(deps, {
      what: 'a purchase by balance',
      inTurnOf: userId,
      load: async () => ({ userId, user: (await deps.loadUser(userId))?.user ?? null }),
      decide: ({ user }, now) => buyOnFacts(deps, asked, user, now),
    })
  const [discount] = code === undefined ? [] : deps.discounts
  return discount ? discount.countTry(userId, buy) : buy()
}

async function buyOnFacts(
  deps: BuyDeps,
  asked: Asked,
  user: UserRecord | null,
  now: Instant,
): Promise<Decided<string>> {
  const { planId, months, start, poNumber } = asked
  const { userId, personId } = asked.user
  const { database, rules, catalogue } = deps
  const facts = user?.subscription ?? NEVER_PAID
  // Read after the user, so that a change between the two reads makes those facts stale.
  const code = await codeOf(deps, { userId, typed: asked.code, methods: [] })
  const same = await findRecentPurchase(database, {
    ...{ userId, planId, months: start === 'now' ? null : months },
    ...{ codeHash: hashOf(code), poNumber: poNumber ?? null, since: now - SAME_WITHIN_MS },
  })
  if (same !== null) return { revision: null, result: same }
  const decision = decidePayment(
    facts,
    { planId, months, start, code, mode: 'payment' },
    catalogue,
    now,
    rules,
  )
  if (decision.kind !== 'sold') throw quoteRefusal(decision)
  const { quote } = decision
  requireShown(quote.amount, asked.shown)
  const missing = quote.amount - balanceIn(facts)
  if (!user || missing > 0) throw new BillingError('balance_too_low', { extra: { missing } })
  const { metadata } = asked
  return booking(deps, { userId, boughtBy: personId, poNumber, metadata, user, quote }, now)
}

/** Booked by the common settlement: a report of our own says that it is paid. */
function booking(
  deps: BuyDeps,
  of: {
    readonly userId: string
    readonly boughtBy: string | undefined
    readonly poNumber: string | undefined
    readonly metadata: Metadata | undefined
    readonly user: UserRecord
    readonly quote: Quote
  },
  now: Instant,
): Decided<string> {
  const { userId, boughtBy, poNumber, metadata, user, quote } = of
  const { offer, change, amount, discount, codeHash } = quote
  const method = deps.methods.of(BY_BALANCE)
  const id = deps.ids.next('pay', now)
  const ordered = newPayment({
    ...{ id, userId, boughtBy, poNumber, metadata, method, createdAt: now, attemptEndsAt: now },
    ...(change && { change }),
    offer: { ...offer, price: { ...offer.price, amount } },
    ...(codeHash !== null && { code: { hash: codeHash, discount } }),
  })
  const booked = decideSettlement({ payment: ordered, subscription: user.subscription }, paidNow(ordered), {
    ...{ now, rules: deps.rules, method, asked: true },
    freshPaymentId: () => deps.ids.next('pay', now),
  })
  const { subscription } = booked
  if (booked.outcome !== 'booked' || !subscription) throw new Error(`${id} was ${booked.outcome}`)
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

function paidNow({ id, userId, method, price, live, createdAt }: Payment): CheckoutReport {
  return {
    ...{ method, checkoutId: id, status: 'paid', amount: price.amount, currency: price.currency, live },
    ...{ paymentId: id, userId, instrument: BY_BALANCE, checkoutUrl: null, fees: 0 },
    ...{ createdAt, updatedAt: createdAt, paidAt: createdAt },
  }
}
