// What the next payment would buy, told before anyone pays: whether it can be made now, what it costs, from when to when.
import type { Instant } from './instant.js'
import { type Catalogue, type Plan, planById } from './plan.js'
import { periodBought, renewableFrom, type SubscriptionFacts, statusAt, type Terms } from './subscription.js'

export interface Renewal {
  /** Whether an upgrade would be accepted at this instant. */
  readonly allowed: boolean
  readonly plan: Plan
  /** What a payment made at this instant would buy, `[wouldStart, wouldEnd)`. */
  readonly wouldStart: Instant
  readonly wouldEnd: Instant
  /** From when the next month can be bought; null where nothing is running. */
  readonly renewableFrom: Instant | null
}

/** Null when the catalogue holds nothing to buy. Renewed is the plan that was bought last, while it is sold. */
export function renewalAt(
  facts: SubscriptionFacts,
  catalogue: Catalogue,
  now: Instant,
  terms: Terms,
): Renewal | null {
  const before = planById(catalogue, facts.months.at(-1)?.plan.id ?? '')
  const plan = [before, ...catalogue.plans].find((candidate) => candidate && candidate.price > 0)
  if (!plan) return null
  const { status, currentPeriodEnd } = statusAt(facts, now, terms)
  const isRunning = currentPeriodEnd !== null && (status === 'active' || status === 'past_due')
  const from = isRunning ? renewableFrom(currentPeriodEnd, terms) : null
  const { period } = periodBought(facts, now, terms)
  return {
    allowed: from === null || now >= from,
    plan,
    wouldStart: period.start,
    wouldEnd: period.end,
    renewableFrom: from,
  }
}
