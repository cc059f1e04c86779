// Closings and reopenings of months, in an append-only table: the last document numbers that a closed month
// has, and the totals that were declared.
import { type AuditEntry, insertAudit, type OperatorAct } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement, type Transaction } from '../database/database.js'
import { at, instant, integer, json, rowOf, text, textOrNull } from '../database/rows.js'
import type { Counted } from './figures.sql.js'
import type { Totals } from './month-schemas.js'

const parseClosing = rowOf({
  place: integer,
  month: text,
  /** Counts the closings of the month. */
  sequence: integer,
  declared: json<Totals>,
  counted: json<Counted>,
  at: instant,
  by: text,
})
export type Closing = ReturnType<typeof parseClosing>

const selectClosings = statement(
  'closed.months',
  `select place, month, totals as declared, counted, acted_at as at, actor as by,
          (select count(*)::int from month_closings c where c.month = l.month and c.act = 'close') as sequence
     from (select distinct on (month) * from month_closings
            where month = any($1::text[]) order by month, place desc) l
    where act = 'close'`,
)

/** Returns no closing for a month that is open now. */
export async function closingsOf(
  database: Queryable,
  months: readonly string[],
): Promise<readonly Closing[]> {
  return (await database.query(selectClosings, [months])).map(parseClosing)
}

const selectLast = statement(
  'closed.last',
  'select last_closed from month_closings order by place desc limit 1',
)

/** Null: no month is closed. */
export async function lastClosed(database: Queryable): Promise<string | null> {
  const [row = { last_closed: null }] = await database.query(selectLast)
  return textOrNull(row, 'last_closed')
}

/** Until the transaction ends, no document is numbered and no other process closes or reopens a month. */
export async function lockClosing(transaction: Transaction): Promise<void> {
  await transaction.script('lock table document_series, month_closings in share row exclusive mode')
}

const insert = statement(
  'closed.insert',
  `with last as (
     select coalesce(max(place), 0) as place from month_closings
   ), entered as (
     insert into month_closings
       (place, act, month, counted, totals, acted_at, actor, reason, last_closed, closed_until)
     select last.place + 1, $1, $2,
            case when $1 = 'close' then
              (select coalesce(jsonb_object_agg(series, last_number), '{}') from document_series) end,
            $3::jsonb, $4::timestamptz, $5, $6, $7, $8::timestamptz
       from last
      where (select c.last_closed from month_closings c where c.place = last.place)
            is not distinct from $9::text
     returning place
   )
   ${insertAudit({ userId: "''", at: '$4::timestamptz', entry: '$10::jsonb', from: 'entered' })}
   returning id`,
)

export interface NewClosing {
  readonly month: string
  /** Null: the month is reopened. */
  readonly totals: Totals | null
  /** The month that was closed last, before and after. Null: none. */
  readonly last: {
    readonly before: string | null
    readonly after: { readonly month: string; readonly to: Instant } | null
  }
}

/** Writes the audit trail too. False: another month was closed or reopened meanwhile. */
export async function insertClosing(
  transaction: Transaction,
  { month, totals, last }: NewClosing,
  { by, audit, now }: { readonly by: OperatorAct; readonly audit: AuditEntry; readonly now: Instant },
): Promise<boolean> {
  const act = [totals ? 'close' : 'reopen', month, totals && JSON.stringify(totals), at(now)]
  const values = [
    ...[...act, by.operator.name, by.reason, last.after?.month ?? null, at(last.after?.to ?? null)],
    ...[last.before, JSON.stringify(audit)],
  ]
  return (await transaction.query(insert, values)).length === 1
}

const noteDifference = statement(
  'closed.note_difference',
  `with gone as (delete from month_differences where place = $1::int and not $2::boolean)
   insert into month_differences (place, found_at)
   select $1::int, $3::timestamptz where $2::boolean on conflict do nothing`,
)

/** `differs`: the documents of the closed month add up to something else than what was declared. */
export async function saveDifference(
  database: Queryable,
  { place }: Closing,
  { differs, now }: { readonly differs: boolean; readonly now: Instant },
): Promise<void> {
  await database.query(noteDifference, [place, differs, at(now)])
}

/** For the inbox: months whose documents add up to something else, as long as they are closed. */
export const MONTHS_THAT_DIFFER = `
  select d.found_at, c.month, null::text, null::text, null::bigint, c.month
    from month_differences d
    join month_closings c on c.place = d.place
   where not exists (select from month_closings r where r.month = c.month and r.place > c.place)`
