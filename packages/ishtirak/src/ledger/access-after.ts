// How a decision on a user's facts changes their access.
import { type Change, change } from '../acts/preview.js'
import type { Instant } from '../core/instant.js'
import { type BillingRules, type SubscriptionFacts, statusAt } from '../core/subscription.js'

/** `after` is the facts as the decision would leave them. */
export function accessChange(
  before: SubscriptionFacts,
  after: SubscriptionFacts,
  now: Instant,
  rules: BillingRules,
): Change {
  return change.access(statusAt(before, now, rules), statusAt(after, now, rules))
}
