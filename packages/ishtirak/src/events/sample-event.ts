// An event of each type as it could be, made by what makes the real ones.

import { renderEvent, tell } from '../core/event.js'
import { describedEvent, type EventType } from '../core/event-types.js'
import { DAY, type Instant } from '../core/instant.js'
import { type Catalogue, offersOf, type Plan } from '../core/plan.js'

interface SampleOf {
  readonly userId: string
  readonly catalogue: Catalogue
  readonly now: Instant
}

type Change = Parameters<typeof tell>[1]

/**
 * Gives its body. The `sequence` is 1, which is before every event that a receiver has had of this user, or
 * the first.
 */
export function sampleEvent(type: EventType, { userId, catalogue, now }: SampleOf): string {
  const sold = catalogue.plans.filter(({ price }) => price > 0)
  const [first = catalogue.free] = sold
  // From the plan that is sold first; where no other is sold, to the same.
  const plan = type === 'subscription.changed' ? (sold.at(-1) ?? first) : first
  const payment = paymentOf(type, plan, now)
  const subscription = stateOf(type, { plan, free: catalogue.free, now })
  const told = tell([type], { subscription, payment, ...causeOf(type, { plan, first }, now) }, now)
  const row = payment && { ...payment, currency: payment.price.currency }
  return renderEvent({ userId, sequence: 1, type, createdAt: now, told, payment: row })
}

/** A term has 30 days here. */
const TERM = 30 * DAY

function stateOf(
  type: EventType,
  { plan, free, now }: { readonly plan: Plan; readonly free: Plan; readonly now: Instant },
): Change['subscription'] {
  const paid = { plan, instrument: 'edahabia' }
  const left = { plan: free, instrument: 'edahabia' }
  const none = { plan: free, instrument: null, status: 'active', currentPeriodEnd: null } as const
  const states = {
    active: { ...paid, status: 'active', currentPeriodEnd: now + TERM },
    expiring: { ...paid, status: 'active', currentPeriodEnd: now + 3 * DAY },
    past_due: { ...paid, status: 'past_due', currentPeriodEnd: now },
    expired: { ...left, status: 'expired', currentPeriodEnd: now - 3 * DAY },
    canceled: { ...left, status: 'canceled', currentPeriodEnd: now },
  } as const
  const { state } = describedEvent(type).sample
  return state ? states[state] : none
}

function paymentOf(type: EventType, plan: Plan, now: Instant): Change['payment'] {
  const { payment } = describedEvent(type).sample
  if (!payment) return null
  const [status, method] = payment
  const [offer] = offersOf(plan)
  const isPaid = status === 'paid' || status === 'refunded'
  return {
    ...(type === 'subscription.changed'
      ? { kind: 'change' as const, plan, months: null }
      : { kind: 'purchase' as const, plan, months: 1 }),
    ...{ status, method, id: 'pay_sample', boughtBy: null, amountAsked: null },
    ...{ checkoutId: null, checkoutUrl: null },
    price: offer?.price ?? { amount: 0, currency: plan.currency },
    instrument: isPaid ? 'edahabia' : null,
    createdAt: now,
    expiresAt: now + DAY,
    paidAt: isPaid ? now : null,
    periodStart: isPaid ? now : null,
    periodEnd: isPaid ? now + TERM : null,
  }
}

const TOP_UP = {
  ...{ id: 'ent_sample', kind: 'top_up' as const, amount: 6_000, balanceAfter: 6_000 },
  ...{ paymentId: 'pay_sample', note: null },
}

function balanceAt(since: Instant, plan?: Plan) {
  const order = plan ? { plan, months: 1, price: plan.price, offered: null } : null
  return { balance: { amount: 6_000, entries: 1, since, order }, paidUntil: since + TERM, endedAt: null }
}

function causeOf(
  type: EventType,
  { plan, first }: { readonly plan: Plan; readonly first: Plan },
  at: Instant,
): Pick<Change, 'announcement' | 'balance' | 'grant' | 'change' | 'reason'> {
  switch (type) {
    case 'subscription.expiring':
      return { announcement: { boundary: 'expiring_3_days', at, skipped: [] } }
    case 'subscription.past_due':
      return { announcement: { boundary: 'past_due', at, skipped: [] } }
    case 'subscription.expired':
      return { announcement: { boundary: 'expired', at, skipped: [] } }
    case 'subscription.granted':
      return { grant: { id: 'grt_sample', plan, months: 0, days: 30, start: at, end: at + TERM } }
    case 'subscription.changed':
      return { change: { from: first, to: plan, at, until: at + TERM } }
    case 'payment.refused':
      return { reason: 'a sample' }
    case 'balance.changed':
      return { balance: { facts: balanceAt(at), entry: { ...TOP_UP, createdAt: at } } }
    case 'balance.renewal_changed':
      return { balance: { facts: balanceAt(at, plan) } }
    default:
      return {}
  }
}
