// What time the database thinks it is: two machines that disagree confuse expiry and order.
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from './database.js'
import { instant } from './rows.js'

const selectTime = statement(
  'server_time.read',
  `select date_trunc('milliseconds', clock_timestamp()) as now`,
)

export async function readServerTime(database: Queryable): Promise<Instant> {
  const [row] = await database.query(selectTime)
  if (!row) throw new Error('the database gave no time')
  return instant(row, 'now')
}
