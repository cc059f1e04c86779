// Many rows of usage, and how the database goes about a statement on them.
import {
  type Database,
  type Parameter,
  type Statement,
  statement,
} from '../../packages/ishtirak/src/database/database.js'
import type { UsageOperation } from '../../packages/ishtirak/src/limits/consume.sql.js'
import { NOON } from '../support/fixtures.js'

/** One count each, and one operation a minute back from noon. */
export function fillUsage(database: Database, users: number): Promise<void> {
  return database.script(`
    insert into users (user_id, created_at) select 'user-' || n, now() from generate_series(1, ${users}) n;
    insert into usage (user_id, limit_name, scope, counts_as, used, revision)
    select 'user-' || n, 'projects', '', 'gauge', 1, 1 from generate_series(1, ${users}) n;
    insert into usage_operations (user_id, operation_id, kind, limit_name, scope, amount, maximum, used,
      created_at)
    select 'user-' || n, 'a', 'consume', 'projects', '', 1, 3, 1,
      timestamptz '2026-11-21T12:00:00Z' - n * interval '1 minute'
      from generate_series(1, ${users}) n;
    analyze users; analyze usage; analyze usage_operations;`)
}

export const consume: UsageOperation = {
  kind: 'consume',
  userId: 'user-1',
  limit: 'projects',
  countsAs: 'gauge',
  scopeId: '',
  amount: 1,
  operationId: 'b',
  consumeOperationId: null,
  resetsAt: null,
  maximum: 3,
  version: 0,
  isUserKnown: true,
  now: NOON,
}

let explained = 0

/** Lets a function of the store write its statement, and asks the database how it would go about it. */
export async function planOf(
  database: Database,
  run: (database: Pick<Database, 'query'>) => Promise<unknown>,
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
