// The worth of a code to a user: the months that it gives, or the price of purchases with it.
import { monthsOf } from '../core/code.js'
import { BillingError } from '../core/error.js'
import { quotesIn, termDecisions } from '../core/quote.js'
import { NEVER_PAID, purchaseAt } from '../core/subscription.js'
import { quoteRefusal } from '../ledger/refusals.js'
import type { QuoteDeps } from './quote.js'

/**
 * `typed` is the typed code. A discount has at least one quote, in the order of the catalogue. Throws
 * `code_not_valid`, `too_many_wrong_codes`, `prepaid_limit_reached`.
 */
export async function readCodeWorth(deps: QuoteDeps, userId: string, typed: string) {
  const [discount] = deps.discounts
  if (!discount) throw new BillingError('code_not_valid')
  return discount.countTry(userId, async () => {
    const { loadUser, clock, methods, rules } = deps
    const facts = (await loadUser(userId))?.user.subscription ?? NEVER_PAID
    const names = methods.gateways.map(({ name }) => name)
    const code = await discount.lookUp({ userId, typed, methods: names })
    const now = clock.now()
    const gives = monthsOf(code, now)
    if (gives) {
      const { period } = purchaseAt(facts, now, gives.months, rules)
      return { kind: 'months' as const, ...gives, period }
    }
    const decisions = termDecisions(facts, now, rules, code ?? 'unknown')
    const quotes = quotesIn(decisions)
    if (quotes.length > 0) return { kind: 'discount' as const, quotes }
    const [refused] = decisions.filter((decision) => decision.kind !== 'sold')
    const isWrong = decisions.some(({ kind }) => kind === 'code_not_valid')
    throw refused && !isWrong ? quoteRefusal(refused) : new BillingError('code_not_valid')
  })
}
