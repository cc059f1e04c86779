// 600 calls are one for each route, and some more; the same in every run.
import { describeOnEach } from '../support/databases.js'
import { fuzz } from './fuzz.js'

const SEED = 1
const CALLS = 600

describeOnEach('odd calls to every route', ({ database }) => {
  it('end in no failure of ours, have one shape, and change nothing without credentials', async () => {
    const { statuses: _, ...found } = await fuzz(database(), { seed: SEED, calls: CALLS })
    expect(found).toEqual({ faults: [], changedTables: [], untouched: [], calls: CALLS })
  })
})
