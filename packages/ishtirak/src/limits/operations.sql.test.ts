import fc from 'fast-check'
import { describeOnEach } from '../../../../test/support/databases.js'
import { createModel } from '../../../../test/support/usage-model.js'
import {
  anOperation,
  DAILY,
  gauge,
  gaugeOf,
  monthly,
  operation,
} from '../../../../test/support/usage-operations.js'
import type { Database } from '../database/database.js'
import type { UsageAnswer, UsageOperation } from './decide-usage.js'
import { createApplyUsageOperation } from './operations.sql.js'

const PLACES: readonly [string, Partial<UsageOperation>][] = [
  ['of a day', DAILY],
  ['of a month', monthly(0)],
  ['of a project', { ...gaugeOf('project'), scopeId: 'shop' }],
  ['of a region', { ...gaugeOf('region'), scopeId: 'shop' }],
]

/** The use case does the same: with stale facts it asks again. */
async function untilDecided(apply: () => Promise<UsageAnswer | undefined>): Promise<UsageAnswer> {
  for (;;) {
    const answer = await apply()
    if (answer && answer.kind !== 'stale') return answer
  }
}

const usedOf = (answer: UsageAnswer) => ('used' in answer ? answer.used : undefined)
const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index))

const DOORS = [
  ['of users whose facts were not read', false],
  ['the usual case first', true],
] as const

describeOnEach('counting', ({ database }) =>
  describe.each(DOORS)('%s', (_name, isUserRead) => {
    const apply = (on: Database, asked: UsageOperation) =>
      untilDecided(() => createApplyUsageOperation(on)({ ...asked, isUserRead }))

    it('lets exactly 10 of 20 parallel operations into 10 places, of whatever they are', async () => {
      for (const [name, place] of PLACES) {
        const answers = await Promise.all(
          times(20, (n) => apply(database(), operation({ ...place, operationId: `${name}-${n}` }))),
        )
        // Each has a count of its own.
        const allowed = answers.filter(({ kind }) => kind === 'done').map(usedOf)
        const inOrder = allowed.toSorted((one, other) => Number(one) - Number(other))
        expect([name, inOrder]).toEqual([name, times(10, (n) => n + 1)])
        expect(answers.filter(({ kind }) => kind === 'denied').map(usedOf)).toEqual(times(10, () => 10))
      }
    })

    it('counts an operation that is sent 50 times at once only once, and answers all the same', async () => {
      const answers = await Promise.all(times(50, () => apply(database(), operation())))
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect(usedOf(await apply(database(), operation({ operationId: 'deploy-2' })))).toBe(2)
    })

    it('takes one of two operations that share an id and differ, and refuses the other', async () => {
      const pairs = await Promise.all(
        times(10, async (n) => {
          const one = operation({ operationId: `deploy-${n}`, userId: `user-${n}` })
          const answers = await Promise.all([
            apply(database(), one),
            apply(database(), { ...one, ...gauge('projects') }),
          ])
          return answers.map(({ kind }) => kind).toSorted()
        }),
      )
      expect(pairs).toEqual(times(10, () => ['conflict', 'done']))
    })

    it('gives an operation back once, though 20 releases arrive at once, and nothing for none', async () => {
      const release = (operationId: string, consumeOperationId: string) =>
        apply(database(), operation({ kind: 'release', amount: null, operationId, consumeOperationId }))
      for (const n of [1, 2, 3]) await apply(database(), operation({ operationId: `deploy-${n}` }))
      await Promise.all(times(20, (n) => release(`r-${n}`, 'deploy-2')))
      expect(usedOf(await apply(database(), operation({ operationId: 'deploy-4' })))).toBe(3)
      expect(usedOf(await release('r', 'never-arrived'))).toBe(3)
    })

    it('never says anything else than the plain way to count', async () => {
      let run = 0
      await fc.assert(
        fc.asyncProperty(fc.array(anOperation(), { minLength: 1, maxLength: 30 }), async (operations) => {
          run += 1
          const model = createModel()
          for (const asked of operations) {
            expect(await apply(database(), { ...asked, userId: `run-${run}` })).toEqual(model(asked))
          }
        }),
        { numRuns: 10 },
      )
    })
  }),
)

