// What a decision on a user's facts changes of their access: the preview of acts on users.
import type { Instant } from '../core/instant.js'
import { type BillingRules, type SubscriptionFacts, statusAt } from '../core/subscription.js'
import type { UserRecord } from './users.sql.js'

/** Null: nothing changes. */
export function accessAfter(
  of: {
    readonly facts: Pick<UserRecord, 'subscription'>
    readonly decision: { readonly subscription: SubscriptionFacts } | null
    readonly now: Instant
  },
  rules: BillingRules,
) {
  const { facts, decision, now } = of
  const [before, after] = [facts.subscription, decision?.subscription ?? facts.subscription]
  const access = { before: statusAt(before, now, rules), after: statusAt(after, now, rules) }
  return { changes: [{ what: 'access' as const, ...access }], detail: null }
}
