// The statement that decides: exact whatever arrives at once, and never different from the plain way to
// count.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeOnEach } from '../../../../test/support/databases.js'
import { instantOf, NOON } from '../../../../test/support/fixtures.js'
import { createModel } from '../../../../test/support/usage-model.js'
import { DAY } from '../core/instant.js'
import type { Database } from '../database/database.js'
import type { UsageAnswer, UsageOperation } from './consume.sql.js'
import { applyUsageOperation, applyUsualFirst, createApplyUsageOperation } from './operations.sql.js'

const MIDNIGHT = instantOf('2026-11-21T23:00:00Z')
/** The ends of November to February in Algiers. */
const MONTHS = ['2026-11-30', '2026-12-31', '2027-01-31', '2027-02-28'].map((day) =>
  instantOf(`${day}T23:00:00Z`),
)
const monthly = (from: number) => ({
  limit: 'build_minutes',
  countsAs: 'month',
  resetsAt: MONTHS[from] ?? MIDNIGHT,
})
const daily = (day: number) => ({ limit: 'deploys_per_day', countsAs: 'day', resetsAt: MIDNIGHT + day * DAY })
const DAILY = daily(0)
const gauge = (limit: string) => ({ limit, countsAs: 'gauge', resetsAt: null })
const gaugeOf = (per: string) => ({ ...gauge(`things_per_${per}`), countsAs: `gauge/${per}` })
const PLACES: readonly [string, Partial<UsageOperation>][] = [
  ['of a day', DAILY],
  ['of a month', monthly(0)],
  ['of a project', { ...gaugeOf('project'), scopeId: 'shop' }],
  ['of a region', { ...gaugeOf('region'), scopeId: 'shop' }],
]

function operation(changes: Partial<UsageOperation> = {}): UsageOperation {
  return {
    kind: 'consume',
    userId: 'user-1',
    ...DAILY,
    scopeId: '',
    amount: 1,
    operationId: 'deploy-1',
    consumeOperationId: null,
    maximum: 10,
    version: null,
    isUserKnown: true,
    now: NOON,
    ...changes,
  }
}

/** As the use case does: with stale facts it asks again. */
const against =
  (apply: typeof applyUsageOperation) =>
  async (database: Database, asked: UsageOperation): Promise<UsageAnswer> => {
    for (;;) {
      const answer = await apply(database, asked)
      if (answer.kind !== 'stale') return answer
    }
  }

const usedOf = (answer: UsageAnswer) => ('used' in answer ? answer.used : undefined)
const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index))

const DOORS = [
  ['by the one statement', against(applyUsageOperation)],
  ['the usual case first', against(applyUsualFirst)],
] as const

describeOnEach('counting', ({ database }) =>
  describe.each(DOORS)('%s', (_name, apply) => {
    it('lets exactly 10 of 50 parallel operations into 10 places, of whatever they are', async () => {
      for (const [name, place] of PLACES) {
        const answers = await Promise.all(
          times(50, (n) => apply(database(), operation({ ...place, operationId: `${name}-${n}` }))),
        )
        // Each has a figure of its own.
        const allowed = answers.filter(({ kind }) => kind === 'done').map(usedOf)
        const inOrder = allowed.toSorted((one, other) => Number(one) - Number(other))
        expect([name, inOrder]).toEqual([name, times(10, (n) => n + 1)])
        expect(answers.filter(({ kind }) => kind === 'denied').map(usedOf)).toEqual(times(40, () => 10))
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
        { numRuns: 60 },
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
      { numRuns: 60 },
    )
  })

  it('counts right for four processes', async () => {
    const processes = times(4, () => {
      const together = createApplyUsageOperation(database())
      const consume = against((_database, asked) => together(asked))
      return (changes: Partial<UsageOperation>) => consume(database(), operation(changes))
    })
    const own = processes.flatMap((consume, name) =>
      times(50, (n) => consume({ operationId: `${name}-${n}` })),
    )
    expect((await Promise.all(own)).filter(({ kind }) => kind === 'done')).toHaveLength(10)
    // Each sends it 10 times.
    const shared = processes.flatMap((consume) => times(10, () => consume({ userId: 'user-2' })))
    expect((await Promise.all(shared)).map(usedOf)).toEqual(times(40, () => 1))
  })

  it('sends what arrives meanwhile as one statement', async () => {
    let statements = 0
    const together = createApplyUsageOperation({
      query: (statement, parameters) => {
        statements += 1
        return database().query(statement, parameters)
      },
    })
    const consumeFor65 = async (operationId: string, isUserKnown = true) => {
      statements = 0
      await Promise.all(
        times(65, (n) => together(operation({ userId: `user-${n}`, operationId, isUserKnown }))),
      )
      return statements
    }
    // 32, 32 and 1.
    expect(await consumeFor65('of a user whose facts were not read', false)).toBe(3)
    expect(await consumeFor65('usual')).toBe(3)
    // Asked in the quick statement, which leaves a repetition to the other.
    expect(await consumeFor65('usual')).toBe(6)
  })

  it('does not let an operation that the database refuses harm those beside it', async () => {
    const together = createApplyUsageOperation(database())
    // `bigint` ends at 2^63 - 1. The API refuses such numbers, but the statement must not depend on that.
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

/**
 * Few ids, limits and windows, so that repetitions, conflicts and turns of a day or month are the rule. The
 * limit `changed` is counted in another way each time, as after changes of the catalogue.
 */
function anOperation(): fc.Arbitrary<UsageOperation> {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  const window = fc.oneof(
    fc.constantFrom(0, 1, 2).map(daily),
    fc.constantFrom(0, 1, 2).map(monthly),
    // The last day of a month ends with it.
    fc.constant({ ...DAILY, resetsAt: MONTHS[0] ?? 0 }),
  )
  const scoped = fc
    .tuple(fc.constantFrom('project', 'region'), fc.constantFrom('p1', 'p2'))
    .map(([per, scopeId]) => ({ ...gaugeOf(per), scopeId }))
  const kindOfLimit = fc.oneof(window, window, fc.constant(gauge('projects')), scoped)
  const place = fc
    .tuple(kindOfLimit, fc.nat({ max: 3 }))
    .map(([chosen, n]) => (n === 0 ? { ...chosen, limit: 'changed' } : chosen))
  const base = fc.record({ place, id, maximum: fc.constantFrom(3, 10), amount: fc.nat({ max: 4 }) })
  const kind = fc.constantFrom('consume', 'consume', 'release', 'report')
  return fc.tuple(base, kind, fc.option(id)).map(([given, chosen, consumeOperationId]) => {
    const amount = chosen === 'report' ? given.amount : given.amount || 1
    return operation({
      ...given.place,
      kind: chosen,
      operationId: chosen === 'report' ? '' : given.id,
      amount: chosen === 'release' && given.amount === 0 ? null : amount,
      consumeOperationId: chosen === 'release' ? consumeOperationId : null,
      maximum: given.maximum,
    })
  })
}
