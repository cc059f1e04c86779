// A sample of an event of each type. `renderEvent` writes it as it writes the real ones.
import { type EventContent, renderEvent } from '../core/event.js'
import { describedEvent, type EventType } from '../core/event-types.js'
import { DAY, type Instant, toTimestamp } from '../core/instant.js'
import type { Catalogue } from '../core/plan.js'

const TERM = 30 * DAY

/** The status of each state, whether the paid plan runs, and how long after now the paid time ends. */
const STATES = {
  never_paid: ['active', false, null],
  active: ['active', true, TERM],
  expiring: ['active', true, 3 * DAY],
  past_due: ['past_due', true, 0],
  expired: ['expired', false, -3 * DAY],
  canceled: ['canceled', false, 0],
} as const

/** Its `sequence` is 1, so it is no later than any event that a receiver had of this user. */
export function sampleEvent(
  type: EventType,
  of: { readonly userId: string; readonly catalogue: Catalogue; readonly now: Instant },
): string {
  const { userId, catalogue, now } = of
  const { carries, sample } = describedEvent(type)
  const { state = 'never_paid', payment: [paymentStatus, method] = [] } = sample
  const sold = catalogue.plans.filter(({ price }) => price > 0)
  const [first = catalogue.free] = sold
  const isChange = type === 'subscription.changed'
  const plan = isChange ? (sold.at(-1) ?? first) : first
  const [status, isRunning, endsIn] = STATES[state]
  const { id, limits } = isRunning ? plan : catalogue.free
  const [at, end] = [toTimestamp(now), toTimestamp(now + TERM)]
  const period = { period_start: at, period_end: end }
  const card = { payment_method: 'edahabia' }
  const isPaid = paymentStatus === 'paid' || paymentStatus === 'refunded'
  const entry = {
    ...{ id: 'ent_sample', kind: 'top_up' as const, amount: 6_000, balance_after: 6_000 },
    ...{ payment_id: 'pay_sample', note: null, created_at: at },
  }
  const renewal = { plan: plan.id, months: 1, price: plan.price, next_at: end, offered_price: null }
  const changed = type === 'balance.changed' ? { renewal: null, entry } : { renewal, entry: null }
  const causes: Pick<EventContent, 'announcement' | 'grant' | 'change' | 'balance' | 'reason'> = {
    announcement: {
      boundary: state === 'past_due' || state === 'expired' ? state : 'expiring_3_days',
      ...{ at, skipped: [] },
    },
    grant: { id: 'grt_sample', source: 'operator', plan: plan.id, months: 0, days: 30, ...period },
    change: { from: first.id, to: plan.id, at, until: end },
    balance: { amount: 6_000, currency: 'DZD', ...changed },
    reason: 'a sample',
  }
  const content: EventContent = {
    subscription: {
      ...{ plan: id, status, limits },
      ...(endsIn !== null && { current_period_end: toTimestamp(now + endsIn), ...card }),
    },
    ...(paymentStatus && {
      payment: {
        ...{ status: paymentStatus, amount: plan.price },
        ...(isPaid && { ...card, paid_at: at, ...period }),
      },
    }),
    ...Object.fromEntries(carries.flatMap((name) => (name === 'payment' ? [] : [[name, causes[name]]]))),
  }
  const kind = isChange ? ('change' as const) : ('purchase' as const)
  const months = isChange ? null : 1
  const payment = method ? { id: 'pay_sample', kind, months, method, plan, currency: plan.currency } : null
  return renderEvent({ userId, sequence: 1, type, createdAt: now, content, payment })
}
