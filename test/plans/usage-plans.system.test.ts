// What the statements about usage cost when there is much of it: they find their rows by index, and the sweep finds what
// is old without looking at what is young.
import { beforeEach, expect, it } from 'vitest'
import { HOUR } from '../../packages/ishtirak/src/core/instant.js'
import {
  type Database,
  type Parameter,
  type Statement,
  statement,
} from '../../packages/ishtirak/src/database/database.js'
import { consumeWhereUsual } from '../../packages/ishtirak/src/limits/consume.sql.js'
import { applyUsageOperations } from '../../packages/ishtirak/src/limits/operations.sql.js'
import { forgetUsageOperations, loadUserWithUsage } from '../../packages/ishtirak/src/limits/usage.sql.js'
import type { UsageOperation } from '../../packages/ishtirak/src/limits/usage-answer.js'
import { describeOnBothDatabases } from '../support/databases.js'
import { NOON } from '../support/fixtures.js'

const USERS = 5_000

describeOnBothDatabases('with 5,000 users', ({ database }) => {
  beforeEach(() =>
    database().script(`
      insert into users (user_id, created_at) select 'user-' || n, now() from generate_series(1, ${USERS}) n;
      insert into usage (user_id, limit_name, project_id, used, revision)
      select 'user-' || n, 'projects', '', 1, 1 from generate_series(1, ${USERS}) n;
      insert into usage_operations (user_id, operation_id, kind, limit_name, project_id, amount, maximum, used, created_at)
      select 'user-' || n, 'a', 'consume', 'projects', '', 1, 3, 1, timestamptz '2026-11-21T12:00:00Z' - n * interval '1 minute'
        from generate_series(1, ${USERS}) n;
      analyze users; analyze usage; analyze usage_operations;`),
  )

  const consume: UsageOperation = {
    kind: 'consume',
    userId: 'user-1',
    limit: 'projects',
    projectId: '',
    amount: 1,
    operationId: 'b',
    consumeOperationId: null,
    resetsAt: null,
    maximum: 3,
    version: 0,
    isUserKnown: true,
    now: NOON,
  }

  it.each<[string, (database: Pick<Database, 'query'>) => Promise<unknown>, RegExp]>([
    ['consume', (door) => applyUsageOperations(door, [consume]), /usage_once/],
    ['a usual consume', (door) => consumeWhereUsual(door, [consume]), /usage_operations_once/],
    [
      'two usual consumes',
      (door) => consumeWhereUsual(door, [consume, { ...consume, userId: 'user-2' }]),
      /usage_operations_once/,
    ],
    [
      'a release',
      (door) => applyUsageOperations(door, [{ ...consume, kind: 'release' }]),
      /usage_operations_once/,
    ],
    ['reading a user', (door) => loadUserWithUsage(door, 'user-1'), /usage_once/],
    ['the sweep', (door) => forgetUsageOperations(door, NOON - 48 * HOUR, 1_000), /usage_operations_by_age/],
  ])('%s rides on its index and scans no table', async (_name, run, index) => {
    const plan = await planOf(database(), run)
    expect(plan).toMatch(index)
    expect(plan).not.toMatch(/Seq Scan on (users|usage)/)
  })

  it('the sweep forgets what is older than it is told, no more than it may', async () => {
    // One operation a minute back from noon: 5,000 minutes, of which 2,880 are 48 hours.
    expect(await forgetUsageOperations(database(), NOON - 48 * HOUR, 2_000)).toBe(2_000)
    expect(await forgetUsageOperations(database(), NOON - 48 * HOUR, 2_000)).toBe(USERS - 2_880 - 2_000)
    expect(await forgetUsageOperations(database(), NOON - 48 * HOUR, 2_000)).toBe(0)
  })
})

let explained = 0

/** Lets a function of the store write its statement, and asks the database how it would go about it. */
async function planOf(
  database: Database,
  run: (door: Pick<Database, 'query'>) => Promise<unknown>,
): Promise<string> {
  let asked: { statement: Statement; parameters: readonly Parameter[] } | undefined
  await run({
    query: (given, parameters = []) => {
      asked = { statement: given, parameters }
      return database.query(given, parameters)
    },
  })
  if (!asked) throw new Error('nothing was asked')
  explained += 1
  const explain = statement(`test.explain_${explained}`, `explain ${asked.statement.text}`)
  const rows = await database.query(explain, asked.parameters)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}
