// What a payment would be, before anyone pays: the decision that the payment is made on, without its effect.
import type { Catalogue } from '../core/plan.js'
import { decideQuote, type Quote } from '../core/quote.js'
import { NEVER_PAID } from '../core/subscription.js'
import { type CodeDeps, countingTries, lookUpCode } from './codes.js'
import { quoteRefusal } from './refusals.js'
import type { StatusDeps } from './status.js'

export interface QuoteDeps extends Pick<StatusDeps, 'loadUser' | 'clock' | 'rules' | 'methods'>, CodeDeps {
  readonly catalogue: Catalogue
}

interface WantedQuote {
  readonly userId: string
  readonly planId: string
  readonly months: number
  /** As it was typed. */
  readonly code?: string | undefined
}

/** Throws what `quoteRefusal` names, and `too_many_wrong_codes`. */
export function readQuote(deps: QuoteDeps, wanted: WantedQuote): Promise<Quote> {
  const read = () => decide(deps, wanted)
  return wanted.code === undefined ? read() : countingTries(deps, wanted.userId, read)
}

async function decide(deps: QuoteDeps, { userId, code: typed, ...offer }: WantedQuote): Promise<Quote> {
  const { loadUser, catalogue, clock, rules, methods } = deps
  const loaded = await loadUser(userId)
  const facts = loaded?.user.subscription ?? NEVER_PAID
  const names = methods.gateways.map(({ name }) => name)
  const code = typed === undefined ? undefined : await lookUpCode(deps, { userId, typed, methods: names })
  const wanted = { ...offer, code, mode: 'payment' as const }
  const decision = decideQuote(facts, wanted, catalogue, clock.now(), rules)
  if (decision.kind !== 'sold') throw quoteRefusal(decision)
  return decision.quote
}
