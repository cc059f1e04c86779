import { type HostEvent, renderEvent } from '../../packages/ishtirak/src/core/event.js'
import { type Queryable, statement } from '../../packages/ishtirak/src/database/database.js'
import { EVENTS, parseEvent } from '../../packages/ishtirak/src/events/deliver-events.sql.js'

const selectAll = statement(
  'test.written_events',
  `${EVENTS} where $1::text is null or o.user_id = $1 order by o.user_id, o.sequence`,
)

export async function writtenEvents(
  database: Queryable,
  userId: string | null = null,
): Promise<readonly Omit<HostEvent, 'id'>[]> {
  const rows = await database.query(selectAll, [userId])
  return rows.map((row) => JSON.parse(renderEvent(parseEvent(row))))
}
