// Bank statements and their lines as rows. A line's id is made of what identifies it in every file, so it is
// stored once, in however many files it stands.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { AccountKind } from '../core/account.js'
import type { Instant } from '../core/instant.js'
import { type Database, type Queryable, statement } from '../database/database.js'
import {
  at,
  column,
  columnsOf,
  instant,
  integer,
  json,
  rowOf,
  text,
  textOrNull,
  word,
} from '../database/rows.js'
import type { BankLineState, LineDoubt } from './bank-line.js'
import type { LineResult, StoredForm } from './bank-schemas.js'

export interface NewLine {
  readonly id: string
  readonly statement_id: string
  readonly account: AccountKind
  readonly day: string
  readonly amount_centimes: number
  readonly text: string
  readonly text_key: string
  readonly nth: number
  readonly refs: readonly string[]
  readonly doubts: readonly LineDoubt[]
  readonly state: 'open' | 'payout' | 'returned'
}

const lock = statement(
  'bank_statements.lock',
  `select true as locked from pg_advisory_xact_lock(hashtext('bank_statements'))`,
)

/**
 * Runs imports, withdrawals and settlements of lines one after the other. Row locks do not reach rows that
 * another transaction has not committed yet: a withdrawal would delete a line that a new file shares, and two
 * settlements would approve two lines for one payment. An approval needs no turn, because it locks its line.
 */
export function alone<Result>(
  database: Database,
  work: (held: Queryable) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (held) => {
    await held.query(lock)
    return work(held)
  })
}

const insert = statement(
  'bank_statements.insert',
  `with made as (
     insert into bank_statements
     select s.* from jsonb_populate_record(null::bank_statements, $1::jsonb) s
     returning id, imported_at
   )
   ${insertAudit({ userId: "''", at: 'made.imported_at', entry: '$2::jsonb', from: 'made' })}
   returning id`,
)

// A line of an earlier file has the same id and is not inserted again.
const insertLines = statement(
  'bank_lines.insert',
  `with lines as materialized (
     select $2::int + l.at as place, line.*
       from jsonb_array_elements($1::jsonb) with ordinality as l (line, at)
      cross join lateral jsonb_populate_record(null::bank_lines, l.line) line
   ), added as (
     insert into bank_lines (id, statement_id, account, day, amount_centimes, text, text_key, nth, refs,
                             doubts, state)
     select id, statement_id, account, day, amount_centimes, text, text_key, nth, refs, doubts, state
       from lines
      order by id
         -- The latest reading of a row counts, until the line is decided.
         on conflict (id) do update
            set text = excluded.text, refs = excluded.refs,
                doubts = excluded.doubts || case when 'equal_line' = any(bank_lines.doubts)
                                                  and not 'equal_line' = any(excluded.doubts)
                                                 then '{equal_line}'::text[] else '{}' end
          where bank_lines.state = 'open' and bank_lines.payment_ids = '{}'
   )
   insert into bank_statement_lines (statement_id, place, line_id)
   select statement_id, place, id from lines`,
)

/** One query stores so many lines. They occupy the event loop of the embedded database for some 5 ms. */
const SLICE_LINES = 250

/** Inserts the statement, its lines, and its entry in the audit trail. */
export async function insertStatement(
  held: Queryable,
  made: Omit<StoredStatement, 'importedAt' | 'importedBy' | 'firstDay' | 'lastDay'> & {
    readonly imported_at: string
    readonly imported_by: string
    readonly first_day: string
    readonly last_day: string
  },
  lines: readonly NewLine[],
  audit: AuditEntry,
): Promise<void> {
  await held.query(insert, [JSON.stringify(made), JSON.stringify(audit)])
  for (let from = 0; from < lines.length; from += SLICE_LINES)
    await held.query(insertLines, [JSON.stringify(lines.slice(from, from + SLICE_LINES)), from])
}

const parseStatement = rowOf({
  id: text,
  account: word<AccountKind>,
  importedAt: instant,
  importedBy: text,
  form: json<StoredForm>,
  firstDay: text,
  lastDay: text,
  lines: integer,
})
export type StoredStatement = ReturnType<typeof parseStatement>

const COLUMNS = columnsOf(parseStatement)

const selectOne = statement('bank_statements.one', `select ${COLUMNS} from bank_statements where id = $1`)

