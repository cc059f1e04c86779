// The model by itself, against arithmetic done by hand: what it says decides whether the service is right.
import { describe, expect, it } from 'vitest'
import {
  accessAt,
  costOfChange,
  type Entry,
  type Order,
  type Standing,
  standingAfter,
  type Taking,
} from './model.js'

const at = (text: string) => Date.parse(`${text}T12:00:00Z`)
const dayOf = (instant: number | undefined) => new Date(instant ?? 0).toISOString().slice(0, 10)

const PRO = { plan: 'pro', months: 1, single: 2000 }
const ORDER: Order = { ...PRO, price: 2000 }
const TEAM = { plan: 'team', prices: { 1: 5000, 3: 14_000 }, least: 50 }
const MAX = { plan: 'max', prices: { 1: 9000 }, least: 50 }

function taking(checkoutId: string, day: string, of: Partial<Taking> = {}): Taking {
  const amount = of.amount ?? 2000
  const common = { checkoutId, userId: 'user', method: 'cib', price: amount, amount, paidAt: at(day) }
  return { ...common, ...PRO, ...of }
}

const paid = (id: string, day: string, of: Partial<Taking> = {}): Entry => ({
  ...{ kind: 'paid', taking: taking(id, day, of), bookedAt: at(day) },
})
const toppedUp = (id: string, day: string, amount: number, booked = day): Entry => ({
  ...{ kind: 'topped_up', taking: taking(id, day, { amount }), bookedAt: at(booked) },
})
const ordered = (day: string, order: Order | null = ORDER): Entry => ({
  ...{ kind: 'ordered', order, at: at(day), bookedAt: at(day) },
})
const refunded = (checkoutId: string, day: string, returned?: number): Entry => ({
  ...{ kind: 'refunded', checkoutId, at: at(day), bookedAt: at(day) },
  ...(returned === undefined ? {} : { returned }),
})
function changed(
  id: string,
  day: string,
  of: { parts: Record<string, number>; over?: string; leaves?: 'time' } & Partial<Taking>,
): Entry {
  const { parts, over = null, leaves = 'surplus', ...to } = of
  const quoted = Object.entries(parts).map(([piece, part]) => ({ id: piece, part, over }))
  const amount = quoted.reduce((sum, { part }) => sum + part, 0)
  const common = { kind: 'changed', quoted, leaves, bookedAt: at(day) } as const
  return { ...common, taking: taking(id, day, { amount, ...to }) }
}
const toTeam = { plan: 'team', single: 5000 }
const toMax = { plan: 'max', single: 9000 }

const ends = ({ run }: Standing) => run.map(({ end }) => dayOf(end))
const linesOf = ({ lines }: Standing) =>
  lines.map(({ kind, amount, after, at: on }) => `${dayOf(on)} ${kind} ${amount}: ${after}`)

