// One plan of those that usage-plans.system.test.ts and plans.system.test.ts look at.
import { expect, it } from 'vitest'
import { applyUsageOperations } from '../../packages/ishtirak/src/limits/operations.sql.js'
import { emptyDatabase } from '../support/databases.js'
import { consume, fillUsage, planOf } from './usage-rows.js'

it('with 5,000 users a consume rides on its index and scans no table', async () => {
  const database = await emptyDatabase('pglite')
  await fillUsage(database, 5_000)
  const plan = await planOf(database, (asked) => applyUsageOperations(asked, [consume]))
  expect(plan).toMatch(/usage_once/)
  expect(plan).not.toMatch(/Seq Scan on (users|usage)/)
})
