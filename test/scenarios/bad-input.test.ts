// A cursor that the service did not give is refused in words that a program can read. What else may be wrong
// with a request is in http/request.test.ts, http/address.test.ts and test/fuzz.
import { expect, it } from 'vitest'
import { describeScenario } from '../support/databases.js'
import { createWorld } from '../support/world.js'

const cursorAt = (createdAt: number) =>
  Buffer.from(`${createdAt}.pay_00000000000000000000000000`).toString('base64url')

describeScenario('bad input', ({ database }) => {
  it('in the query of a history is refused, never 5xx', async () => {
    await using world = await createWorld(database())
    const cursors = ['', '%00', '%ff%fe', 'MTIzNDU2Nzg5MC5wYXlfeA', 'a'.repeat(201)]
    // The years 10,000 and 30,489, which no timestamp of a database takes.
    const late = [253_402_300_800_000, 900_000_000_000_000].map(cursorAt)
    const queries = [...cursors, ...late].map((cursor) => `cursor=${cursor}`)
    for (const query of [...queries, 'status=gone', 'status=', 'page=2']) {
      const { status, body } = await world.as('user-1').get(`/api/v1/billing/payments?${query}`)
      expect.soft([400, 422], query).toContain(status)
      expect.soft(body, query).toMatchObject({ status, code: expect.stringMatching(/^[a-z_]+$/) })
    }
  })
})