export async function findBankStatement(database: Queryable, id: string): Promise<StoredStatement | null> {
  const [row] = await database.query(selectOne, [id])
  return row ? parseStatement(row) : null
}

const selectNewest = statement(
  'bank_statements.newest',
  `select ${COLUMNS} from bank_statements
    where $1::timestamptz is null or (imported_at, id) < ($1::timestamptz, $2::text)
    order by imported_at desc, id desc limit $3::int`,
)

/** Newest first, after `after`; one more than `limit` if there are more. */
export async function newestStatements(
  database: Queryable,
  {
    after,
    limit,
  }: { readonly after: { readonly at: Instant; readonly id: string } | null; readonly limit: number },
): Promise<readonly StoredStatement[]> {
  const place = [after && at(after.at), after?.id ?? null]
  return (await database.query(selectNewest, [...place, limit + 1])).map(parseStatement)
}

const LINE_COLUMNS = {
  id: text,
  statementId: text,
  account: word<AccountKind>,
  day: text,
  centimes: column('amount_centimes', integer),
  text,
  references: column('refs', json<readonly string[]>),
  doubts: json<readonly LineDoubt[]>,
  state: word<BankLineState>,
  decidedBy: textOrNull,
  reason: textOrNull,
  paymentIds: json<readonly string[]>,
  textKey: text,
  nth: integer,
}
const parseLine = rowOf(LINE_COLUMNS)
export type StoredLine = ReturnType<typeof parseLine>

const LINE = columnsOf(parseLine, 'l')

const parsePlacedLine = rowOf({ ...LINE_COLUMNS, place: integer })
export type PlacedLine = ReturnType<typeof parsePlacedLine>

const selectOfStatement = statement(
  'bank_lines.of_statement',
  `select ${LINE}, m.place
     from bank_statement_lines m join bank_lines l on l.id = m.line_id
    where m.statement_id = $1
    order by m.place`,
)

/** The lines are in the order of the file. */
export async function linesOfStatement(database: Queryable, id: string): Promise<readonly PlacedLine[]> {
  return (await database.query(selectOfStatement, [id])).map(parsePlacedLine)
}

const selectEarlier = statement(
  'bank_lines.earlier',
  `select m.statement_id, l.day, l.text_key as key, l.nth
     from bank_statements s
     join bank_statement_lines m on m.statement_id = s.id
     join bank_lines l on l.id = m.line_id
    where s.account = $1 and s.first_day <= $3::date and s.last_day >= $2::date
      and l.day between $2::date and $3::date
    order by s.imported_at, s.id, m.place`,
)
const parseEarlier = rowOf({ statementId: text, day: text, key: text, nth: integer })
export type EarlierLine = ReturnType<typeof parseEarlier>

/** The lines that earlier statements of an account have of these days. */
export async function earlierLines(
  database: Queryable,
  of: { readonly account: AccountKind; readonly first_day: string; readonly last_day: string },
): Promise<readonly EarlierLine[]> {
  return (await database.query(selectEarlier, [of.account, of.first_day, of.last_day])).map(parseEarlier)
}

const selectLine = statement('bank_lines.one', `select ${LINE} from bank_lines l where l.id = $1`)

export async function findLine(database: Queryable, id: string): Promise<StoredLine | null> {
  const [row] = await database.query(selectLine, [id])
  return row ? parseLine(row) : null
}

// The state is a constant: with a parameter the planner could not use the partial indexes.
const listed = (state: BankLineState) =>
  statement(
    `bank_lines.${state}`,
    `select ${LINE}
       from bank_lines l
      where l.state = '${state}' and ($1::date is null or (l.day, l.id) < ($1::date, $2::text))
      order by l.day desc, l.id desc limit $3::int`,
  )
const selectIn = {
  ...{ open: listed('open'), payout: listed('payout'), approved: listed('approved') },
  ...{ set_aside: listed('set_aside'), returned: listed('returned') },
}

/** Newest day first, after `after`; one more than `limit` if there are more. */
export async function linesIn(
  database: Queryable,
  of: {
    readonly state: BankLineState
    readonly after: { readonly day: string; readonly id: string } | null
    readonly limit: number
  },
): Promise<readonly StoredLine[]> {
  const { state, after, limit } = of
  const rows = await database.query(selectIn[state], [after?.day ?? null, after?.id ?? null, limit + 1])
  return rows.map(parseLine)
}

