// Many calls, few statements, the same answers as one by one.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shareStatements } from './coalesce.js'
import { DatabaseUnavailable, type Queryable } from './database.js'

interface Call {
  readonly key: string
  readonly amount: number
}

/** Counters with a limit of 10: one statement each, and a slow database that runs one statement at a time. */
class Counters {
  readonly used = new Map<string, number>()
  readonly batches: number[] = []
  begun = 0
  failing = new Set<number>()
  open: () => void = () => undefined
  #gate = Promise.resolve()

  hold(): void {
    this.#gate = new Promise((resolve) => {
      this.open = resolve
    })
  }
  take({ key, amount }: Call): string {
    if (this.failing.has(amount)) throw new RangeError(`${amount} is refused`)
    const used = this.used.get(key) ?? 0
    if (used + amount > 10) return `no ${used}`
    this.used.set(key, used + amount)
    return `yes ${used + amount}`
  }
  async one(call: Call): Promise<string> {
    this.begun += 1
    await this.#gate
    this.batches.push(1)
    return this.take(call)
  }
  async many(calls: readonly Call[]): Promise<string[]> {
    this.begun += 1
    await this.#gate
    this.batches.push(calls.length)
    expect(new Set(calls.map(({ key }) => key)).size).toBe(calls.length)
    const before = new Map(this.used)
    try {
      return calls.map((call) => this.take(call))
    } catch (error) {
      this.used.clear()
      for (const [key, used] of before) this.used.set(key, used)
      throw error
    }
  }
}

/** The counters stand behind `one` and `many`; no statement of theirs reaches a database. */
const database: Queryable = { query: () => Promise.reject(new Error('not asked')) }

const through = (counters: Counters, bounds: Parameters<typeof shareStatements>[2] = {}) =>
  shareStatements<Call, string>(
    database,
    {
      keyOf: ({ key }) => key,
      one: (_database, call) => counters.one(call),
      many: (_database, calls) => counters.many(calls),
    },
    bounds,
  )

const REFUSED = 'given up while waiting for the database'

const settled = (promises: readonly Promise<string>[]) =>
  Promise.all(promises.map((promise) => promise.catch((error: Error) => error.message)))

describe('coalescing', () => {
  it('lets a lone call out by itself', async () => {
    const counters = new Counters()
    expect(await through(counters)({ key: 'a', amount: 1 })).toBe('yes 1')
    expect(counters.batches).toEqual([1])
  })

  it('sends what arrives in one turn as one', async () => {
    const counters = new Counters()
    const take = through(counters)
    counters.hold()
    const answers = ['a', 'b', 'c', 'd'].map((key) => take({ key, amount: 1 }))
    counters.open()
    expect(await Promise.all(answers)).toEqual(['yes 1', 'yes 1', 'yes 1', 'yes 1'])
    expect(counters.batches).toEqual([4])
  })

  it('never sends more than its bound, nor one key twice', async () => {
    const counters = new Counters()
    const take = through(counters, { itemsMax: 2 })
    counters.hold()
    const answers = ['a', 'b', 'b', 'c', 'd'].map((key) => take({ key, amount: 1 }))
    counters.open()
    expect(await Promise.all(answers)).toEqual(['yes 1', 'yes 1', 'yes 2', 'yes 1', 'yes 1'])
    // a and b; the second b, which had to wait, and c; d.
    expect(counters.batches).toEqual([2, 2, 1])
  })

  it('gives a bad item its error, and its neighbours their answers', async () => {
    const counters = new Counters()
    counters.failing.add(7)
    const take = through(counters)
    counters.hold()
    const calls = [1, 2, 7, 3].map((amount, index) => take({ key: `k${index}`, amount }))
    counters.open()
    expect(await settled(calls)).toEqual(['yes 1', 'yes 2', '7 is refused', 'yes 3'])
  })

  it('does not wait for a batch that is slow', async () => {
    const counters = new Counters()
    const take = through(counters, { patienceMs: 0, itemsMax: 2 })
    counters.hold()
    const answers = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => take({ key, amount: 1 }))
    await new Promise(setImmediate)
    // All three batches stand beside each other before the first of them is through.
    expect(counters.begun).toBe(3)
    counters.open()
    await Promise.all(answers)
  })

  it('does not try one by one what fails for all', async () => {
    const counters = new Counters()
    const take = shareStatements<Call, string>(database, {
      keyOf: ({ key }) => key,
      one: (_database, call) => counters.one(call),
      many: () => Promise.reject(new DatabaseUnavailable('gone')),
    })
    counters.hold()
    const calls = ['a', 'b', 'c'].map((key) => take({ key, amount: 1 }))
    counters.open()
    expect(await settled(calls)).toEqual(['gone', 'gone', 'gone'])
    expect(counters.batches).toEqual([])
  })

  it('answers as the plain way does, whatever arrives when', async () => {
    const calls = fc.array(
      fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), amount: fc.integer({ min: 1, max: 7 }) }),
      { maxLength: 40 },
    )
    const schedule = fc.record({
      calls,
      patienceMs: fc.constantFrom(0, 1_000),
      itemsMax: fc.integer({ min: 1, max: 8 }),
    })
    await fc.assert(
      fc.asyncProperty(schedule, async ({ calls: wanted, patienceMs, itemsMax }) => {
        const plain = new Counters()
        plain.failing.add(7)
        const expected = await settled(wanted.map((call) => plain.one(call)))
        const counters = new Counters()
        counters.failing.add(7)
        const take = through(counters, { patienceMs, itemsMax })
        // Per key the order is kept, and keys do not touch each other: so the answers are those of the plain
        // way.
        expect(await settled(wanted.map((call) => take(call)))).toEqual(expected)
        expect([...counters.used].sort()).toEqual([...plain.used].sort())
      }),
    )
  })

  it('refuses at once what finds too many waiting, and does the others', async () => {
    const counters = new Counters()
    const take = through(counters, { waitingMax: 3 })
    const answers = ['a', 'b', 'c', 'd'].map((key) => take({ key, amount: 1 }))
    expect(await settled(answers)).toEqual(['yes 1', 'yes 1', 'yes 1', REFUSED])
    expect(counters.used.has('d')).toBe(false)
  })

  it('gives up what has waited too long behind a batch that hangs, and never begins it', async () => {
    const counters = new Counters()
    const take = through(counters, { lanes: 1, limitMs: 100 })
    counters.hold()
    const hanging = take({ key: 'a', amount: 1 })
    await expect.poll(() => counters.begun).toBe(1)
    expect(await settled([take({ key: 'b', amount: 1 })])).toEqual([REFUSED])
    counters.open()
    expect(await hanging).toBe('yes 1')
    expect(await take({ key: 'c', amount: 1 })).toBe('yes 1')
    expect([...counters.used.keys()]).toEqual(['a', 'c'])
  })
})
