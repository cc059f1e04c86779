// A small part of `npm run fuzz`, the same calls in every run.
import { expect, it } from 'vitest'
import { describeScenario } from '../support/databases.js'
import { fuzz } from './fuzz.js'

const SEED = 1
const CALLS = 2_000

describeScenario('odd calls to every route', ({ database }) => {
  it('end in no failure of ours, are refused in one shape, and change nothing without credentials', async () => {
    const { faults, changedTables, untouched, calls } = await fuzz(database(), { seed: SEED, calls: CALLS })
    expect({ faults, changedTables, untouched, calls }).toEqual({
      faults: [],
      changedTables: [],
      untouched: [],
      calls: CALLS,
    })
  })
})