describe('the model of a standing order', () => {
  it('buys at each end, counted from the first day, for as long as the money lasts', () => {
    const entries = [paid('a', '2027-01-31'), toppedUp('b', '2027-02-10', 5000), ordered('2027-02-11')]
    const standing = standingAfter(entries, at('2027-12-01'))
    expect(ends(standing)).toEqual(['2027-02-28', '2027-03-31', '2027-04-30'])
    expect(linesOf(standing)).toEqual([
      '2027-02-10 top_up 5000: 5000',
      '2027-02-28 renewal -2000: 3000',
      '2027-03-31 renewal -2000: 1000',
    ])
    expect(accessAt(standing, at('2027-04-30') - 1)).toMatchObject({
      status: 'active',
      instrument: 'balance',
    })
    expect(accessAt(standing, at('2027-04-30'))).toMatchObject({ status: 'past_due' })
    expect(standingAfter(entries, at('2027-02-28') - 1).run).toHaveLength(1)
  })

  it('follows on in grace, and begins anew after it, at the instant of the money', () => {
    const before = [paid('a', '2027-01-10'), ordered('2027-01-11')]
    const inGrace = standingAfter([...before, toppedUp('b', '2027-02-12', 2000)], at('2027-02-12'))
    expect(ends(inGrace)).toEqual(['2027-02-10', '2027-03-10'])
    expect(linesOf(inGrace)).toEqual(['2027-02-12 top_up 2000: 2000', '2027-02-12 renewal -2000: 0'])
    const late = standingAfter([...before, toppedUp('b', '2027-02-13', 2000)], at('2027-02-13'))
    expect(ends(late)).toEqual(['2027-03-13'])
  })

  it('buys for a user who never paid, at once', () => {
    const standing = standingAfter(
      [toppedUp('a', '2027-01-10', 3000), ordered('2027-01-12')],
      at('2027-01-12'),
    )
    expect(ends(standing)).toEqual(['2027-02-12'])
    expect(standing.balance).toBe(1000)
  })

  it('takes money that is reported late at the instant at which it was paid', () => {
    const entries = [paid('a', '2027-01-10'), ordered('2027-01-11')]
    const late = toppedUp('b', '2027-02-11', 4000, '2027-04-20')
    const standing = standingAfter([...entries, late], at('2027-04-20'))
    expect(ends(standing)).toEqual(['2027-02-10', '2027-03-10', '2027-04-10'])
  })

  it('rests while access is ended, and once it is taken back', () => {
    const money = [paid('a', '2027-01-10'), toppedUp('b', '2027-01-11', 9000), ordered('2027-01-12')]
    const ended: Entry = { kind: 'ended', at: at('2027-01-20'), bookedAt: at('2027-01-20') }
    expect(standingAfter([...money, ended], at('2027-06-01')).balance).toBe(9000)
    const again = [...money, ended, paid('c', '2027-03-01')]
    expect(standingAfter(again, at('2027-04-01')).balance).toBe(7000)
    expect(standingAfter([...money, ordered('2027-02-01', null)], at('2027-06-01')).balance).toBe(9000)
  })

  it('stands at its price beside another, from when it was agreed, and ends with its plan', () => {
    const money = [paid('a', '2027-01-10'), toppedUp('b', '2027-01-11', 4000), ordered('2027-01-12')]
    const held = (day: string, price?: number): Entry => ({
      ...{ kind: 'held', sold: price === undefined ? {} : { pro: { 1: price } }, bookedAt: at(day) },
    })
    const dearer = standingAfter([...money, held('2027-01-20', 2300)], at('2027-02-10'))
    expect(dearer.order).toEqual({ ...ORDER, offered: 2300 })
    expect(dearer.balance).toBe(2000)
    const again = standingAfter(
      [...money, held('2027-01-20', 2300), held('2027-01-21', 2000)],
      at('2027-02-10'),
    )
    expect(again.order).toEqual(ORDER)
    const gone = standingAfter([...money, held('2027-01-20')], at('2027-02-10'))
    expect([gone.order, gone.balance]).toEqual([null, 4000])
    // Money that was paid before the job ran, and is reported after it, counts from when it was paid.
    const before = [paid('a', '2027-01-10'), ordered('2027-01-12'), held('2027-02-11', 2300)]
    const late = toppedUp('b', '2027-02-10', 2000, '2027-02-12')
    expect(linesOf(standingAfter([...before, late], at('2027-02-12')))).toEqual([
      '2027-02-10 top_up 2000: 2000',
      '2027-02-10 renewal -2000: 0',
    ])
  })

  it('goes on from what is left after a refund of what it bought', () => {
    const money = [paid('a', '2027-01-10'), toppedUp('b', '2027-01-11', 4000), ordered('2027-01-12')]
    const back = refunded('renewal 1', '2027-02-20', 2000)
    const standing = standingAfter([...money, back], at('2027-06-01'))
    expect(standing.endedAt).toBe(at('2027-02-20'))
    expect(linesOf(standing).slice(-2)).toEqual([
      '2027-02-10 renewal -2000: 2000',
      '2027-02-20 returned 2000: 4000',
    ])
  })
})

