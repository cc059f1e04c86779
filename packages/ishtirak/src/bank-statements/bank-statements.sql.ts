// Bank statements and their lines as rows. A line's id is made of what identifies it in every file, so it is
// stored once, in however many files it stands.
import { type AuditEntry, findAct, insertAudit } from '../acts/audit.sql.js'
import { NO_USER } from '../acts/subject.js'
import type { AccountKind } from '../core/account.js'
import type { Instant } from '../core/instant.js'
import { type Database, type Queryable, statement } from '../database/database.js'
import {
  at,
  column,
  columnsOf,
  firstOf,
  instant,
  integer,
  json,
  rowOf,
  text,
  textOrNull,
  word,
  writerOf,
} from '../database/rows.js'
import type { BankLineState, LineDoubt, LineResult, StoredForm } from './bank-schemas.js'

const parseStatement = rowOf({
  statement_id: column('id', text),
  account: word<AccountKind>,
  imported_at: instant,
  imported_by: text,
  form: json<StoredForm>,
  first_day: text,
  last_day: text,
  lines: integer,
})
export type StoredStatement = ReturnType<typeof parseStatement>

const COLUMNS = columnsOf(parseStatement)

const parseLine = rowOf({
  id: text,
  statement_id: text,
  place: integer,
  account: word<AccountKind>,
  day: text,
  /** Below 0 if the money went out. */
  centimes: column('amount_centimes', integer),
  text,
  references: column('refs', json<readonly string[]>),
  doubts: json<readonly LineDoubt[]>,
  state: word<BankLineState>,
  decided_by: textOrNull,
  reason: textOrNull,
  payment_id: textOrNull,
})
export type StoredLine = ReturnType<typeof parseLine>

const LINE = columnsOf(parseLine, 'l')

export type NewLine = Omit<StoredLine, 'decided_by' | 'reason' | 'payment_id'>

const lock = statement(
  'bank_statements.lock',
  `select true as locked from pg_advisory_xact_lock(hashtext('bank_statements'))`,
)

/**
 * Runs imports, withdrawals and settlements of lines one after the other. Row locks do not reach rows that
 * another transaction has not committed yet: a withdrawal would delete a line that a new file shares, and two
 * settlements would approve two lines for one payment. An approval needs no turn, because it locks its line.
 */
