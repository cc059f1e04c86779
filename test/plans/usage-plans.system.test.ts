// What the statements about usage cost when there is much of it: they find their rows by index, and the sweep
// finds what is old without looking at what is young.
import { beforeEach, expect, it } from 'vitest'
import { HOUR } from '../../packages/ishtirak/src/core/instant.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { consumeWhereUsual } from '../../packages/ishtirak/src/limits/consume.sql.js'
import { applyUsageOperations } from '../../packages/ishtirak/src/limits/operations.sql.js'
import {
  createLoadUserWithUsage,
  forgetUsageOperations,
} from '../../packages/ishtirak/src/limits/usage.sql.js'
import { describeScenario } from '../support/databases.js'
import { NOON } from '../support/fixtures.js'
import { consume, fillUsage, planOf } from './usage-rows.js'

const USERS = 5_000

describeScenario('with 5,000 users', ({ database }) => {
  beforeEach(() => fillUsage(database(), USERS))

  it.each<[string, (database: Pick<Database, 'query'>) => Promise<unknown>, RegExp]>([
    ['consume', (database) => applyUsageOperations(database, [consume]), /usage_once/],
    ['a usual consume', (database) => consumeWhereUsual(database, [consume]), /usage_operations_once/],
    [
      'two usual consumes',
      (database) => consumeWhereUsual(database, [consume, { ...consume, userId: 'user-2' }]),
      /usage_operations_once/,
    ],
    [
      'a release',
      (database) => applyUsageOperations(database, [{ ...consume, kind: 'release' }]),
      /usage_operations_once/,
    ],
    ['reading a user', (database) => createLoadUserWithUsage(database)('user-1'), /usage_once/],
    [
      'reading two users at once',
      (database) => Promise.all(['user-1', 'user-2', 'user-3'].map(createLoadUserWithUsage(database))),
      /usage_once/,
    ],
    [
      'the sweep',
      (database) => forgetUsageOperations(database, NOON - 48 * HOUR, 1_000),
      /usage_operations_by_age/,
    ],
  ])('%s rides on its index and scans no table', async (_name, run, index) => {
    const plan = await planOf(database(), run)
    expect(plan).toMatch(index)
    expect(plan).not.toMatch(/Seq Scan on (users|usage)/)
  })

  it('the sweep deletes operations older than the given instant, at most as many as its limit', async () => {
    // One operation a minute back from noon: 5,000 minutes, of which 2,880 are 48 hours.
    expect(await forgetUsageOperations(database(), NOON - 48 * HOUR, 2_000)).toBe(2_000)
    expect(await forgetUsageOperations(database(), NOON - 48 * HOUR, 2_000)).toBe(USERS - 2_880 - 2_000)
    expect(await forgetUsageOperations(database(), NOON - 48 * HOUR, 2_000)).toBe(0)
  })
})
