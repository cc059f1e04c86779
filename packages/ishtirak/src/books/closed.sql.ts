// Months that were closed, as rows: their figures as they were, and up to which numbers they have documents.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement, type Transaction } from '../database/database.js'
import { at, instant, integer, json, rowOf, text, textOrNull } from '../database/rows.js'
import { type ClosedSpan, type Counted, KNOWN_SINCE, spanValues } from './figures.sql.js'

const parseClosing = rowOf({
  month: text,
  sequence: integer,
  /** As `figuresNow` gave them. */
  figures: json<object>,
  counted: json<Counted>,
  closedAt: instant,
  closedBy: text,
})
export type Closing = ReturnType<typeof parseClosing>

const selectClosings = statement(
  'closed.months',
  `select month, sequence, figures, counted, closed_at, closed_by
     from closed_months where reopened_at is null and month = any($1::text[])`,
)

/** Those of the months that are closed now. */
export async function closingsOf(
  database: Queryable,
  months: readonly string[],
): Promise<readonly Closing[]> {
  return (await database.query(selectClosings, [months])).map(parseClosing)
}

const selectLast = statement(
  'closed.last',
  'select max(month) as month from closed_months where reopened_at is null',
)

/** Null: no month is closed. */
export async function lastClosed(database: Queryable): Promise<string | null> {
  const [row = { month: null }] = await database.query(selectLast)
  return textOrNull(row, 'month')
}

/** No document is numbered until the transaction ends, and nobody else closes or reopens a month. */
export async function lockClosing(transaction: Transaction): Promise<void> {
  await transaction.script('lock table document_series, closed_months in share row exclusive mode')
}

const insert = statement(
  'closed.close',
  `with closed as (
     insert into closed_months (month, sequence, ends_at, figures, counted, closed_at, closed_by)
     select $1, (select count(*) + 1 from closed_months where month = $1), $7::timestamptz, $2::jsonb,
            (select coalesce(jsonb_object_agg(series, last_number), '{}') from document_series),
            $3::timestamptz, $4
      where (select max(month) from closed_months where reopened_at is null) is not distinct from $5::text
     returning month
   )
   ${insertAudit({ userId: "''", at: '$3::timestamptz', entry: '$6::jsonb', from: 'closed' })}
   returning id`,
)

/** Behind `last`, with its line in the trail. False: another month is the last one by now. */
export async function insertClosed(
  transaction: Queryable,
  of: {
    readonly month: string
    readonly figures: { readonly to: Instant }
    readonly last: string | null
    readonly by: string
    readonly audit: AuditEntry
    readonly now: Instant
  },
): Promise<boolean> {
  const { month, figures, last, by, audit, now } = of
  const values = [month, JSON.stringify(figures), at(now), by, last, JSON.stringify(audit), at(figures.to)]
  return (await transaction.query(insert, values)).length === 1
}

const reopen = statement(
  'closed.reopen',
  `with reopened as (
     update closed_months set reopened_at = $3::timestamptz, reopened_by = $4, reopened_because = $5
      where month = $1 and sequence = $2::int and reopened_at is null
        and month = (select max(month) from closed_months where reopened_at is null)
     returning month
   )
   ${insertAudit({ userId: "''", at: '$3::timestamptz', entry: '$6::jsonb', from: 'reopened' })}
   returning id`,
)

/** With its line in the trail. False: it is not the last one, or not closed as it was. */
export async function saveReopened(
  transaction: Queryable,
  { month, sequence }: Pick<Closing, 'month' | 'sequence'>,
  of: {
    readonly by: string
    readonly because: string
    readonly audit: AuditEntry
    readonly now: Instant
  },
): Promise<boolean> {
  const { by, because, audit, now } = of
  const values = [month, sequence, at(now), by, because, JSON.stringify(audit)]
  return (await transaction.query(reopen, values)).length === 1
}

const selectLateBalances = statement(
  'closed.late_balances',
  `select coalesce(sum(b.amount), 0)::bigint as amount
     from (select p.user_id, p.id, $3::timestamptz as ignored ${KNOWN_SINCE}) l
     join balance_entries b on b.user_id = l.user_id and b.payment_id = l.id
    where b.created_at < $2::timestamptz and b.kind in ('top_up', 'purchase', 'renewal', 'surplus')`,
)

/**
 * What became known since the month before was closed changed of the balances as they were when the month
 * began. A month before the first that was closed is open: it has the sale, and the balances have its money.
 */
export async function lateBalances(database: Queryable, span: ClosedSpan): Promise<number> {
  const [row = {}] = await database.query(selectLateBalances, spanValues(span))
  return integer(row, 'amount')
}
