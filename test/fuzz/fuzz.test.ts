// A small part of `npm run fuzz`, the same calls in every run: 2,000 with all tests, 1,000 with `npm test`.
import { expect, it } from 'vitest'
import { DATABASE_KINDS } from '../support/database-kinds.js'
import { describeScenario } from '../support/databases.js'
import { fuzz } from './fuzz.js'

const SEED = 1
const CALLS = DATABASE_KINDS.length > 1 ? 2_000 : 1_000

describeScenario('odd calls to every route', ({ database }) => {
  it(
    'end in no failure of ours, are refused in one shape, and change nothing without ' + 'credentials',
    async () => {
      const { faults, changedTables, untouched, calls } = await fuzz(database(), { seed: SEED, calls: CALLS })
      expect({ faults, changedTables, untouched, calls }).toEqual({
        faults: [],
        changedTables: [],
        untouched: [],
        calls: CALLS,
      })
    },
  )
})
