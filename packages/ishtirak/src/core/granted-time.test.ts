import fc from 'fast-check'
import { aPayment, instantOf, PRO, RULES } from '../../../../test/support/fixtures.js'
import { forAll } from '../../../../test/support/for-all.js'
import { DAY, HOUR, type Instant } from './instant.js'
import { decideEnd, decideRefund } from './refund.js'
import {
  extend,
  grantAt,
  NEVER_PAID,
  type PaidPeriod,
  purchaseAt,
  type SubscriptionFacts,
  statusAt,
} from './subscription.js'

type Step = { id: string; at: Instant; months?: number; days?: number }

function add(facts: SubscriptionFacts, { id, at, months = 0, days }: Step): SubscriptionFacts {
  const time = days ? grantAt(facts, at, days, RULES) : purchaseAt(facts, at, months, RULES)
  return extend(facts, time, { id, plan: PRO, instrument: null }, at)
}

const factsOf = (...steps: readonly Step[]) => steps.reduce(add, NEVER_PAID)

function refund(facts: SubscriptionFacts, id: string, now: Instant): SubscriptionFacts {
  const decided = decideRefund({ payment: aPayment({ id, status: 'paid' }), subscription: facts }, now, RULES)
  if (!decided || 'changeFirst' in decided) throw new Error('it is not to be refunded')
  return decided.subscription
}

const january = instantOf('2026-01-31T10:00:00Z')
const bought: Step = { id: 'pay_1', at: january, months: 1 }

describe('days that are granted', () => {
  it('lengthen the period of days granted before them, of the same plan alone', () => {
    const steps = Array.from({ length: 2_400 }, (_, n) => ({ id: `grt_${n}`, at: january + n, days: 1 }))
    const facts = factsOf(bought, ...steps)
    const start = instantOf('2026-02-28T10:00:00Z')
    const granted = { days: 2_400, follows: { anchorAt: january, months: 1 } }
    expect(facts.periods.slice(1)).toEqual([
      { sourceId: 'grt_0', plan: PRO, months: 0, start, end: start + 2_400 * DAY, granted },
    ])
    const other = { ...PRO, limits: { ...PRO.limits, projects: 99 } }
    const more = grantAt(facts, january + DAY, 1, RULES)
    const source = { id: 'grt_more', plan: other, instrument: null }
    expect(extend(facts, more, source, january + DAY).periods).toHaveLength(3)
    // As it comes back from the database: in another order.
    const sorted = Object.fromEntries(Object.entries(PRO).reverse()) as unknown as typeof PRO
    expect(extend(facts, more, { ...source, plan: sorted }, january + DAY).periods).toHaveLength(2)
  })

  it('count in grace from the end, and access goes on where the new end lies ahead', () => {
    const inGrace = instantOf('2026-03-02T09:00:00Z')
    const [short, enough] = [1, 2].map((days) => add(factsOf(bought), { id: 'grt_1', at: inGrace, days }))
    expect(short && statusAt(short, inGrace, RULES)).toMatchObject({ plan: PRO, status: 'past_due' })
    expect(enough && statusAt(enough, inGrace, RULES)).toMatchObject({ plan: PRO, status: 'active' })
    expect(enough?.paidUntil).toBe(instantOf('2026-03-02T10:00:00Z'))
  })
})

/** Months count from the end of the granted days before them, else from the run's anchor. */
function expectWhole(facts: SubscriptionFacts): void {
  const { run, periods, paidUntil } = facts
  const { monthsAfter } = RULES.calendar
  const granted = periods.findLastIndex((period) => period.granted)
  const anchorOf = (place: number) => {
    const before = periods.slice(0, place).findLastIndex((period) => period.granted)
    if (before >= 0) return { anchorAt: periods[before]?.end ?? 0, first: before + 1, skipped: 0 }
    const follows = periods.find((period) => period.granted)?.granted?.follows ?? run
    const known = sumOf(periods.slice(0, granted < 0 ? undefined : periods.findIndex((one) => one.granted)))
    return { anchorAt: follows?.anchorAt ?? 0, first: 0, skipped: (follows?.months ?? 0) - known }
  }
  for (const [place, period] of periods.entries()) {
    if (place > 0) expect(period.start).toBe(periods[place - 1]?.end)
    if (period.granted) {
      expect(period.end - period.start).toBe(period.granted.days * DAY)
      continue
    }
    const { anchorAt, first, skipped } = anchorOf(place)
    expect(skipped).toBeGreaterThanOrEqual(0)
    const before = skipped + sumOf(periods.slice(first, place))
    expect([period.start, period.end]).toEqual([
      monthsAfter(anchorAt, before),
      monthsAfter(anchorAt, before + period.months),
    ])
  }
  const end = periods.at(-1)?.end
  expect([paidUntil, monthsAfter(run?.anchorAt ?? 0, run?.months ?? 0)]).toEqual([end, end])
}