describe('the model of a change', () => {
  // 1 January to 1 February: 31 days. On the 11th 21 of them are left, on the 21st 11.
  const month = paid('a', '2027-01-01')

  it('is of days that were given after the change before it, too', () => {
    const given = (id: string, day: string): Entry => {
      const gift = { id, plan: 'pro', single: 2000, months: 0, days: 3, at: at(day), sold: { pro: 2000 } }
      return { kind: 'given', gift, bookedAt: at(day) }
    }
    const quoted = (days: number, over: string | null) => [{ id: 'g', part: 300, over, days }]
    const change = (id: string, to: object, of: ReturnType<typeof quoted>): Entry => {
      const money = taking(id, '2027-01-03', { amount: 300, ...to })
      return { kind: 'changed', taking: money, quoted: of, leaves: 'surplus', bookedAt: at('2027-01-03') }
    }
    const entries = [given('g', '2027-01-01'), given('h', '2027-01-02')]
    const first = change('b', toTeam, quoted(3, null))
    const standing = standingAfter([...entries, first, change('c', toMax, quoted(6, 'b'))], at('2027-01-03'))
    expect(standing.balance).toBe(0)
    expect(standing.run.map(({ changes }) => changes.map(({ id }) => id))).toEqual([['b', 'c'], ['c']])
  })

  it('costs the dearer plan less what was paid, for the time that is left, rounded up once', () => {
    const standing = standingAfter([month], at('2027-01-11'))
    // 5000 * 21 / 31 = 3387.1, 2000 * 21 / 31 = 1354.8; 3000 * 21 / 31 = 2032.3
    expect(costOfChange(standing, at('2027-01-11'), TEAM)).toMatchObject({ price: 2033, credit: 1354 })
  })

  it('takes into account what was paid for the change before it, over the time which that bought', () => {
    const entries = [month, changed('b', '2027-01-11', { parts: { a: 2033 }, ...toTeam })]
    const standing = standingAfter(entries, at('2027-01-21'))
    // 9000 * 11 / 31 = 3193.55; left are 2000 * 11 / 31 = 709.68 and 2033 * 11 / 21 = 1064.9: 1418.97 more
    expect(costOfChange(standing, at('2027-01-21'), MAX)?.price).toBe(1419)
    expect(costOfChange(standing, at('2027-01-21'), TEAM)).toBeUndefined()
    expect(accessAt(standing, at('2027-01-11') - 1).plan).toBe('pro')
    expect(accessAt(standing, at('2027-01-11')).plan).toBe('team')
    expect(dayOf(accessAt(standing, at('2027-01-21')).currentPeriodEnd ?? 0)).toBe('2027-02-01')
  })

  it('covers what is bought ahead, each at its term, and leaves what is as dear', () => {
    const ahead = [
      paid('b', '2027-01-02', { months: 3, amount: 5500 }),
      paid('c', '2027-01-03', { ...toTeam, amount: 5000 }),
    ]
    const standing = standingAfter([month, ...ahead], at('2027-01-11'))
    // 2032.26 for the month that runs, and 14,000 - 5500 for the three that follow
    expect(costOfChange(standing, at('2027-01-11'), TEAM)).toMatchObject({ price: 10_533 })
    expect([...(costOfChange(standing, at('2027-01-11'), TEAM)?.of.keys() ?? [])]).toEqual(['a', 'b'])
  })

  it('costs at least what the provider takes, and nothing can be changed where no time runs', () => {
    const standing = standingAfter([month], at('2027-02-01') - 60_000)
    expect(costOfChange(standing, at('2027-02-01') - 60_000, TEAM)?.price).toBe(50)
    expect(costOfChange(standing, at('2027-02-01'), TEAM)).toBeUndefined()
  })

  it('values what was given by its plan’s month', () => {
    const given = { id: 'g', plan: 'pro', months: 0, days: 15, single: 2000, sold: {}, at: at('2027-01-01') }
    const standing = standingAfter([{ kind: 'given', gift: given, bookedAt: given.at }], at('2027-01-06'))
    // Half a month of each, two thirds left: (2500 - 1000) * 10 / 15
    expect(costOfChange(standing, at('2027-01-06'), TEAM)).toMatchObject({ price: 1000, credit: 666 })
  })

  it('leaves over what was quoted for time that is gone, or is as dear already', () => {
    const gone = standingAfter(
      [month, changed('b', '2027-02-01', { parts: { a: 100 }, ...toTeam })],
      at('2027-02-02'),
    )
    expect(linesOf(gone)).toEqual(['2027-02-01 surplus 100: 100'])
    const twice = [
      month,
      changed('b', '2027-01-11', { parts: { a: 2033 }, ...toTeam }),
      changed('c', '2027-01-11', { parts: { a: 2033 }, ...toTeam }),
    ]
    expect(standingAfter(twice, at('2027-01-12')).balance).toBe(2033)
  })

  it('buys time on the new plan where there is no balance, to the second that is begun', () => {
    const late = changed('b', '2027-02-01', { parts: { a: 5100 }, leaves: 'time', ...toTeam })
    // In grace it goes on: a month to 1 March, and 100 / 5000 of the 31 days to 1 April, which are 53,568 s
    const { run } = standingAfter([month, late], at('2027-02-02'))
    expect(run.at(-1)).toMatchObject({ plan: 'team', end: at('2027-03-01') + 53_568_000 })
  })

  it('shares out another amount as the price was', () => {
    const entries = [
      month,
      paid('b', '2027-01-02'),
      changed('c', '2027-01-11', { parts: { a: 100, b: 201 }, ...toTeam, amount: 100 }),
    ]
    const { run } = standingAfter(entries, at('2027-01-12'))
    expect(run.map(({ changes }) => changes.map(({ amount }) => Number(amount.above)))).toEqual([[33], [67]])
  })

  it('is refunded before what it stands on, and leaves the plan before it', () => {
    const entries = [month, changed('b', '2027-01-11', { parts: { a: 2033 }, ...toTeam })]
    const back = standingAfter([...entries, refunded('b', '2027-01-12')], at('2027-01-13'))
    expect(accessAt(back, at('2027-01-13')).plan).toBe('pro')
    expect(ends(back)).toEqual(['2027-02-01'])
    expect(back.undermined).toEqual([])
    const wrong = standingAfter([...entries, refunded('a', '2027-01-12')], at('2027-01-13'))
    expect(wrong.undermined).toEqual(['a'])
    const over = [
      ...entries,
      changed('c', '2027-01-12', { parts: { a: 500 }, over: 'b', ...toMax }),
      refunded('b', '2027-01-13'),
    ]
    expect(standingAfter(over, at('2027-01-14')).undermined).toEqual(['b'])
  })

  it('is followed by what an order buys, on its own plan', () => {
    const entries = [
      month,
      changed('b', '2027-01-11', { parts: { a: 2033 }, ...toTeam }),
      toppedUp('c', '2027-01-12', 2000),
      ordered('2027-01-13'),
    ]
    const standing = standingAfter(entries, at('2027-02-02'))
    expect(accessAt(standing, at('2027-02-01') - 1).plan).toBe('team')
    expect(accessAt(standing, at('2027-02-02')).plan).toBe('pro')
  })
})
