// The quote of a payment, by the decision that the payment is made on, and the worth of a code.
import type { DiscountSource } from '../acts/capability.js'
import { monthsOf } from '../core/code.js'
import { BillingError } from '../core/error.js'
import {
  decideQuote,
  quotesIn,
  renewabilityAt,
  type Start,
  termDecisions,
  type Wanted,
} from '../core/quote.js'
import { NEVER_PAID, purchaseAt, renewed } from '../core/subscription.js'
import type { CommonParts } from '../ledger/parts.js'
import { quoteRefusal } from '../ledger/refusals.js'
import type { StatusDeps } from './status.js'

export interface QuoteDeps
  extends Pick<StatusDeps, 'loadUser'>,
    Pick<CommonParts, 'clock' | 'rules' | 'methods'> {
  /** The first one reads the code that was typed; empty: no discounts. */
  readonly discounts: readonly DiscountSource[]
}

interface WantedQuote {
  readonly userId: string
  readonly planId: string
  readonly months: number
  readonly start?: Start
  readonly code?: string | undefined
}

/**
 * Returns the quote with its facts and instant. `isAhead` is true before the renewal window, where a form
 * buys only with its field `ahead`. Throws what `quoteRefusal` names, and `too_many_wrong_codes`.
 */
export function readQuote(deps: QuoteDeps, { userId, code: typed, ...offer }: WantedQuote) {
  const { rules } = deps
  return countCodeTry(deps, { userId, typed }, async () => {
    const { facts, code, now } = await factsWithCode(deps, userId, typed)
    const decision = decideQuote(facts, { ...offer, code, mode: 'payment' }, now, rules)
    if (decision.kind !== 'sold') throw quoteRefusal(decision)
    const isAhead = !renewabilityAt(facts, now, rules).allowed
    return { quote: decision.quote, isAhead, facts: renewed(facts, now, rules), now }
  })
}

/**
 * The worth of a typed code: the months that it gives, or the quotes of purchases with it, at least one, in
 * the order of the catalogue. Throws `code_not_valid`, `too_many_wrong_codes`, `prepaid_limit_reached`.
 */
export function readCodeWorth(deps: QuoteDeps, userId: string, typed: string) {
  const { rules } = deps
  return countCodeTry(deps, { userId, typed }, async () => {
    const { facts, code, now } = await factsWithCode(deps, userId, typed)
    const gives = monthsOf(typeof code === 'object' ? code : null, now)
    if (gives) {
      const { period } = purchaseAt(facts, now, gives.months, rules)
      return { kind: 'months' as const, ...gives, period }
    }
    const decisions = termDecisions(facts, now, rules, code)
    const quotes = quotesIn(decisions)
    if (quotes.length > 0) return { kind: 'discount' as const, quotes }
    const [refused] = decisions.filter((decision) => decision.kind !== 'sold')
    const isWrong = decisions.some(({ kind }) => kind === 'code_not_valid')
    throw refused && !isWrong ? quoteRefusal(refused) : new BillingError('code_not_valid')
  })
}

async function factsWithCode(deps: QuoteDeps, userId: string, typed: string | undefined) {
  const { loadUser, clock, methods } = deps
  const facts = (await loadUser(userId))?.user.subscription ?? NEVER_PAID
  const names = methods.gateways.map(({ name }) => name)
  const code = await codeOf(deps, { userId, typed, methods: names })
  return { facts, code, now: clock.now() }
}

/** Runs `work`. With a typed code it is a try, and tries are counted. Throws `too_many_wrong_codes`. */
export function countCodeTry<Result>(
  { discounts: [discount] }: Pick<QuoteDeps, 'discounts'>,
  { userId, typed }: { readonly userId: string; readonly typed: string | undefined },
  work: () => Promise<Result>,
): Promise<Result> {
  return discount && typed !== undefined ? discount.countTry(userId, work) : work()
}

export type AskedCode = Parameters<DiscountSource['lookUp']>[0]

/** Undefined: no code was given. */
export async function codeOf(
  { discounts: [discount] }: Pick<QuoteDeps, 'discounts'>,
  { typed, ...of }: Omit<AskedCode, 'typed'> & { readonly typed: string | undefined },
): Promise<Wanted['code']> {
  if (typed === undefined) return undefined
  return (discount && (await discount.lookUp({ ...of, typed }))) ?? 'unknown'
}
