// The worth of a code to a user: the months that it gives, or the price of purchases with it.
import { monthsOf } from '../core/code.js'
import { BillingError } from '../core/error.js'
import type { Plan } from '../core/plan.js'
import { type Quote, quotesIn, termDecisions } from '../core/quote.js'
import { NEVER_PAID, type Period, purchaseAt } from '../core/subscription.js'
import { quoteRefusal } from '../ledger/refusals.js'
import type { QuoteDeps } from './quote.js'

export type CodeWorth =
  | { readonly kind: 'months'; readonly plan: Plan; readonly months: number; readonly period: Period }
  /** `quotes` has at least one, in the order of the catalogue. */
  | { readonly kind: 'discount'; readonly quotes: readonly Quote[] }

/** `typed` is the typed code. Throws `code_not_valid`, `too_many_wrong_codes`, `prepaid_limit_reached`. */
export function readCodeWorth(deps: QuoteDeps, userId: string, typed: string): Promise<CodeWorth> {
  const [discount] = deps.discounts
  if (!discount) throw new BillingError('code_not_valid')
  return discount.countTry(userId, async () => {
    const { loadUser, clock, methods, rules } = deps
    const facts = (await loadUser(userId))?.user.subscription ?? NEVER_PAID
    const names = methods.gateways.map(({ name }) => name)
    const code = await discount.lookUp({ userId, typed, methods: names })
    const now = clock.now()
    const gives = monthsOf(code, now)
    if (gives) return { kind: 'months', ...gives, period: purchaseAt(facts, now, gives.months, rules).period }
    const decisions = termDecisions(facts, now, rules, code ?? 'unknown')
    const quotes = quotesIn(decisions)
    if (quotes.length > 0) return { kind: 'discount', quotes }
    const [refused] = decisions.filter((decision) => decision.kind !== 'sold')
    const isWrong = decisions.some(({ kind }) => kind === 'code_not_valid')
    throw refused && !isWrong ? quoteRefusal(refused) : new BillingError('code_not_valid')
  })
}
