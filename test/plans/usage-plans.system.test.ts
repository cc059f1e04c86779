// Rows are found by index, and the sweep reads nothing that is young.
import { HOUR } from '../../packages/ishtirak/src/core/instant.js'
import { consumeWhereUsual } from '../../packages/ishtirak/src/limits/consume.sql.js'
import { createApplyUsageOperation } from '../../packages/ishtirak/src/limits/operations.sql.js'
import {
  createLoadUserWithUsage,
  forgetUsageOperations,
} from '../../packages/ishtirak/src/limits/usage.sql.js'
import { describePlans } from '../support/databases.js'
import { NOON } from '../support/fixtures.js'
import { type Run, scanningPlans } from './explain.js'
import { consume, ids } from './tables.js'

const USERS = 5_000
const OLD = NOON - 48 * HOUR
const other = { ...consume, userId: 'user-2' }

const USAGE: readonly Run[] = [
  (db) => createApplyUsageOperation(db)(consume),
  (db) => consumeWhereUsual(db, [consume]),
  (db) => consumeWhereUsual(db, [consume, other]),
  (db) => createApplyUsageOperation(db)({ ...consume, kind: 'release' }),
  (db) => createLoadUserWithUsage(db)('user-1'),
  (db) => Promise.all(ids(3).map(createLoadUserWithUsage(db))),
  (db) => forgetUsageOperations(db, OLD, 1_000),
]

describePlans('with 5,000 users, a count each and an operation a minute before noon', ({ database }) => {
  beforeEach(() =>
    database().script(`
      insert into users (user_id, created_at) select 'user-' || n, now() from generate_series(1, ${USERS}) n;
      insert into usage (user_id, limit_name, scope, counts_as, used, revision)
      select 'user-' || n, 'projects', '', 'gauge', 1, 1 from generate_series(1, ${USERS}) n;
      insert into usage_operations (user_id, operation_id, kind, limit_name, scope, amount, maximum, used,
        created_at)
      select 'user-' || n, 'a', 'consume', 'projects', '', 1, 3, 1,
             timestamptz '2026-11-21T12:00:00Z' - n * interval '1 minute'
        from generate_series(1, ${USERS}) n;
      analyze users; analyze usage; analyze usage_operations;`),
  )

  it('no query scans a table; the sweep deletes what is old', async () => {
    expect(await scanningPlans(database(), USAGE, 'custom', 'users usage')).toEqual([])
    // Of 5,000 minutes 2,880 are 48 hours.
    for (const deleted of [2_000, USERS - 2_880 - 2_000, 0])
      expect(await forgetUsageOperations(database(), OLD, 2_000)).toBe(deleted)
  })
})
