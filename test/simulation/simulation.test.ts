// A few seeds of the simulation: 2 on one database, 17 on both. `npm run nightly -- simulate` runs many more.
// That it detects bugs is shown by broken-rules.nightly.test.ts.
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import type { PaymentMethod } from '../../packages/ishtirak/src/ledger/method.js'
import { DATABASE_KINDS, type DatabaseKind } from '../support/database-kinds.js'
import { emptyDatabase } from '../support/databases.js'
import { SimulationFigures } from './figures.js'
import { runSeed, type SeedResult } from './run-seed.js'

const DAYS = 60

/** Chosen as they have the most kinds of steps together; the last one is run again. */
const SEEDS: Readonly<Record<DatabaseKind, readonly number[]>> = {
  pglite: DATABASE_KINDS.length > 1 ? [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 7] : [15, 7],
  postgres: [26, 27, 28, 29, 7],
}

describe.each(DATABASE_KINDS)('the simulation (%s)', (kind) => {
  let database: Database
  let last: SeedResult
  beforeAll(async () => {
    database = await emptyDatabase(kind)
  })

  it('holds every rule, through payments, crashes and faults of every kind', async ({ signal }) => {
    const figures = new SimulationFigures()
    for (const seed of SEEDS[kind]) {
      last = await runSeed({ seed, days: DAYS, database, signal })
      figures.add(last.figures.all())
    }
    // A run in which nothing happens would hold every rule too.
    const kindsOf = (group: string) => Object.keys(figures.all()).filter((name) => name.startsWith(group))
    expect(figures.of('booked payments')).toBeGreaterThan(figures.of('seeds'))
    expect(kindsOf('crashes: ').length).toBeGreaterThan(8)
    expect(kindsOf('faults: ').length).toBeGreaterThan(8)
  })

  it('takes the same steps again with the same seed, also after a run that was given up', async () => {
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
    expect(second).toMatchObject({ status: 'fulfilled', value: { journal: last.journal } })
    expect('value' in second && second.value.figures.all()).toEqual(last.figures.all())
  })
})
