// Bank statements and their lines as rows. A line is made of what it is known by, so that two processes that
// read the same file write it once.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { AccountKind } from '../core/account.js'
import type { Instant } from '../core/instant.js'
import {
  type Database,
  type Parameter,
  type Queryable,
  type Row,
  type Statement,
  statement,
} from '../database/database.js'
import {
  at,
  column,
  flag,
  instant,
  integer,
  integerOrNull,
  json,
  rowOf,
  text,
  textOrNull,
  word,
} from '../database/rows.js'
import type { LeftOutRow, ReadFile, viewForm } from './bank-file.js'
import type { BankLineState, LineDoubt } from './bank-line.js'
import type { LineResult } from './bank-schemas.js'

/** How the file was read, and what a page shows of it. */
export type StoredForm = ReturnType<typeof viewForm> &
  Pick<ReadFile, 'telling' | 'currency' | 'debits' | 'headings' | 'rows'> & {
    readonly left_out: number
    readonly left_out_rows: readonly LeftOutRow[]
  }

export interface NewLine {
  readonly id: string
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

/** Lines that one query stores or removes: about 5 ms of work, and 60 KB that the next collection frees. */
const SLICE_LINES = 250

const insert = statement(
  'bank_statements.insert',
  `with input as (
     select $1::jsonb as statement, $2::jsonb as audit, $3::timestamptz as now
   ), made as (
     insert into bank_statements (id, account, imported_at, imported_by, form, lines, first_day, last_day)
     select s.id, s.account, i.now, s.imported_by, s.form, s.lines, s.first_day, s.last_day
       from input i, jsonb_populate_record(null::bank_statements, i.statement) s
      where not exists (
        select from bank_statements o
         where o.account = s.account and o.first_day <= s.last_day and o.last_day >= s.first_day
           and o.withdrawn_at is null and not o.id = any($4::text[]))
     returning id
   )
   ${insertAudit({ userId: "''", at: 'i.now', entry: 'i.audit', from: 'input i, made' })}
   returning id`,
)

const insertPart = statement(
  'bank_statements.insert_part',
  `insert into bank_statement_parts (statement_id, place, lines) values ($1, $2, $3::jsonb)`,
)

/**
 * The statement, its lines that are still to be stored, and its entry in the audit trail, or nothing. False
 * if there is another statement of its days than those of `beside`, by which its lines were numbered.
 */
export async function insertStatement(
  database: Database,
  of: {
    readonly id: string
    readonly account: AccountKind
    readonly by: string
    readonly form: StoredForm
    readonly firstDay: string
    readonly lastDay: string
    /** Made when it is stored: a file has many. */
    readonly lines: { readonly count: number; at(index: number): NewLine }
    readonly beside: readonly string[]
    readonly now: Instant
    readonly audit: AuditEntry
  },
): Promise<boolean> {
  const { id, account, by, form, lines, now, audit } = of
  const row = {
    ...{ id, account, form, imported_by: by, lines: lines.count },
    ...{ first_day: of.firstDay, last_day: of.lastDay },
  }
  const given = [JSON.stringify(row), JSON.stringify(audit), at(now), of.beside]
  return alone(database, async (held) => {
    if ((await held.query(insert, given)).length === 0) return false
    for (let from = 0; from < lines.count; from += SLICE_LINES) {
      const length = Math.min(SLICE_LINES, lines.count - from)
      const slice = Array.from({ length }, (_, index) => lines.at(from + index))
      await held.query(insertPart, [id, from + 1, JSON.stringify(slice)])
    }
    return true
  })
}

// Two files may bring the same line at once: both find it by its id.
const storePart = statement(
  'bank_statements.store_part',
  `with part as (
     delete from bank_statement_parts
      where (statement_id, place) = (
        select statement_id, place from bank_statement_parts
         where $1::text is null or statement_id = $1
         order by statement_id, place limit 1 for update skip locked)
     returning statement_id, place, lines
   ), lines as materialized (
     select s.id as statement_id, s.account, part.place + l.at - 1 as place, line.id, line.day,
            line.amount_centimes, line.text, line.text_key, line.nth, line.refs, line.doubts, line.state
       from part
       join bank_statements s on s.id = part.statement_id
      cross join lateral jsonb_array_elements(part.lines) with ordinality as l (line, at)
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
   select statement_id, place, id from lines
   returning line_id`,
)

/** Stored before a request is answered; an ordinary statement has fewer lines than these slices. */
export const SLICES_AT_ONCE = 8

/** Stores at most `most` slices of a file that is read in, or of all such files; gives how many. */
export async function storeSlices(
  database: Database,
  id: string | null,
  most: number,
  goesOn: () => boolean = () => true,
): Promise<number> {
  let slices = 0
  while (slices < most && goesOn()) {
    const stored = await alone(database, (held) => held.query(storePart, [id]))
    if (stored.length > 0) slices += 1
    // A file ends with a short slice.
    if (stored.length === 0 || (id !== null && stored.length < SLICE_LINES)) break
  }
  return slices
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
  storedLines: integer,
})
export type StoredStatement = ReturnType<typeof parseStatement>

