// Closings of months, in an append-only table: the last document numbers that a closed month has, and the
// totals that were declared.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement, type Transaction } from '../database/database.js'
import { at, instant, json, rowOf, text, textOrNull } from '../database/rows.js'
import type { Counted } from './figures.sql.js'
import type { Totals } from './month-schemas.js'

const parseClosing = rowOf({
  month: text,
  declared: json<Totals>,
  counted: json<Counted>,
  at: instant,
  by: text,
})
export type Closing = ReturnType<typeof parseClosing>

const selectClosings = statement(
  'closed.months',
  `select month, totals as declared, counted, acted_at as at, actor as by
     from month_closings where month = any($1::text[])`,
)

/** The closings of those of the months that are closed. */
export async function closingsOf(
  database: Queryable,
  months: readonly string[],
): Promise<readonly Closing[]> {
  return (await database.query(selectClosings, [months])).map(parseClosing)
}

const selectLast = statement('closed.last', 'select max(month) as month from month_closings')

/** Null: no month is closed. */
export async function lastClosed(database: Queryable): Promise<string | null> {
  const [row = { month: null }] = await database.query(selectLast)
  return textOrNull(row, 'month')
}

/** Until the transaction ends, no document is numbered and no other process closes a month. */
export async function lockClosing(transaction: Transaction): Promise<void> {
  await transaction.script('lock table document_series, month_closings in share row exclusive mode')
}

const insert = statement(
  'closed.insert',
  `with entered as (
     insert into month_closings (month, counted, totals, acted_at, actor, reason, closed_until)
     select $1, (select coalesce(jsonb_object_agg(series, last_number), '{}') from document_series),
            $2::jsonb, $3::timestamptz, $4, $5, $6::timestamptz
      where (select max(month) from month_closings) is not distinct from $7::text
     returning month
   )
   ${insertAudit({ userId: "''", at: '$3::timestamptz', entry: '$8::jsonb', from: 'entered' })}
   returning id`,
)

/** Writes the audit trail too. False: another month was closed meanwhile. */
export async function insertClosing(
  transaction: Transaction,
  of: {
    readonly month: string
    /** The end of the month. */
    readonly to: Instant
    readonly totals: Totals
    readonly by: string
    readonly because: string | null
    /** The month that was closed last before. Null: none. */
    readonly last: string | null
    readonly audit: AuditEntry
    readonly now: Instant
  },
): Promise<boolean> {
  const { month, to, totals, by, because, last, audit, now } = of
  const values = [month, JSON.stringify(totals), at(now), by, because, at(to), last, JSON.stringify(audit)]
  return (await transaction.query(insert, values)).length === 1
}
