// What waits for a second operator.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, column, integer, rowOf, text } from '../database/rows.js'

const parseAsk = rowOf({ amount: integer, entries: integer, by: column('asked_by', text) })
export type Ask = ReturnType<typeof parseAsk>

const selectAsk = statement(
  'balance_asks.one',
  'select amount, entries, asked_by from balance_asks where user_id = $1 and act = $2',
)

export async function findAsk(database: Queryable, userId: string, act: string): Promise<Ask | null> {
  const [row] = await database.query(selectAsk, [userId, act])
  return row ? parseAsk(row) : null
}

/** Nothing has come to the balance since. Each looks up its user: there are few, and users are many. */
const WAITS = 'b.entries = coalesce((select u.balance_entry from users u where u.user_id = b.user_id), 0)'

const selectWaiting = statement(
  'balance_asks.waiting',
  `select b.act, b.amount, b.entries, b.asked_by
     from balance_asks b where b.user_id = $1 and ${WAITS} order by b.act`,
)

/** Those of a user that a second operator can still confirm. */
export async function waitingAsks(database: Queryable, userId: string) {
  const rows = await database.query(selectWaiting, [userId])
  return rows.map((row) => ({ act: text(row, 'act'), ...parseAsk(row) }))
}

/** The rows of the inbox. */
export const WAITING_ASKS = `
  select b.asked_at, b.act || ' ' || b.user_id, b.user_id, null::text, b.amount, b.asked_by
    from balance_asks b where ${WAITS}`

const insertAsk = statement(
  'balance_asks.save',
  `with asked as (
     insert into balance_asks as b (user_id, act, amount, entries, asked_by, asked_at)
     values ($1, $2, $3::int, $4::int, $5, $6::timestamptz)
         on conflict (user_id, act) do update
        set amount = excluded.amount, entries = excluded.entries, asked_by = excluded.asked_by,
            asked_at = excluded.asked_at
   )${insertAudit({ userId: '$1', at: '$6::timestamptz', entry: '$7::jsonb' })}`,
)

/** In place of what was asked before. */
export async function saveAsk(
  database: Queryable,
  of: { readonly userId: string; readonly act: string; readonly ask: Ask },
  audit: AuditEntry,
  now: Instant,
): Promise<void> {
  const { userId, act, ask } = of
  const { amount, entries, by } = ask
  await database.query(insertAsk, [userId, act, amount, entries, by, at(now), JSON.stringify(audit)])
}