// A part leaves no gap: what is stored ends before the first part that is left.
const COLUMNS = `id, account, imported_at, imported_by, form, first_day, last_day, lines,
          coalesce((select min(p.place) - 1 from bank_statement_parts p where p.statement_id = s.id),
                   s.lines) as stored_lines`

const selectOne = statement(
  'bank_statements.one',
  `select ${COLUMNS} from bank_statements s where id = $1 and withdrawn_at is null`,
)

export async function findBankStatement(database: Queryable, id: string): Promise<StoredStatement | null> {
  const [row] = await database.query(selectOne, [id])
  return row ? parseStatement(row) : null
}

const selectNewest = statement(
  'bank_statements.newest',
  `select ${COLUMNS} from bank_statements s
    where withdrawn_at is null
      and ($1::timestamptz is null or (imported_at, id) < ($1::timestamptz, $2::text))
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

const LINE = `l.id, l.statement_id, l.account, l.day, l.amount_centimes, l.text, l.refs, l.doubts, l.state,
          l.decided_by, l.reason, l.payment_ids, l.text_key, l.nth`

const parsePlacedLine = rowOf({ ...LINE_COLUMNS, place: integer })
export type PlacedLine = ReturnType<typeof parsePlacedLine>

const selectOfStatement = statement(
  'bank_lines.of_statement',
  `select ${LINE}, m.place
     from bank_statement_lines m join bank_lines l on l.id = m.line_id
    where m.statement_id = $1 and m.place > $2::int
    order by m.place limit $3::int`,
)

/** Behind a place, in the order of the file. */
export async function linesOfStatement(
  database: Queryable,
  of: { readonly id: string; readonly after: number; readonly limit: number },
): Promise<readonly PlacedLine[]> {
  return (await database.query(selectOfStatement, [of.id, of.after, of.limit])).map(parsePlacedLine)
}

/** All of them, a slice at a time. */
export async function* slicesOfStatement(
  database: Queryable,
  id: string,
): AsyncGenerator<readonly PlacedLine[]> {
  for (let after = 0; ; ) {
    const lines = await linesOfStatement(database, { id, after, limit: SLICE_LINES })
    if (lines.length > 0) yield lines
    if (lines.length < SLICE_LINES) return
    after = lines.at(-1)?.place ?? after
  }
}

const selectSomeOfStatement = statement(
  'bank_lines.some_of_statement',
  `select ${LINE}, m.place
     from bank_statement_lines m join bank_lines l on l.id = m.line_id
    where m.line_id = any($2::text[]) and m.statement_id = $1`,
)

export async function someOfStatement(
  database: Queryable,
  id: string,
  lineIds: readonly string[],
): Promise<readonly PlacedLine[]> {
  return (await database.query(selectSomeOfStatement, [id, lineIds])).map(parsePlacedLine)
}

const selectOverlapping = statement(
  'bank_statements.overlapping',
  `select id from bank_statements
    where account = $1 and first_day <= $3::date and last_day >= $2::date and withdrawn_at is null
    order by imported_at, id`,
)

/** The earlier statements of an account that have one of these days. */
export async function overlappingStatements(
  database: Queryable,
  of: { readonly account: AccountKind; readonly firstDay: string; readonly lastDay: string },
): Promise<readonly string[]> {
  const rows = await database.query(selectOverlapping, [of.account, of.firstDay, of.lastDay])
  return rows.map((row) => text(row, 'id'))
}

/** What a line of an earlier statement is known by. */
interface EarlierLine {
  readonly key: string
  readonly nth: number
}

/** The lines of each day of each of these statements. */
export async function* earlierDays(
  database: Queryable,
  statements: readonly string[],
): AsyncGenerator<readonly EarlierLine[]> {
  for (const id of statements) {
    const days = new Map<string, EarlierLine[]>()
    for await (const lines of slicesOfStatement(database, id))
      for (const { day, textKey: key, nth } of lines) {
        const ofDay = days.get(day)
        if (ofDay) ofDay.push({ key, nth })
        else days.set(day, [{ key, nth }])
      }
    yield* days.values()
  }
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
  returned: listed('returned', `l.state = 'returned'`),
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

const withdraw = statement(
  'bank_statements.withdraw',
  `with input as (
     select $1::text as id, $2::jsonb as audit, $3::timestamptz as now
   ), locked as (
     select l.payment_ids
       from bank_statement_lines m join bank_lines l on l.id = m.line_id
      where m.statement_id = $1
        for update of l
   ), counted as (
     select count(*) filter (where payment_ids = '{}') as withdrawn,
            count(*) filter (where payment_ids <> '{}') as kept
       from locked
   ), marked as (
     update bank_statements s set withdrawn_at = i.now
       from input i, counted c
      where s.id = i.id and s.withdrawn_at is null and c.withdrawn > 0
        and not exists (select from bank_statement_parts p where p.statement_id = i.id)
     returning s.id
   ), audited as (
     ${insertAudit({
       userId: "''",
       at: 'i.now',
       entry: `i.audit || jsonb_build_object('after', i.audit->'after'
                 || jsonb_build_object('withdrawn', c.withdrawn, 'left', c.kept))`,
       from: 'input i, counted c, marked m',
     })}
   )
   select withdrawn, kept, exists (select from marked) as is_marked from counted`,
)
const parseWithdrawn = rowOf({ withdrawn: integer, kept: integer, isMarked: flag })

// The row lock decides which lines pay nothing: a line that was approved before it stays. A line that another
// statement has too stays there.
const removeSome = statement(
  'bank_statements.remove_lines',
  `with withdrawn as (
     select id from bank_statements where withdrawn_at is not null order by id limit 1
        for update skip locked
   ), slice as (
     select m.statement_id, m.place, m.line_id
       from withdrawn w join bank_statement_lines m on m.statement_id = w.id
      where m.place > $1::int
      order by m.place limit $2::int
   ), locked as (
     select s.statement_id, s.place, l.id, l.statement_id as first_in, l.payment_ids = '{}' as is_free,
            (select o.statement_id
               from bank_statement_lines o join bank_statements b on b.id = o.statement_id
              where o.line_id = l.id and o.statement_id <> s.statement_id
              order by b.imported_at, b.id limit 1) as elsewhere
       from slice s join bank_lines l on l.id = s.line_id
        for update of l
   ), unplaced as (
     delete from bank_statement_lines m using locked k
      where m.statement_id = k.statement_id and m.place = k.place and k.is_free
   ), moved as (
     update bank_lines l set statement_id = k.elsewhere
       from locked k
      where l.id = k.id and k.is_free and k.elsewhere is not null and k.first_in = k.statement_id
   ), gone as (
     delete from bank_lines l using locked k where l.id = k.id and k.is_free and k.elsewhere is null
   )
   select max(place) as place from locked`,
)

const finishWithdrawal = statement(
  'bank_statements.finish_withdrawal',
  `with kept as (
     select s.id, count(m.line_id)::int as lines, min(l.day) as first_day, max(l.day) as last_day
       from bank_statements s
       left join bank_statement_lines m on m.statement_id = s.id
       left join bank_lines l on l.id = m.line_id
      where s.id = (select id from bank_statements where withdrawn_at is not null order by id limit 1)
      group by s.id
     having coalesce(bool_and(l.payment_ids <> '{}'), true)
   ), cut as (
     update bank_statements s
        set lines = k.lines, first_day = k.first_day, last_day = k.last_day, withdrawn_at = null
       from kept k where s.id = k.id and k.lines > 0
   ), dropped as (
     delete from bank_statements s using kept k where s.id = k.id and k.lines = 0
   )
   select id from kept`,
)
const parsePlace = rowOf({ place: integerOrNull })

type Ask = (query: Statement, given?: readonly Parameter[]) => Promise<readonly Row[]>

async function removeLines(ask: Ask, most: number, goesOn: () => boolean): Promise<number> {
  let slices = 0
  for (let after = 0; slices < most && goesOn(); ) {
    const [row = {}] = await ask(removeSome, [after, SLICE_LINES])
    const { place } = parsePlace(row)
    if (place !== null) slices += 1
    // Another process is at it, or nothing is left.
    else if ((await ask(finishWithdrawal)).length === 0) break
    after = place ?? 0
  }
  return slices
}

/** Removes the lines of withdrawn statements that pay nothing. Gives how many slices. */
export function removeWithdrawn(
  database: Database,
  most: number,
  goesOn: () => boolean = () => true,
): Promise<number> {
  return removeLines((...asked) => alone(database, (held) => held.query(...asked)), most, goesOn)
}

/**
 * Marks a statement as withdrawn, with its entry in the audit trail, and removes its first slices: a line
 * that is approved meanwhile waits for it. Null if it changed meanwhile, or if each line pays a payment.
 */
export function withdrawStatementRow(
  database: Database,
  id: string,
  audit: AuditEntry,
  now: Instant,
): Promise<{ readonly withdrawn: number; readonly kept: number } | null> {
  return alone(database, async (held) => {
    const [row = {}] = await held.query(withdraw, [id, JSON.stringify(audit), at(now)])
    const { isMarked, ...counts } = parseWithdrawn(row)
    if (!isMarked) return null
    await removeLines(
      (...asked) => held.query(...asked),
      SLICES_AT_ONCE,
      () => true,
    )
    return counts
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