const updateState = statement(
  'bank_lines.decide',
  `with decided as (
     update bank_lines set state = $3, reason = $5, decided_at = $7::timestamptz, decided_by = $4
      where id = $1 and state = $2 and payment_ids = '{}'
     returning id as line_id
   )
   ${insertAudit({ userId: "''", at: '$7::timestamptz', entry: '$6::jsonb', from: 'decided' })}
   returning id`,
)

/** False: the line is in another state by now. */
export async function decideLine(
  database: Queryable,
  of: {
    readonly line: StoredLine
    readonly state: 'open' | 'payout' | 'set_aside' | 'returned'
    readonly by: string
    readonly why: string | null
    readonly audit: AuditEntry
    readonly now: Instant
  },
): Promise<boolean> {
  const { line, state, by, why, audit, now } = of
  const given = [line.id, line.state, state, by, why, JSON.stringify(audit), at(now)]
  return (await database.query(updateState, given)).length === 1
}

// The row lock decides which lines pay nothing: a line that was approved before it stays. A line that is also
// in another statement moves there. `is_free`: it pays nothing. `elsewhere`: the first other statement that
// has it.
const withdraw = statement(
  'bank_statements.withdraw',
  `with locked as (
     select m.place, l.id, l.day, l.statement_id as first_in, l.payment_ids = '{}' as is_free,
            (select o.statement_id
               from bank_statement_lines o join bank_statements b on b.id = o.statement_id
              where o.line_id = l.id and o.statement_id <> m.statement_id
              order by b.imported_at, b.id limit 1) as elsewhere
       from bank_statement_lines m join bank_lines l on l.id = m.line_id
      where m.statement_id = $1
        for update of l
   ), counted as (
     select count(*) filter (where is_free)::int as withdrawn,
            count(*) filter (where not is_free)::int as kept,
            min(day) filter (where not is_free) as first_day, max(day) filter (where not is_free) as last_day
       from locked
   ), unplaced as (
     delete from bank_statement_lines m using locked k
      where m.statement_id = $1 and m.place = k.place and k.is_free
   ), moved as (
     update bank_lines l set statement_id = k.elsewhere
       from locked k
      where l.id = k.id and k.is_free and k.elsewhere is not null and k.first_in = $1
   ), gone as (
     delete from bank_lines l using locked k where l.id = k.id and k.is_free and k.elsewhere is null
   ), cut as (
     update bank_statements s set lines = c.kept, first_day = c.first_day, last_day = c.last_day
       from counted c where s.id = $1 and c.kept > 0
   ), dropped as (
     delete from bank_statements s using counted c where s.id = $1 and c.kept = 0
   ), audited as (
     ${insertAudit({
       userId: "''",
       at: '$3::timestamptz',
       entry: `$2::jsonb || jsonb_build_object('after', $2::jsonb->'after'
                 || jsonb_build_object('withdrawn', c.withdrawn, 'left', c.kept))`,
       from: '(select * from counted where withdrawn > 0) c',
     })}
   )
   select withdrawn, kept from counted where withdrawn > 0`,
)
const parseWithdrawn = rowOf({ withdrawn: integer, kept: integer })

/**
 * Removes the lines that pay nothing, the statement if none is left, and writes the entry of the audit trail.
 * Null: each line pays a payment by now.
 */
export function withdrawStatementRow(
  database: Database,
  id: string,
  audit: AuditEntry,
  now: Instant,
): Promise<{ readonly withdrawn: number; readonly kept: number } | null> {
  return alone(database, async (held) => {
    const [row] = await held.query(withdraw, [id, JSON.stringify(audit), at(now)])
    return row ? parseWithdrawn(row) : null
  })
}

const selectResults = statement(
  'bank_statements.results',
  "select after from audit where user_id = '' and operation_id = $1",
)

/** The results of an approval are an entry of their own, once: the name of its operation. */
export const resultsOperation = (approvalId: string) => `statement.approved ${approvalId}`

/** What became of each line that was approved by this entry of the audit trail; null: not known yet. */
export async function findResults(
  database: Queryable,
  approvalId: string,
): Promise<readonly LineResult[] | null> {
  const [row] = await database.query(selectResults, [resultsOperation(approvalId)])
  return row ? json<{ readonly results: readonly LineResult[] }>(row, 'after').results : null
}