function withStatementsLocked<Result>(
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

// Finds a line of an earlier file by its id. Its newest reading counts, until the line is decided.
const insertLines = statement(
  'bank_lines.insert',
  `insert into bank_lines (id, statement_id, place, account, day, amount_centimes, text, refs, doubts, state)
   select id, statement_id, place, account, day, amount_centimes, text, refs, doubts, state
     from jsonb_populate_recordset(null::bank_lines, $1::jsonb)
    order by id
       on conflict (id) do update
      set statement_id = excluded.statement_id, place = excluded.place, day = excluded.day,
          amount_centimes = excluded.amount_centimes, text = excluded.text, refs = excluded.refs,
          doubts = excluded.doubts, state = excluded.state
    where bank_lines.payment_id is null and (bank_lines.state = 'open' or bank_lines.decided_at is null)`,
)

/** 250 lines in one query hold the event loop of the embedded database for some 5 ms. */
const SLICE_LINES = 250

const rowOfStatement = writerOf(parseStatement)
const rowOfLine = writerOf<object>(parseLine)

export function insertStatement(
  database: Database,
  made: StoredStatement,
  lines: readonly NewLine[],
  audit: AuditEntry,
): Promise<void> {
  const rows = lines.map(rowOfLine)
  return withStatementsLocked(database, async (held) => {
    await held.query(insert, [JSON.stringify(rowOfStatement(made)), JSON.stringify(audit)])
    for (let from = 0; from < rows.length; from += SLICE_LINES)
      await held.query(insertLines, [JSON.stringify(rows.slice(from, from + SLICE_LINES))])
  })
}

const FORMS_KNOWN = 20

// Uses the index bank_statements_newest.
const selectForms = statement(
  'bank_statements.forms',
  `select form from bank_statements where account = $1 order by imported_at desc limit ${FORMS_KNOWN}`,
)

/** Newest first. */
export async function knownForms(database: Queryable, account: AccountKind): Promise<readonly StoredForm[]> {
  return (await database.query(selectForms, [account])).map((row) => json<StoredForm>(row, 'form'))
}

const selectOne = statement('bank_statements.one', `select ${COLUMNS} from bank_statements where id = $1`)

export function findBankStatement(database: Queryable, id: string): Promise<StoredStatement | null> {
  return firstOf(database.query(selectOne, [id]), parseStatement)
}

const selectNewest = statement(
  'bank_statements.newest',
  `select ${COLUMNS} from bank_statements
    where $1::timestamptz is null or (imported_at, id) < ($1::timestamptz, $2::text)
    order by imported_at desc, id desc limit $3::int`,
)

/** Newest first. */
export async function newestStatements(
  database: Queryable,
  after: { readonly at: Instant; readonly id: string } | null,
  limit: number,
): Promise<readonly StoredStatement[]> {
  const values = [after && at(after.at), after?.id ?? null, limit]
  return (await database.query(selectNewest, values)).map(parseStatement)
}

const selectOfStatement = statement(
  'bank_lines.of_statement',
  `select ${LINE} from bank_lines l where l.statement_id = $1 order by l.place`,
)

/** The lines are in the order of the file. */
export async function linesOfStatement(database: Queryable, id: string): Promise<readonly StoredLine[]> {
  return (await database.query(selectOfStatement, [id])).map(parseLine)
}

const selectLine = statement('bank_lines.one', `select ${LINE} from bank_lines l where l.id = $1`)

export function findLine(database: Queryable, id: string): Promise<StoredLine | null> {
  return firstOf(database.query(selectLine, [id]), parseLine)
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

/** Newest day first. */
export async function linesIn(
  database: Queryable,
  state: BankLineState,
  after: { readonly day: string; readonly id: string } | null,
  limit: number,
): Promise<readonly StoredLine[]> {
  const values = [after?.day ?? null, after?.id ?? null, limit]
  return (await database.query(selectIn[state], values)).map(parseLine)
}

const updateState = statement(
  'bank_lines.decide',
  `with decided as (
     update bank_lines
        set state = $3, reason = $4::jsonb->>'reason', decided_at = $5::timestamptz,
            decided_by = $4::jsonb->>'actor'
      where id = $1 and state = $2 and payment_id is null
     returning id as line_id
   )
   ${insertAudit({ userId: "''", at: '$5::timestamptz', entry: '$4::jsonb', from: 'decided' })}
   returning id`,
)

/** False: the line is in another state by now. */
export async function decideLine(
  database: Queryable,
  { id, state: was }: StoredLine,
  state: BankLineState,
  audit: AuditEntry,
  now: Instant,
): Promise<boolean> {
  const given = [id, was, state, JSON.stringify(audit), at(now)]
  return (await database.query(updateState, given)).length === 1
}

// The row lock decides which lines pay nothing: a line that was approved before it stays.
const withdraw = statement(
  'bank_statements.withdraw',
  `with locked as (
     select id, day, payment_id is null as is_free from bank_lines where statement_id = $1 for update
   ), counted as (
     select count(*) filter (where is_free)::int as withdrawn,
            count(*) filter (where not is_free)::int as kept,
            min(day) filter (where not is_free) as first_day, max(day) filter (where not is_free) as last_day
       from locked
   ), gone as (
     delete from bank_lines l using locked k where l.id = k.id and k.is_free
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
       from: '(select * from counted where withdrawn > 0 or kept = 0) c',
     })}
   )
   select withdrawn, kept from counted where withdrawn > 0 or kept = 0`,
)
const parseWithdrawn = rowOf({ withdrawn: integer, kept: integer })

/** Removes the lines that pay nothing, and the statement if none is left. Null: each line pays by now. */
export function withdrawStatementRow(database: Database, id: string, audit: AuditEntry, now: Instant) {
  return withStatementsLocked(database, (held) =>
    firstOf(held.query(withdraw, [id, JSON.stringify(audit), at(now)]), parseWithdrawn),
  )
}

const FACTS = `select t.payment_id, t.state, t.approvals->-1->>'by' as approved_by, p.status, p.amount
             from transfers t join payments p on p.user_id = t.user_id and p.id = t.payment_id`

// A line pays the payment that an operator chose for it, or the one that was approved by hand and that the
// line alone names. The update takes the state from `paid`: with a constant the planner underestimates the
// rows of a new file that has no statistics yet, and compares each line with all.
const settle = statement(
  'bank_matches.settle',
  `with by_hand as (
     select min(l.id) as line_id, k.payment_id, max(k.approved_by) as approved_by
       from bank_lines l
      cross join lateral (${FACTS} where t.reference = l.refs[1]) k
      where l.state = 'open' and l.payment_id is null and cardinality(l.refs) = 1
        and k.status in ('paid', 'refunded') and k.state = 'approved'
        and k.amount::bigint * 100 = l.amount_centimes
        and not exists (select from bank_lines o where o.payment_id = k.payment_id)
      group by k.payment_id
   ), paid as materialized (
     select line_id, 'open' as was, payment_id, approved_by from by_hand
     union all
     select l.id, l.state, l.payment_id, k.approved_by
       from bank_lines l
      cross join lateral (${FACTS} where p.id = l.payment_id) k
      where l.state = 'open' and l.payment_id is not null and k.status in ('paid', 'refunded')
   )
   update bank_lines l
      set state = 'approved', payment_id = p.payment_id, decided_at = $1::timestamptz,
          decided_by = p.approved_by
     from paid p
    where l.id = p.line_id and l.state = p.was and (l.payment_id is null or l.payment_id = p.payment_id)
   returning l.id`,
)

/** Approves the lines whose payment is booked, also if an operator approved it by hand. */
export async function settleLines(database: Database, now: Instant): Promise<number> {
  return withStatementsLocked(database, async (held) => (await held.query(settle, [at(now)])).length)
}

/** The results of an approval are an entry of their own, once: the name of its operation. */
export const resultsOperation = (approvalId: string) => `statement.approved ${approvalId}`

/** The result of each line that this entry of the audit trail approved; null if it is not known yet. */
export async function findResults(database: Queryable, approvalId: string) {
  const found = await findAct(database, { userId: NO_USER, operationId: resultsOperation(approvalId) })
  // The act of the results is never refused, and wrote this shape.
  return found && (found.after.results as readonly LineResult[])
}

// Money that went out again although its payment is approved, for the inbox. Uses the indexes
// bank_lines_decided and transfers_by_reference.
export const RETURNED = `
  select s.imported_at, l.id || ' ' || p.id, p.user_id, p.id, (-l.amount_centimes / 100)::int, l.day::text
    from bank_lines l
    join bank_statements s on s.id = l.statement_id
   cross join unnest(l.refs) ref
    join transfers t on t.reference = ref
    join payments p on p.user_id = t.user_id and p.id = t.payment_id
   where l.state = 'returned' and (p.status in ('paid', 'review') or t.approvals <> '[]')
     and p.status <> 'refunded'`
