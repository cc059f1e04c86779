import fc from 'fast-check'
import { shareStatements } from './coalesce.js'
import { DatabaseUnavailable, type Queryable } from './database.js'

type Call = { key: string; amount: number }

/** Counters with a limit of 10, on a slow database that runs one statement at a time. */
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

/** The counters implement `one` and `many`, so no statement reaches a database. */
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

/** Returns the answers to calls of these amounts, by key, and the batches in which they were sent. */
async function answered(calls: readonly Call[], bounds?: Parameters<typeof shareStatements>[2]) {
  const counters = new Counters()
  counters.failing.add(7)
  const take = through(counters, bounds)
  counters.hold()
  const answers = calls.map((call) => take(call))
  counters.open()
  return { answers: await settled(answers), batches: counters.batches, used: counters.used }
}
const ofKeys = (keys: string) => [...keys].map((key) => ({ key, amount: 1 }))

describe('coalescing', () => {
  it('lets a lone call out by itself, and sends what arrives in one turn as one', async () => {
    expect(await answered(ofKeys('a'))).toMatchObject({ answers: ['yes 1'], batches: [1] })
    expect(await answered(ofKeys('abcd'))).toMatchObject({ answers: Array(4).fill('yes 1'), batches: [4] })
  })

  it('never sends more than its bound, nor one key twice', async () => {
    // a and b; the second b, which had to wait, and c; d.
    expect(await answered(ofKeys('abbcd'), { itemsMax: 2 })).toMatchObject({
      ...{ answers: ['yes 1', 'yes 1', 'yes 2', 'yes 1', 'yes 1'], batches: [2, 2, 1] },
    })
  })

  it('does not wait for a batch that is slow', async () => {
    const counters = new Counters()
    const take = through(counters, { patienceMs: 0, itemsMax: 2 })
    counters.hold()
    const answers = ofKeys('abcdef').map((call) => take(call))
    await new Promise(setImmediate)
    // All three batches have begun before the first has ended.
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
    expect(await settled(ofKeys('abc').map((call) => take(call)))).toEqual(['gone', 'gone', 'gone'])
    expect(counters.batches).toEqual([])
  })

  it('answers as the plain way does, whatever arrives when', async () => {
    const call = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      amount: fc.integer({ min: 1, max: 7 }),
    })
    const bounds = fc.record({
      patienceMs: fc.constantFrom(0, 1_000),
      itemsMax: fc.integer({ min: 1, max: 8 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 40 }), bounds, async (calls, bounds) => {
        const plain = new Counters()
        plain.failing.add(7)
        const expected = await settled(calls.map((call) => plain.one(call)))
        // Calls of one key keep their order, and keys do not affect each other: the answers are those without
        // sharing.
        const { answers, used } = await answered(calls, bounds)
        expect(answers).toEqual(expected)
        expect([...used].sort()).toEqual([...plain.used].sort())
      }),
    )
  })

  it('refuses at once what finds too many waiting, and does the others', async () => {
    const counters = new Counters()
    const take = through(counters, { waitingMax: 3 })
    const answers = ofKeys('abcd').map((call) => take(call))
    expect(await settled(answers)).toEqual(['yes 1', 'yes 1', 'yes 1', REFUSED])
    expect(counters.used.has('d')).toBe(false)
  })

  it('gives up what has waited too long behind a batch that hangs, and never begins it', async () => {
    const counters = new Counters()
    const take = through(counters, { lanes: 1 })
    counters.hold()
    const hanging = take({ key: 'a', amount: 1 })
    await expect.poll(() => counters.begun).toBe(1)
    const isOver = performance.now()
    expect(await settled([take({ key: 'b', amount: 1 }, isOver)])).toEqual([REFUSED])
    counters.open()
    expect(await hanging).toBe('yes 1')
    expect(await take({ key: 'c', amount: 1 })).toBe('yes 1')
    expect([...counters.used.keys()]).toEqual(['a', 'c'])
  })
})
