// A few seeds of the simulation: 10 on one database, 35 on both, 2,000 with `npm run simulate -- --seeds
// 1-2000`. That it detects bugs is shown by broken-rules.system.test.ts.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import type { PaymentMethod } from '../../packages/ishtirak/src/ledger/method.js'
import { DATABASE_KINDS, type DatabaseKind } from '../support/database-kinds.js'
import { emptyDatabase } from '../support/databases.js'
import { SimulationFigures } from './figures.js'
import { runSeed } from './run-seed.js'

const DAYS = 60

let signal: AbortSignal
beforeEach((context) => {
  signal = context.signal
})

const BATCHES: Readonly<Record<DatabaseKind, readonly number[]>> = {
  pglite: DATABASE_KINDS.length > 1 ? [1, 6, 11, 16, 21] : [1, 6],
  postgres: [26, 31],
}

describe.each(DATABASE_KINDS)('the simulation (%s)', (kind) => {
  let database: Database
  const figures = new SimulationFigures()
  beforeAll(async () => {
    database = await emptyDatabase(kind)
  })

  it.each(BATCHES[kind])('holds every rule for the five seeds from %i', async (first) => {
    for (let seed = first; seed < first + 5; seed++) {
      figures.add((await runSeed({ seed, days: DAYS, database, signal })).figures.all())
    }
  })

  it('covers payments, crashes and faults: a run in which nothing happens would hold every rule too', () => {
    const kindsOf = (group: string) => Object.keys(figures.all()).filter((name) => name.startsWith(group))
    expect(figures.of('booked payments')).toBeGreaterThan(figures.of('seeds'))
    expect(kindsOf('crashes: ').length).toBeGreaterThan(8)
    expect(kindsOf('faults: ').length).toBeGreaterThan(12)
  })

  it('takes the same steps again with the same seed', async () => {
    const once = await runSeed({ seed: 7, days: DAYS, database })
    const again = await runSeed({ seed: 7, days: DAYS, database })
    expect(again.journal).toEqual(once.journal)
    expect(again.figures.all()).toEqual(once.figures.all())
  })

  it('keeps a run that was given up out of the tables of the next', async () => {
    const alone = await runSeed({ seed: 7, days: DAYS, database })
    const givenUp = new AbortController()
    // A process of the service is started, so the seed has begun.
    const breakProvider = (method: PaymentMethod) => {
      givenUp.abort(new Error('the test timed out'))
      return method
    }
    const [first, second] = await Promise.allSettled([
      runSeed({ seed: 8, days: DAYS, database, signal: givenUp.signal, breakProvider }),
      runSeed({ seed: 7, days: DAYS, database }),
    ])
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'the test timed out' } })
    expect(second).toMatchObject({ status: 'fulfilled', value: { journal: alone.journal } })
  })
})