/** Granted days that a refund moved next to each other are the same as one period of both. */
function leftOf({ periods }: SubscriptionFacts, now: Instant) {
  const left: { start: Instant; end: Instant; months: number }[] = []
  for (const { start, end, months, granted } of periods) {
    const last = left.at(-1)
    if (end <= now) continue
    if (granted && last?.months === 0) last.end = end
    else left.push({ start: granted ? Math.max(start, now) : start, end, months })
  }
  return left
}

const sumOf = (periods: readonly PaidPeriod[]) => periods.reduce((sum, { months }) => sum + months, 0)

const step = fc.record({
  what: fc.constantFrom('pay', 'pay', 'red', 'grt', 'grt', 'refund', 'refund', 'end'),
  // Mostly within the paid time; now and then after its end.
  wait: fc.oneof(fc.integer({ min: 0, max: 20 * DAY }), fc.integer({ min: 0, max: 500 * DAY })),
  months: fc.integer({ min: 1, max: 36 }),
  days: fc.integer({ min: 1, max: 366 }),
  nth: fc.nat(),
})

interface Life {
  facts: SubscriptionFacts
  /** The steps that led to the facts, each as if nothing else had happened. */
  steps: readonly Step[]
}

function giveBack(life: Life, nth: number, now: Instant): void {
  const { facts: before, steps } = life
  const paid = steps.filter((one) => one.id.startsWith('pay'))
  const chosen = paid[nth % (paid.length || 1)]
  if (!chosen) return
  life.facts = refund(before, chosen.id, now)
  const coming = before.periods.filter(({ end }) => end > now)
  const period = coming.find(({ sourceId }) => sourceId === chosen.id)
  if (before.endedAt !== null || !period) {
    expect(life.facts).toEqual(before)
    return
  }
  const later = steps.slice(steps.indexOf(chosen) + 1)
  life.steps =
    period.start > now ? steps.filter((one) => one !== chosen) : later.map((one) => ({ ...one, at: now }))
  const isLeft = coming.length > 1
  expect(life.facts.endedAt).toBe(isLeft ? null : now)
  if (!isLeft) return
  const replayed = factsOf(...life.steps)
  expect([life.facts.run, life.facts.paidUntil]).toEqual([replayed.run, replayed.paidUntil])
  expect(leftOf(life.facts, now)).toEqual(leftOf(replayed, now))
}

function give(life: Life, one: Step): void {
  const { facts: before, steps } = life
  const { at: now, months = 0, days } = one
  const { renews } = days ? grantAt(before, now, days, RULES) : purchaseAt(before, now, months, RULES)
  life.facts = add(before, one)
  life.steps = renews ? [...steps, one] : [one]
  if (days) expect(life.facts.paidUntil).toBe((renews ? (before.paidUntil ?? 0) : now) + days * DAY)
  // Days behind granted days lengthen their period.
  const had = renews ? before.periods.filter(({ end }) => end > now) : []
  const lengthened = days && had.at(-1)?.granted ? had.at(-1) : undefined
  expect(life.facts.periods.slice(0, -1)).toEqual(lengthened ? had.slice(0, -1) : had)
  if (lengthened) expect(life.facts.periods.at(-1)?.start).toBe(lengthened.start)
}

it('time in is time out: what is left is, to the second, what was added and not used or given back', () => {
  const begin = fc.integer({ min: 0, max: 365 * 24 }).map((hour) => january + hour * HOUR)
  forAll(200, begin, fc.array(step, { maxLength: 25 }), (begin, happenings) => {
    let now = begin
    const life: Life = { facts: NEVER_PAID, steps: [] }
    for (const [index, { what, wait, months, days, nth }] of happenings.entries()) {
      now += wait
      const id = `${what}_${index}`
      if (what === 'end') life.facts = decideEnd(life.facts, now, RULES)?.subscription ?? life.facts
      else if (what === 'refund') giveBack(life, nth, now)
      else give(life, what === 'grt' ? { id, at: now, days } : { id, at: now, months })
      if (life.facts.run) expectWhole(life.facts)
    }
  })
})
