// A purchase that the balance pays: payment, time, receipt and entry are saved in one statement, or nothing
// is. A repetition within a minute gives the same payment, as with a page that is still open.
import type { PaysAtOnce } from '../acts/capability.js'
import { codeOf, type QuoteDeps } from '../checkout/quote.js'
import { balanceIn, type NewEntry, withEntry } from '../core/balance.js'
import { paidByBalance } from '../core/balance-payment.js'
import { BillingError } from '../core/error.js'
import { type Instant, MINUTE } from '../core/instant.js'
import { decideQuote, type Quote, renewabilityAt } from '../core/quote.js'
import { BY_BALANCE, extend, NEVER_PAID, purchaseAt } from '../core/subscription.js'
import { untilFresh } from '../database/database.js'
import { quoteRefusal } from '../ledger/refusals.js'
import { describeChange } from '../ledger/save.js'
import { receiptOf, type SettleDeps } from '../ledger/settle.js'
import { saveSettlement } from '../ledger/settle.sql.js'
import type { UserRecord } from '../ledger/users.sql.js'
import { findRecentPurchase } from './recent-purchase.sql.js'

export type BuyDeps = SettleDeps & QuoteDeps

interface Wanted {
  readonly userId: string
  readonly planId: string
  readonly months: number
  /** As it was typed. */
  readonly code: string | undefined
}

const SAME_WITHIN_MS = MINUTE

export function payByBalance(deps: BuyDeps): PaysAtOnce {
  return {
    method: BY_BALANCE,
    buy: async ({ user: { userId }, requestId }, asked) => {
      const paymentId = await buyByBalance(deps, { ...asked, userId })
      deps.log.info({ request_id: requestId, user_id: userId, payment_id: paymentId }, 'bought by balance')
      return { paymentId }
    },
  }
}

/**
 * Throws what `quoteRefusal` names, `balance_too_low` with what is missing, `unknown_method` where there are
 * no balances.
 */
async function buyByBalance(deps: BuyDeps, wanted: Wanted): Promise<string> {
  if (deps.rules.balanceMax === 0) throw new BillingError('unknown_method')
  const { userId, code } = wanted
  const round = () => buyOnFacts(deps, wanted)
  const buy = () => untilFresh('a purchase by balance', round, (again) => deps.inTurn(userId, again))
  const [discount] = code === undefined ? [] : deps.discounts
  return discount ? discount.countTry(userId, buy) : buy()
}

async function buyOnFacts(deps: BuyDeps, wanted: Wanted): Promise<string | 'stale'> {
  const { userId, planId, months } = wanted
  const { clock, database, rules, catalogue } = deps
  const now = clock.now()
  const user = (await deps.loadUser(userId))?.user
  if (user && (await deps.bookRenewals(userId, user, now))) return 'stale'
  const facts = user?.subscription ?? NEVER_PAID
  // After the user, so that what comes between them makes those facts stale.
  const code = await codeOf(deps, { userId, typed: wanted.code, methods: [] })
  const since = now - SAME_WITHIN_MS
  const same = await findRecentPurchase(database, {
    userId,
    planId,
    months,
    codeHash: code?.hash ?? null,
    since,
  })
  if (same !== null) return same
  const decision = decideQuote(facts, { planId, months, code, mode: 'payment' }, catalogue, now, rules)
  if (decision.kind !== 'sold') throw quoteRefusal(decision)
  const { quote } = decision
  const missing = quote.amount - balanceIn(facts)
  if (!user || missing > 0) throw new BillingError('balance_too_low', { extra: { missing } })
  return save(deps, { userId, user, quote }, now)
}

async function save(
  deps: BuyDeps,
  of: { readonly userId: string; readonly user: UserRecord; readonly quote: Quote },
  now: Instant,
): Promise<string | 'stale'> {
  const { userId, user, quote } = of
  const { offer, amount, discount, codeHash } = quote
  const added = purchaseAt(user.subscription, now, offer.months, deps.rules)
  const id = deps.ids.next('pay', now)
  const payment = paidByBalance({
    ...{ id, userId, added, at: now, live: deps.methods.live },
    offer: { ...offer, price: { ...offer.price, amount } },
    ...(codeHash !== null && { code: { hash: codeHash, discount } }),
  })
  const entry: NewEntry = { kind: 'purchase', amount: -amount, paymentId: id, note: null, at: now }
  const source = { id, plan: offer.plan, instrument: BY_BALANCE }
  const subscription = withEntry(extend(user.subscription, added, source, now), entry)
  const events = [
    'payment.paid',
    added.renews ? 'subscription.renewed' : 'subscription.activated',
    'balance.changed',
  ] as const
  const after = { payment, subscription, entry, events }
  const saved = await saveSettlement(deps.database, {
    ...{ isNew: true, received: null, codeUse: null, takesCode: codeHash },
    withdrawsOpen: !renewabilityAt(subscription, now, deps.rules).allowed,
    receipt: receiptOf(deps, after, { ...user, userId }, now),
    ...describeChange(deps, { userId, user, payment: null, after }, undefined, now),
  })
  return saved === 'saved' ? id : 'stale'
}
