// The comparison of the provider's list with our books, as rows: how far the walk is, and what was found. The
// walk belongs to no process; the next round goes on where the last one stopped, in any process.
import type { Static } from 'typebox'
import { type AuditEntry, insertAudit, UNLESS_DONE } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import type { StoredReport } from '../core/stored-report.js'
import { type Queryable, statement } from '../database/database.js'
import {
  at,
  flag,
  instant,
  instantOrNull,
  integerOrNull,
  json,
  rowOf,
  text,
  textOrNull,
} from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from '../ledger/payments.sql.js'
import { viewRows } from '../ledger/schemas.js'
import { FINDING_COLUMNS } from './findings.sql.js'
import { ComparisonSchema, FindingSchema } from './reconcile-schemas.js'

/** What the walk needs to go on. */
const parseWalk = rowOf({
  id: text,
  /** The payment method whose provider is compared. */
  method: text,
  sinceAt: instant,
  startedAt: instant,
  /** Payments without a row are booked, as far as the checkout says whose they are. */
  booksUnknown: flag,
  /** Of the provider's list; null once the walk has reached `sinceAt`, or where there is no list. */
  nextPage: integerOrNull,
})
export type Walk = ReturnType<typeof parseWalk>

/**
 * What only one side has, or has differently. `user_id` is null while we do not know whose checkout it is.
 */
export type Finding = Omit<
  Static<typeof FindingSchema>,
  'found_at' | 'seen_at' | 'version' | 'closed_at' | 'closed_by' | 'closed_because'
>

const insertComparison = statement(
  'comparisons.start',
  `insert into comparisons (id, since_at, started_at, books_unknown, next_page, next_round_at, method,
    started_by)
   values ($1, $2::timestamptz, $3::timestamptz, $4::boolean, $5::int, $3::timestamptz, $6, $7)`,
)

/** Of the schedule. */
export async function startComparison(database: Queryable, walk: Walk): Promise<void> {
  await database.query(insertComparison, [...walkValues(walk), 'schedule'])
}

// Two with the same operation wait for each other at the index audit_operations.
const insertAskedComparison = statement(
  'comparisons.start_asked',
  `with asked as (
     ${insertAudit({ userId: "''", at: '$3::timestamptz', entry: '$7::jsonb' })} ${UNLESS_DONE}
     returning actor
   )
   insert into comparisons (id, since_at, started_at, books_unknown, next_page, next_round_at, method,
     started_by)
   select $1, $2::timestamptz, $3::timestamptz, $4::boolean, $5::int, $3::timestamptz, $6, actor from asked
   returning id`,
)

/** Of an operator, with its row in the audit trail. False: this operation has begun one. */
export async function startAskedComparison(
  database: Queryable,
  walk: Walk,
  audit: AuditEntry,
): Promise<boolean> {
  const rows = await database.query(insertAskedComparison, [...walkValues(walk), JSON.stringify(audit)])
  return rows.length > 0
}

function walkValues({ id, sinceAt, startedAt, booksUnknown, nextPage, method }: Walk) {
  return [id, at(sinceAt), at(startedAt), booksUnknown, nextPage, method]
}

const claimNextRound = statement(
  'comparisons.claim',
  `update comparisons set next_round_at = $3::timestamptz
    where id = $1 and finished_at is null and next_round_at <= $2::timestamptz
   returning id, method, since_at, started_at, books_unknown, next_page`,
)

/**
 * The comparison as it stands, to be worked on until `nextRoundAt`. Null: finished, or it is not time yet.
 */
export async function claimComparison(
  database: Queryable,
  id: string,
  when: { readonly now: Instant; readonly nextRoundAt: Instant },
): Promise<Walk | null> {
  const [row] = await database.query(claimNextRound, [id, at(when.now), at(when.nextRoundAt)])
  return row ? parseWalk(row) : null
}

// What was closed stays closed while the provider says the same. When it says it may move on.
const saveStep = statement(
  'comparisons.save_step',
  `with found as (
     select * from jsonb_to_recordset($7::jsonb) as f(
       user_id text, gateway text, checkout_id text, kind text, payment_id text, outcome text, details jsonb)
   ), saved as (
     insert into comparison_findings as f (user_id, method, checkout_id, kind, payment_id, outcome,
                                           details, comparison_id, found_at, seen_at)
     select coalesce(user_id, ''), gateway, checkout_id, kind, payment_id, outcome, details,
            $1, $6::timestamptz, $6::timestamptz
       from found
         on conflict (user_id, checkout_id, kind, method) do update
        set outcome = excluded.outcome, details = excluded.details, payment_id = excluded.payment_id,
            comparison_id = excluded.comparison_id, seen_at = excluded.seen_at,
            (closed_at, closed_by, closed_because) = (
              select f.closed_at, f.closed_by, f.closed_because
               where (f.outcome, f.details - '{paid_at,our_status}'::text[])
                     = (excluded.outcome, excluded.details - '{paid_at,our_status}'::text[]))
   ), matched as (
     update payments set compared_at = $6::timestamptz
      where (user_id, id) in (
        select m.user_id, m.id from jsonb_to_recordset($8::jsonb) as m(user_id text, id text))
   )
   update comparisons
      set next_page = $2::int, calls = calls + $3::int, checkouts = checkouts + $4::int,
          findings = findings + jsonb_array_length($7::jsonb), finished_at = $5::timestamptz
    where id = $1`,
)

