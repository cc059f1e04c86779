// Bank statements and their lines as rows. A line is made of what it is known by, so that two processes that
// read the same file write it once.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { AccountKind } from '../core/account.js'
import type { BankLineState } from '../core/bank-line.js'
import type { Instant } from '../core/instant.js'
import { type Database, type Queryable, statement } from '../database/database.js'
import { at, column, instant, integer, json, rowOf, text, textOrNull, word } from '../database/rows.js'
import type { viewForm } from './bank-file.js'
import type { LineResult } from './bank-schemas.js'

/** As the file was read. */
type StoredForm = ReturnType<typeof viewForm> & { readonly left_out: number }

export interface NewLine {
  readonly id: string
  readonly day: string
  readonly amount_centimes: number
  readonly text: string
  readonly text_key: string
  readonly nth: number
  readonly refs: readonly string[]
  readonly state: 'open' | 'payout'
}

const lock = statement(
  'bank_statements.lock',
  `select true as locked from pg_advisory_xact_lock(hashtext('bank_statements'))`,
)

/**
 * Runs imports, withdrawals and settlements of lines one after the other. Row locks do not reach rows that
 * another transaction has not committed yet: a withdrawal would delete a line that a new file shares, and two
 * settlements would approve two lines for one payment. An approval takes no part: it locks its one line.
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
  `with input as (
     select $1::jsonb as statement, $2::jsonb as lines, $3::jsonb as audit, $4::timestamptz as now
   ), made as (
     insert into bank_statements (id, account, imported_at, imported_by, form, line_ids, first_day, last_day)
     select s.id, s.account, i.now, s.imported_by, s.form, s.line_ids, s.first_day, s.last_day
       from input i, jsonb_populate_record(null::bank_statements, i.statement) s
     returning id, account
   ), added as (
     insert into bank_lines (id, statement_id, account, day, amount_centimes, text, text_key, nth, refs,
                             state)
     select l.id, m.id, m.account, l.day, l.amount_centimes, l.text, l.text_key, l.nth, l.refs, l.state
       from input i, made m, jsonb_populate_recordset(null::bank_lines, i.lines) l
      order by l.id
     on conflict do nothing
   )
   ${insertAudit({ userId: "''", at: 'i.now', entry: 'i.audit', from: 'input i, made' })}`,
)

/** The statement with all lines that are not known yet, and its line in the audit trail, or nothing. */
export async function insertStatement(
  database: Database,
  of: {
    readonly id: string
    readonly account: AccountKind
    readonly by: string
    readonly form: StoredForm
    readonly lines: readonly NewLine[]
    readonly now: Instant
    readonly audit: AuditEntry
  },
): Promise<void> {
  const { id, account, by, form, lines, now, audit } = of
  const days = lines.map(({ day }) => day).sort()
  const row = {
    ...{ id, account, form, imported_by: by },
    ...{ line_ids: lines.map((line) => line.id), first_day: days[0], last_day: days.at(-1) },
  }
  const given = [JSON.stringify(row), JSON.stringify(lines), JSON.stringify(audit), at(now)]
  await alone(database, (held) => held.query(insert, given))
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

const COLUMNS = `id, account, imported_at, imported_by, form, first_day, last_day,
          cardinality(line_ids) as lines`

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

/** Those before `after`, one more than `limit` where there are more. */
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

const parseLine = rowOf({
  id: text,
  statementId: text,
  account: word<AccountKind>,
  day: text,
  centimes: column('amount_centimes', integer),
  text,
  references: column('refs', json<readonly string[]>),
  state: word<BankLineState>,
  decidedBy: textOrNull,
  reason: textOrNull,
  paymentIds: json<readonly string[]>,
})
export type StoredLine = ReturnType<typeof parseLine>

const LINE = `l.id, l.statement_id, l.account, l.day, l.amount_centimes, l.text, l.refs, l.state,
          l.decided_by, l.reason, l.payment_ids`

const selectOfStatement = statement(
  'bank_lines.of_statement',
  `select ${LINE}
     from bank_statements s
    cross join lateral unnest(s.line_ids) with ordinality as of_file (id, place)
     join bank_lines l on l.id = of_file.id
    where s.id = $1
    order by of_file.place`,
)

/** In the order of the file. */
export async function linesOfStatement(database: Queryable, id: string): Promise<readonly StoredLine[]> {
  return (await database.query(selectOfStatement, [id])).map(parseLine)
}

const selectLine = statement('bank_lines.one', `select ${LINE} from bank_lines l where l.id = $1`)

export async function findLine(database: Queryable, id: string): Promise<StoredLine | null> {
  const [row] = await database.query(selectLine, [id])
  return row ? parseLine(row) : null
}

const listed = (name: string, state: string) =>
  statement(
    `bank_lines.${name}`,
    `select ${LINE}
       from bank_lines l
      where ${state} and ($1::date is null or (l.day, l.id) < ($1::date, $2::text))
      order by l.day desc, l.id desc limit $3::int`,
  )
const selectOpen = listed('open', `l.state = 'open'`)
const selectIn = {
  open: selectOpen,
  payout: listed('payouts', `l.state = 'payout'`),
  approved: listed('approved', `l.state = 'approved'`),
  set_aside: listed('set_aside', `l.state = 'set_aside'`),
}

/** Newest day first, one more than `limit` where there are more. */
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
  `with input as (
     select $1::text as id, $2::text as was, $3::text as state, $4::text as operator, $5::text as why,
            $6::jsonb as audit, $7::timestamptz as now
   ), decided as (
     update bank_lines l
        set state = i.state, reason = i.why, decided_at = i.now, decided_by = i.operator
       from input i
      where l.id = i.id and l.state = i.was and l.payment_ids = '{}'
     returning l.id
   )
   ${insertAudit({ userId: "''", at: 'i.now', entry: 'i.audit', from: 'input i, decided' })}
   returning id`,
)

