// All the time that a user had, has and will have, in order: what each payment, code and grant gave, and the
// gaps. Read from what is kept of the sources: the facts forget periods that are over. Pure.
import type { ChangeOrder } from './change.js'
import { DAY, type Instant } from './instant.js'
import type { Plan } from './plan.js'
import { type PaidPeriod, type Period, planAt, type Subscription } from './subscription.js'

export const TIME_GIVERS = ['paid', 'code', 'granted'] as const
export type TimeGiver = (typeof TIME_GIVERS)[number]

/** What a payment, a code or a grant gave, before anything of it was taken back. */
export interface GivenTime extends Period {
  readonly by: TimeGiver
  /** `pay_…`, `red_…`, `grt_…` or `tri_…` */
  readonly id: string
  readonly plan: Pick<Plan, 'id' | 'name'>
  /** 0 where days were granted, and the other way round. */
  readonly months: number
  readonly days: number
  /** When it became the user's. */
  readonly bookedAt: Instant
  /** When its money went back; null: it did not. */
  readonly refundedAt: Instant | null
  /** Of granted days: the grant whose period they lengthen; absent: their own. */
  readonly holder?: string
}

/** Another plan for a part of given time, which a payment bought. */
export interface ChangedTime {
  readonly id: string
  readonly plan: Pick<Plan, 'id' | 'name'>
  readonly at: Instant
  readonly refundedAt: Instant | null
  readonly parts: ChangeOrder['parts']
}

/** A piece of the list. */
export type TimeEntry =
  | (Omit<GivenTime, 'bookedAt' | 'refundedAt'> & { readonly isRefunded: boolean })
  | (Period & { readonly by: 'gap' })

/** `stops`: when operators ended the user's access. `changes`: as they were booked. */
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
    // Days granted behind granted days of the same plan are one piece, as they are one period.
    if (last?.by === 'granted' && time.by === 'granted' && isJoined(last, time))
      list.splice(-1, 1, { ...last, end: time.end, days: last.days + time.days })
    else list.push(time)
  }
  return list
}

/** Named one by one: copying what is left takes 1 µs for each. */
function withoutRefunded(given: GivenTime, stops: readonly Instant[]): Held {
  const { by, id, plan, months, days, start, refundedAt } = given
  return { by, id, plan, months, days, start, end: endOf(given, stops), isRefunded: refundedAt !== null }
}

type Held = TimeEntry & { readonly by: TimeGiver }

/** A piece of another plan is of the payment that bought it. */
function cutByChanges(
  time: Held,
  given: readonly GivenTime[],
  changes: readonly ChangedTime[],
): readonly Held[] {
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
  const pieces = [time.start, ...within].map((start, place): Held => {
    const end = within[place] ?? time.end
    const change = spans.findLast((span) => span.start <= start && start < span.end)?.change
    if (!change) return { ...time, start, end }
    const { id, plan, refundedAt } = change
    return { by: 'paid', id, plan, months: 0, days: 0, start, end, isRefunded: refundedAt !== null }
  })
  return pieces
}

/** A refund takes what is left of its time; an end by an operator, what was the user's then. */
function endOf({ end, bookedAt, refundedAt }: GivenTime, stops: readonly Instant[]): Instant {
  return Math.min(end, refundedAt ?? end, ...stops.filter((stop) => bookedAt <= stop))
}

interface OfPlan extends Period {
  readonly plan: Pick<Plan, 'id'>
}

function isJoined(one: OfPlan, other: OfPlan): boolean {
  return one.end === other.start && one.plan.id === other.plan.id
}

/** Time on one plan without a gap, from whatever sources. */
export type PlanStretch = Pick<PaidPeriod, 'plan' | 'start' | 'end'>

/** What is not over: the plan in effect, then those that follow. None in grace. */
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

/** A period cut where its plan changes. */
function piecesOf(period: PaidPeriod): readonly PlanStretch[] {
  const { start, end, changes } = period
  if (!changes) return [period]
  const cuts = changes.flatMap(({ at, days }) => (days === undefined ? [at] : [at, start + days * DAY]))
  const within = cuts.filter((cut) => start < cut && cut < end).sort((one, other) => one - other)
  return [start, ...within].map((from, place) => {
    return { plan: planAt(period, from), start: from, end: within[place] ?? end }
  })
}