/** One step of the walk with what it found, whole or not at all: after a crash the step is made again. */
export async function saveComparisonStep(
  database: Queryable,
  id: string,
  step: {
    readonly nextPage: number | null
    readonly calls: number
    readonly checkouts: number
    readonly findings: readonly Finding[]
    /** Payments that both sides have alike. */
    readonly matched: readonly Payment[]
    readonly finishedAt: Instant | null
    readonly now: Instant
  },
): Promise<void> {
  await database.query(saveStep, [
    id,
    step.nextPage,
    step.calls,
    step.checkouts,
    at(step.finishedAt),
    at(step.now),
    JSON.stringify(step.findings),
    JSON.stringify(step.matched.map((payment) => ({ user_id: payment.userId, id: payment.id }))),
  ])
}

const selectByCheckouts = statement(
  'comparisons.payments',
  `select ${PAYMENT_COLUMNS},
          jsonb_path_query_first(p.reports, '$[*] ? (@.outcome starts with "booked")') as booked
     from payments p where p.method = $1 and p.method_reference = any($2::text[])`,
)

/** A payment, and the report by which it was booked; null: no report booked it. */
const parseCompared = rowOf({
  payment: parsePayment,
  booked: json<Pick<StoredReport, 'source' | 'amount' | 'currency'> | null>,
})
export type ComparedPayment = ReturnType<typeof parseCompared>

export async function paymentsOfCheckouts(
  database: Queryable,
  method: string,
  checkoutIds: readonly string[],
): Promise<readonly ComparedPayment[]> {
  const rows = await database.query(selectByCheckouts, [method, checkoutIds])
  return rows.map(parseCompared)
}

const selectUnmatched = statement(
  'comparisons.unmatched',
  `select ${PAYMENT_COLUMNS}
     from payments p
    where p.paid_at >= $1::timestamptz and p.paid_at <= $2::timestamptz
      and p.method_reference is not null and p.method = $5
      and (p.compared_at is null or p.compared_at < $2::timestamptz)
      and not exists (
        select from comparison_findings f
         where f.user_id = p.user_id and f.checkout_id = p.method_reference and f.comparison_id = $3)
    order by p.paid_at, p.id
    limit $4::int`,
)

/** Paid payments of the comparison's time that its walk has not shown. */
export async function unmatchedPayments(
  database: Queryable,
  comparison: Pick<Walk, 'id' | 'method' | 'sinceAt' | 'startedAt'>,
  limit: number,
): Promise<readonly Payment[]> {
  const { id, method, sinceAt, startedAt } = comparison
  const values = [at(sinceAt), at(startedAt), id, limit, method]
  return (await database.query(selectUnmatched, values)).map(parsePayment)
}

const selectLast = statement(
  'comparisons.last',
  `select (select id from comparisons where finished_at is null and method = $1
            order by started_at limit 1) as unfinished,
          coalesce((select max(started_at) from comparisons where method = $1),
                   (select min(created_at) from payments where method = $1)) as begun_at`,
)

/** The oldest unfinished one, and when the last began; before the first, when the first payment was made. */
export async function lastComparison(
  database: Queryable,
  method: string,
): Promise<{ readonly unfinished: string | null; readonly begunAt: Instant | null }> {
  const [row = {}] = await database.query(selectLast, [method])
  return { unfinished: textOrNull(row, 'unfinished'), begunAt: instantOrNull(row, 'begun_at') }
}

const selectComparisons = statement(
  'comparisons.list',
  `select id, since_at as since, started_by, started_at, finished_at, next_round_at, calls, checkouts,
    findings
     from comparisons
    where $1::text is null or id = $1
    order by started_at desc
    limit $2::int`,
)

const findings = (name: string, isWanted: string) =>
  statement(
    `comparisons.${name}`,
    `select ${FINDING_COLUMNS}
       from comparison_findings f
      where ${isWanted}
      order by seen_at desc, f.user_id, checkout_id, f.method
      limit $1::int`,
  )
const selectFindings = findings('findings', 'true')
// Seen since it began, by clocks that may differ: earlier findings, however many there are, are not read.
const selectFindingsOf = findings(
  'findings_of',
  "comparison_id = $2 and seen_at >= (select started_at - interval '1 day' from comparisons where id = $2)",
)

/** Newest first, with what was found: of one comparison, or (null) of the last ones. */
export async function listComparisons(
  database: Queryable,
  id: string | null,
  limits: { readonly comparisons: number; readonly findings: number },
) {
  const comparisons = await database.query(selectComparisons, [id, limits.comparisons])
  const found =
    id === null
      ? await database.query(selectFindings, [limits.findings])
      : await database.query(selectFindingsOf, [limits.findings, id])
  return {
    comparisons: viewRows(ComparisonSchema, comparisons),
    findings: viewRows(FindingSchema, found),
  }
}