/** False: it is in another state by now. */
export async function decideLine(
  database: Queryable,
  of: {
    readonly line: StoredLine
    readonly state: 'open' | 'payout' | 'set_aside'
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

// The row locks decide which lines pay nothing: a line that was approved before its lock stays. Changes find
// lines by id alone: with a condition on them the planner underestimates the rows of a new file that has no
// statistics yet, and compares each line with all.
const withdraw = statement(
  'bank_statements.withdraw',
  `with input as (
     select $1::text as id, $2::jsonb as audit, $3::timestamptz as now
   ), named as (
     select f.id, min(f.place) filter (where o.id = s.id) as place,
            (array_agg(o.id order by o.imported_at, o.id) filter (where o.id <> s.id))[1] as elsewhere
       from bank_statements s
       join bank_statements o
         on o.account = s.account and o.first_day <= s.last_day and o.last_day >= s.first_day
      cross join lateral unnest(o.line_ids) with ordinality as f (id, place)
      where s.id = $1
      group by f.id
     having bool_or(o.id = s.id)
   ), of_file as (
     select n.id, n.place, n.elsewhere, l.day, l.statement_id, l.payment_ids = '{}' as is_free
       from named n join bank_lines l on l.id = n.id
        for update of l
   ), moved as (
     update bank_lines l set statement_id = f.elsewhere
       from of_file f
      where l.id = f.id and f.is_free and f.elsewhere is not null and f.statement_id = $1
   ), gone as (
     delete from bank_lines l using of_file f
      where l.id = f.id and f.is_free and f.elsewhere is null
   ), kept as (
     select array_agg(id order by place) as ids, min(day) as first_day, max(day) as last_day,
            count(*) as lines
       from of_file
      where not is_free
   ), counted as (
     select (select count(*) from of_file) - k.lines as withdrawn, k.lines as kept
       from kept k
   ), cut as (
     update bank_statements s set line_ids = k.ids, first_day = k.first_day, last_day = k.last_day
       from kept k
      where s.id = $1 and k.lines > 0
   ), dropped as (
     delete from bank_statements s using kept k where s.id = $1 and k.lines = 0
   ), audited as (
     ${insertAudit({
       userId: "''",
       at: 'i.now',
       entry: `i.audit || jsonb_build_object('after', i.audit->'after'
                 || jsonb_build_object('withdrawn', c.withdrawn, 'left', c.kept))`,
       from: 'input i, counted c',
     })}
      where c.withdrawn > 0
   )
   select withdrawn, kept from counted`,
)
const parseWithdrawn = rowOf({ withdrawn: integer, kept: integer })

/** All of it but lines that pay payments; gives how many of each. */
export async function deleteStatement(
  database: Database,
  id: string,
  audit: AuditEntry,
  now: Instant,
): Promise<{ readonly withdrawn: number; readonly kept: number }> {
  return alone(database, async (held) => {
    const [row = {}] = await held.query(withdraw, [id, JSON.stringify(audit), at(now)])
    return parseWithdrawn(row)
  })
}

const selectResults = statement(
  'bank_statements.results',
  `select after from audit where user_id = '' and id = $1 and act = 'statement.approve'`,
)

/** What became of each line that was approved by this entry of the audit trail. */
export async function findResults(database: Queryable, auditId: string): Promise<readonly LineResult[]> {
  const [row] = await database.query(selectResults, [auditId])
  return row ? json<{ readonly results: readonly LineResult[] }>(row, 'after').results : []
}