describeOnEach('counting together', ({ database }) => {
  it('always answers as the plain statement does, with any batch', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(anOperationOf(['u', 'v', 'w']), { maxLength: 60 }), async (operations) => {
        run += 1
        const together = createApplyUsageOperation(database())
        const models = new Map(['u', 'v', 'w'].map((user) => [user, createModel()]))
        const answers = await Promise.all(
          operations.map((asked) => together({ ...asked, userId: `${asked.userId}-${run}` })),
        )
        expect(answers).toEqual(operations.map((asked) => models.get(asked.userId)?.(asked)))
      }),
      { numRuns: 15 },
    )
  })

  it('counts right for four processes', async () => {
    const processes = times(4, () => {
      const together = createApplyUsageOperation(database())
      return (changes: Partial<UsageOperation>) => untilDecided(() => together(operation(changes)))
    })
    const own = processes.flatMap((consume, name) =>
      times(50, (n) => consume({ operationId: `${name}-${n}` })),
    )
    expect((await Promise.all(own)).filter(({ kind }) => kind === 'done')).toHaveLength(10)
    // Each process sends it 10 times.
    const shared = processes.flatMap((consume) => times(10, () => consume({ userId: 'user-2' })))
    expect((await Promise.all(shared)).map(usedOf)).toEqual(times(40, () => 1))
  })

  it('sends usual operations that arrive meanwhile as one statement, each other one by itself', async () => {
    let [statements, transactions] = [0, 0]
    const together = createApplyUsageOperation({
      ...database(),
      query: (statement, parameters) => {
        statements += 1
        return database().query(statement, parameters)
      },
      transaction: (work, giveUpAt) => {
        transactions += 1
        return database().transaction(work, giveUpAt)
      },
    })
    const consumeFor65 = async (operationId: string, isUserRead = true) => {
      statements = 0
      transactions = 0
      await Promise.all(
        times(65, (n) => together(operation({ userId: `user-${n}`, operationId, isUserRead }))),
      )
      return [statements, transactions]
    }
    expect(await consumeFor65('of a user whose facts were not read', false)).toEqual([0, 65])
    // The batches are 32, 32 and 1.
    expect(await consumeFor65('usual')).toEqual([3, 0])
    // The quick query is asked first, and leaves repetitions undecided.
    expect(await consumeFor65('usual')).toEqual([3, 65])
  })

  it('gives a transaction up with its call, so that what was answered 503 is not counted later', async () => {
    const limits: unknown[] = []
    const together = createApplyUsageOperation({
      ...database(),
      query: (statement, parameters, giveUpAt) => {
        limits.push(giveUpAt)
        return database().query(statement, parameters, giveUpAt)
      },
      transaction: (work, giveUpAt) => {
        limits.push(giveUpAt)
        return database().transaction(work, giveUpAt)
      },
    })
    const giveUpAt = performance.now() + 60_000
    // The quick query is asked for the first use of a known user, and leaves it undecided.
    await together(operation(), giveUpAt)
    expect(limits).toEqual([giveUpAt, giveUpAt])
  })

  it('does not let an operation that the database refuses harm those beside it', async () => {
    const together = createApplyUsageOperation(database())
    // `bigint` ends at 2^63 - 1. The API refuses such numbers, but the query must not rely on that.
    const outcomes = await Promise.allSettled(
      times(20, (n) => together(operation({ userId: `user-${n}`, amount: n === 7 ? 1e30 : 1 }))),
    )
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(times(20, (n) => n !== 7))
    expect(usedOf(await together(operation({ userId: 'user-6', operationId: 'next' })))).toBe(2)
  })
})

function anOperationOf(users: readonly string[]): fc.Arbitrary<UsageOperation> {
  return fc.tuple(anOperation(), fc.constantFrom(...users)).map(([asked, userId]) => ({ ...asked, userId }))
}
