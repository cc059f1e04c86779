// What a payment would be, before anyone pays: the decision that the payment is made on, without its effect.
import type { Catalogue } from '../core/plan.js'
import { decideQuote, type Quote } from '../core/quote.js'
import { NEVER_PAID } from '../core/subscription.js'
import { quoteRefusal } from './refusals.js'
import type { StatusDeps } from './status.js'

export interface QuoteDeps extends Pick<StatusDeps, 'loadUser' | 'clock' | 'rules'> {
  readonly catalogue: Catalogue
}

/** Throws what `quoteRefusal` names. */
export async function readQuote(
  { loadUser, catalogue, clock, rules }: QuoteDeps,
  { userId, ...wanted }: { readonly userId: string; readonly planId: string; readonly months: number },
): Promise<Quote> {
  const loaded = await loadUser(userId)
  const facts = loaded?.user.subscription ?? NEVER_PAID
  const decision = decideQuote(facts, { ...wanted, mode: 'payment' }, catalogue, clock.now(), rules)
  if (decision.kind !== 'sold') throw quoteRefusal(decision)
  return decision.quote
}
