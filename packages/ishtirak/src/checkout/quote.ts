// The quote of a payment: the decision that the payment is made on, without its effect.
import type { DiscountSource } from '../acts/capability.js'
import { decideQuote, renewabilityAt, type Start, type Wanted } from '../core/quote.js'
import { NEVER_PAID, renewed } from '../core/subscription.js'
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
  /** Absent: `end`. */
  readonly start?: Start
  /** The code as it was typed. */
  readonly code?: string | undefined
}

/**
 * Returns the quote with its facts and instant. `isAhead` is true before the renewal window, where a form
 * buys only with its field `ahead`. Throws what `quoteRefusal` names, and `too_many_wrong_codes`.
 */
export function readQuote(deps: QuoteDeps, { userId, code: typed, ...offer }: WantedQuote) {
  const { loadUser, clock, rules, methods } = deps
  return countCodeTry(deps, { userId, typed }, async () => {
    const facts = (await loadUser(userId))?.user.subscription ?? NEVER_PAID
    const names = methods.gateways.map(({ name }) => name)
    const code = await codeOf(deps, { userId, typed, methods: names })
    const now = clock.now()
    const decision = decideQuote(facts, { ...offer, code, mode: 'payment' }, now, rules)
    if (decision.kind !== 'sold') throw quoteRefusal(decision)
    const isAhead = !renewabilityAt(facts, now, rules).allowed
    return { quote: decision.quote, isAhead, facts: renewed(facts, now, rules), now }
  })
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
