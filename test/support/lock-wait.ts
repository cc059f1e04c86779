import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { sql } from './sql.js'

const waiting = sql(`select count(*)::int as count from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock'`)

export const oneWaits = (database: Database): Promise<void> => soManyWait(database, 1)

export async function soManyWait(database: Database, count: number): Promise<void> {
  await expect.poll(() => database.query(waiting)).toEqual([{ count }])
}
