// A small part of `npm run nightly -- fuzz --uploads 20000`, the same bodies in every run.
import { describeScenario } from '../support/databases.js'
import { fuzzUploads } from './uploads.js'

describeScenario('odd files as proofs of transfers', ({ database }) => {
  it('end in no failure of ours, and only pictures and PDFs are stored', async () => {
    const { faults, stored, statuses } = await fuzzUploads(database(), { seed: 1, bodies: 60 })
    expect(faults).toEqual([])
    expect(stored).toBeGreaterThan(4)
    for (const status of ['api 200', 'api 422', 'form 303', 'form 422', 'form 400'])
      expect([status, (statuses[status] ?? 0) > 0]).toEqual([status, true])
  })
})
