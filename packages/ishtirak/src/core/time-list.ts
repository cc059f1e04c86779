// All the time that a user had, has and will have, in order: what each payment, code and grant gave, and the
// gaps. It is read from the sources, because the facts drop periods that are over. Pure.
import type { ChangeOrder } from './change.js'
import { DAY, type Instant } from './instant.js'
import type { Plan } from './plan.js'
import { type PaidPeriod, type Period, planAt, type Subscription } from './subscription.js'

export const TIME_GIVERS = ['paid', 'code', 'granted', 'trial'] as const
export type TimeGiver = (typeof TIME_GIVERS)[number]

/** The time that a payment, a code, a grant or a trial gave, before anything was taken back. */
export interface GivenTime extends Period {
  readonly by: TimeGiver
  /** `pay_…`, `red_…`, `grt_…` or `tri_…` */
  readonly id: string
  readonly plan: Pick<Plan, 'id' | 'name'>
  /** 0 if days were granted. Otherwise `days` is 0. */
  readonly months: number
  readonly days: number
  readonly bookedAt: Instant
  /** When its money was refunded; null: never. */
  readonly refundedAt: Instant | null
  /** The grant whose period these granted days lengthen; null: they have their own. */
  readonly holder: string | null
}

export interface ChangedTime {
  readonly id: string
  readonly plan: Pick<Plan, 'id' | 'name'>
  readonly at: Instant
  readonly refundedAt: Instant | null
  readonly parts: ChangeOrder['parts']
}

export type TimeEntry =
  | (Omit<GivenTime, 'bookedAt' | 'refundedAt' | 'holder'> & { readonly isRefunded: boolean })
  | (Period & { readonly by: 'gap' })

/** `stops`: when operators ended the user's access. `changes`: in the order of their booking. */
export function listTime(
  given: readonly GivenTime[],
  stops: readonly Instant[],
  changes: readonly ChangedTime[] = [],
): readonly TimeEntry[] {
  const list: TimeEntry[] = []
  const held = given.map((one) => withoutRefunded(one, stops)).filter(({ start, end }) => start < end)
  const parts = changes.length === 0 ? held : held.flatMap((time) => cutByChanges(time, given, changes))
  for (const time of parts.sort((one, other) => one.start - other.start || one.end - other.end)) {
    const last = list.at(-1)
    if (last && last.end < time.start) list.push({ by: 'gap', start: last.end, end: time.start })
    // Granted days after granted days of the same plan are one piece, because they are one period.
    if (last?.by === 'granted' && time.by === 'granted' && isJoined(last, time))
      list.splice(-1, 1, { ...last, end: time.end, days: last.days + time.days })
    else list.push(time)
  }
  return list
}

/** Fields are named one by one: copying the rest takes 1 µs a row. */
function withoutRefunded(given: GivenTime, stops: readonly Instant[]): HeldTime {
  const { by, id, plan, months, days, start, refundedAt } = given
  return { by, id, plan, months, days, start, end: endOf(given, stops), isRefunded: refundedAt !== null }
}

type HeldTime = TimeEntry & { readonly by: TimeGiver }

/** A piece on another plan belongs to the payment that bought the change. */
function cutByChanges(
  time: HeldTime,
  given: readonly GivenTime[],
  changes: readonly ChangedTime[],
): readonly HeldTime[] {
  const holderId = given.find(({ id }) => id === time.id)?.holder ?? time.id
  const from = given.find(({ id }) => id === holderId)?.start ?? time.start
  const spans = changes.flatMap((change) =>
    change.parts
      .filter(({ sourceId }) => sourceId === holderId)
      .map(({ days }) => {
        const until = days === undefined ? time.end : from + days * DAY
        return { change, start: change.at, end: Math.min(until, change.refundedAt ?? until) }
      }),
  )
  const cuts = spans.flatMap(({ start, end }) => [start, end])
  const within = [...new Set(cuts)].filter((cut) => time.start < cut && cut < time.end).sort((a, b) => a - b)
  return [time.start, ...within].map((start, place): HeldTime => {
    const end = within[place] ?? time.end
    const change = spans.findLast((span) => span.start <= start && start < span.end)?.change
    if (!change) return { ...time, start, end }
    const { id, plan, refundedAt } = change
    return { by: 'paid', id, plan, months: 0, days: 0, start, end, isRefunded: refundedAt !== null }
  })
}

/** A refund takes what is left of its time. An operator's end takes all time that the user had then. */
function endOf({ end, bookedAt, refundedAt }: GivenTime, stops: readonly Instant[]): Instant {
  return Math.min(end, refundedAt ?? end, ...stops.filter((stop) => bookedAt <= stop))
}

interface PlanPeriod extends Period {
  readonly plan: Pick<Plan, 'id'>
}

function isJoined(one: PlanPeriod, other: PlanPeriod): boolean {
  return one.end === other.start && one.plan.id === other.plan.id
}

/** Time on one plan without a gap, from any sources. */
export type PlanStretch = Pick<PaidPeriod, 'plan' | 'start' | 'end'>

/** The stretches that are not over: the plan in effect, then those that follow. None in grace. */
export function stretchesAt({ status, periods }: Subscription, now: Instant): readonly PlanStretch[] {
  return status === 'active' ? stretchesOf(periods).filter(({ end }) => now < end) : []
}

function stretchesOf(periods: readonly PaidPeriod[]): readonly PlanStretch[] {
  const stretches: PlanStretch[] = []
  for (const { plan, start, end } of periods.flatMap(piecesOf)) {
    const last = stretches.at(-1)
    if (last && isJoined(last, { plan, start, end })) stretches.splice(-1, 1, { ...last, end })
    else stretches.push({ plan, start, end })
  }
  return stretches
}

function piecesOf(period: PaidPeriod): readonly PlanStretch[] {
  const { start, end, changes } = period
  if (!changes) return [period]
  const cuts = changes.flatMap(({ at, days }) => (days === undefined ? [at] : [at, start + days * DAY]))
  const within = cuts.filter((cut) => start < cut && cut < end).sort((one, other) => one - other)
  return [start, ...within].map((from, place) => {
    return { plan: planAt(period, from), start: from, end: within[place] ?? end }
  })
}
