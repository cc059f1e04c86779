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
  const told = tell([type], { subscription, payment, ...causesOf(type, { plan, first, now }) }, now)
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
    ...{ metadata: null, checkoutId: null, checkoutUrl: null },
    price: offer?.price ?? { amount: 0, currency: plan.currency },
    instrument: isPaid ? 'edahabia' : null,
    createdAt: now,
    expiresAt: now + DAY,
    paidAt: isPaid ? now : null,
    periodStart: isPaid ? now : null,
    periodEnd: isPaid ? now + TERM : null,
  }
}

/** What brings each type about; an event is told of what its type carries. */
function causesOf(
  type: EventType,
  { plan, first, now: at }: { readonly plan: Plan; readonly first: Plan; readonly now: Instant },
): Omit<Change, 'subscription' | 'payment'> {
  const { carries, sample } = describedEvent(type)
  const { state } = sample
  const isOver = state === 'past_due' || state === 'expired'
  const announcement = { boundary: isOver ? state : ('expiring_3_days' as const), at, skipped: [] }
  const end = at + TERM
  const entry = {
    ...{ id: 'ent_sample', kind: 'top_up' as const, amount: 6_000, balanceAfter: 6_000 },
    ...{ paymentId: 'pay_sample', note: null, createdAt: at },
  }
  const isEntry = type === 'balance.changed'
  const order = isEntry ? null : { plan, months: 1, price: plan.price, offered: null }
  const balance = { amount: 6_000, entries: 1, since: at, order }
  return {
    ...(carries.includes('announcement') && { announcement }),
    ...(carries.includes('grant') && {
      grant: { id: 'grt_sample', plan, months: 0, days: 30, start: at, end },
    }),
    change: { from: first, to: plan, at, until: end },
    reason: carries.includes('reason') ? 'a sample' : undefined,
    balance: {
      facts: { balance, paidUntil: end, endedAt: null },
      entry: isEntry ? entry : undefined,
    },
  }
}
