// A small part of `npm run fuzz -- --uploads 20000`, the same bodies in every run.
import { expect, it } from 'vitest'
import { describeScenario } from '../support/databases.js'
import { fuzzUploads } from './uploads.js'

describeScenario('odd files as proofs of transfers', ({ database }) => {
  it('end in no failure of ours, and only pictures and PDFs are stored', async () => {
    const { faults, stored, statuses } = await fuzzUploads(database(), { seed: 1, bodies: 120 })
    expect(faults).toEqual([])
    expect(stored).toBeGreaterThan(8)
    expect(statuses[422]).toBeGreaterThan(40)
  }, 60_000)
})
