// The comparison of the provider's list with our books, as rows: how far the walk is, and what was found. The walk belongs
// to no process; the next round goes on where the last one stopped, in any process.
import type { Instant } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, flag, instant, instantOrNull, integer, json, text, textOrNull } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from '../payments/payments.sql.js'

export interface Comparison {
  readonly id: string
  /** The payment method whose provider is compared. */
  readonly method: string
  readonly sinceAt: Instant
  /** The operator's name, or `schedule`. */
  readonly startedBy: string
  readonly startedAt: Instant
  /** Payments without a row are booked, as far as the checkout says whose they are. */
  readonly booksUnknown: boolean
  /** The page of the provider's list that comes next; null once the walk has reached `sinceAt`, or where there is no list. */
  readonly nextPage: number | null
  /** Questions put to the provider so far. */
  readonly calls: number
  readonly checkouts: number
  readonly findings: number
  readonly nextRoundAt: Instant
  readonly finishedAt: Instant | null
}

type FindingKind = 'paid_not_booked' | 'booked_not_paid' | 'differs' | 'unknown_paid'

/** What only one side has, or has differently. */
export interface Finding {
  /** Empty while we do not know whose checkout it is. */
  readonly userId: string
  readonly checkoutId: string
  readonly kind: FindingKind
  readonly paymentId: string | null
  /** What came of entering it into `settlePayment`, or `reported`. */
  readonly outcome: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface RecordedFinding extends Finding {
  readonly foundAt: Instant
  readonly seenAt: Instant
}

const COLUMNS =
  'id, method, since_at, started_by, started_at, books_unknown, next_page, calls, checkouts, findings, next_round_at, finished_at'

const insertComparison = statement(
  'comparisons.start',
  `insert into comparisons (id, since_at, started_by, started_at, books_unknown, next_page, next_round_at, method)
   values ($1, $2::timestamptz, $3, $4::timestamptz, $5::boolean, $6::int, $4::timestamptz, $7)
   returning ${COLUMNS}`,
)

export async function startComparison(
  database: Queryable,
  start: Pick<
    Comparison,
    'id' | 'method' | 'sinceAt' | 'startedBy' | 'startedAt' | 'booksUnknown' | 'nextPage'
  >,
): Promise<Comparison> {
  const { id, method, sinceAt, startedBy, startedAt, booksUnknown, nextPage } = start
  const values = [id, at(sinceAt), startedBy, at(startedAt), booksUnknown, nextPage, method]
  const [row] = await database.query(insertComparison, values)
  if (!row) throw new Error('the comparison that was just written is not there')
  return parse(row)
}

const claimNextRound = statement(
  'comparisons.claim',
  `update comparisons set next_round_at = $3::timestamptz
    where id = $1 and finished_at is null and next_round_at <= $2::timestamptz
   returning ${COLUMNS}`,
)

/** The comparison as it stands, to be worked on until `nextRoundAt`. Null: finished, or it is not time yet. */
export async function claimComparison(
  database: Queryable,
  id: string,
  when: { readonly now: Instant; readonly nextRoundAt: Instant },
): Promise<Comparison | null> {
  const [row] = await database.query(claimNextRound, [id, at(when.now), at(when.nextRoundAt)])
  return row ? parse(row) : null
}

const saveStep = statement(
  'comparisons.save_step',
  `with found as (
     select * from jsonb_to_recordset($7::jsonb) as f(
       user_id text, checkout_id text, kind text, payment_id text, outcome text, details jsonb)
   ), kept as (
     insert into comparison_findings as k (user_id, checkout_id, kind, payment_id, outcome, details,
                                           comparison_id, found_at, seen_at)
     select user_id, checkout_id, kind, payment_id, outcome, details, $1, $6::timestamptz, $6::timestamptz
       from found
         on conflict (user_id, checkout_id, kind) do update
        set outcome = excluded.outcome, details = excluded.details, payment_id = excluded.payment_id,
            comparison_id = excluded.comparison_id, seen_at = excluded.seen_at
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
    JSON.stringify(step.findings.map(findingToColumns)),
    JSON.stringify(step.matched.map((payment) => ({ user_id: payment.userId, id: payment.id }))),
  ])
}

function findingToColumns({ userId, checkoutId, kind, paymentId, outcome, details }: Finding) {
  return { user_id: userId, checkout_id: checkoutId, kind, payment_id: paymentId, outcome, details }
}

const selectByCheckouts = statement(
  'comparisons.payments',
  `select ${PAYMENT_COLUMNS} from payments p where p.method = $1 and p.checkout_id = any($2::text[])`,
)

export async function paymentsOfCheckouts(
  database: Queryable,
  method: string,
  checkoutIds: readonly string[],
): Promise<readonly Payment[]> {
  return (await database.query(selectByCheckouts, [method, checkoutIds])).map(parsePayment)
}

const selectUnmatched = statement(
  'comparisons.unmatched',
  `select ${PAYMENT_COLUMNS}
     from payments p
    where p.paid_at >= $1::timestamptz and p.paid_at <= $2::timestamptz and p.checkout_id is not null
      and p.method = $5
      and (p.compared_at is null or p.compared_at < $2::timestamptz)
      and not exists (
        select from comparison_findings f
         where f.user_id = p.user_id and f.checkout_id = p.checkout_id and f.comparison_id = $3)
    order by p.paid_at, p.id
    limit $4::int`,
)

/** Paid payments of the comparison's time that its walk has not shown. */
export async function unmatchedPayments(
  database: Queryable,
  comparison: Pick<Comparison, 'id' | 'method' | 'sinceAt' | 'startedAt'>,
  limit: number,
): Promise<readonly Payment[]> {
  const { id, method, sinceAt, startedAt } = comparison
  const values = [at(sinceAt), at(startedAt), id, limit, method]
  return (await database.query(selectUnmatched, values)).map(parsePayment)
}

const selectOldest = statement(
  'comparisons.oldest_payment',
  'select created_at from payments order by created_at limit 1',
)

/** From when there is anything to compare. Null: there was never a payment. */
export async function oldestPaymentAt(database: Queryable): Promise<Instant | null> {
  const [row] = await database.query(selectOldest)
  return row ? instant(row, 'created_at') : null
}

const selectUnfinished = statement(
  'comparisons.unfinished',
  `select ${COLUMNS} from comparisons where finished_at is null and method = $1 order by started_at limit 1`,
)

export async function unfinishedComparison(database: Queryable, method: string): Promise<Comparison | null> {
  const [row] = await database.query(selectUnfinished, [method])
  return row ? parse(row) : null
}

const selectNewest = statement(
  'comparisons.newest',
  `select ${COLUMNS} from comparisons where $2::text is null or method = $2 order by started_at desc limit $1::int`,
)

/** Of one method, or of all. */
export async function newestComparisons(
  database: Queryable,
  limit: number,
  method: string | null = null,
): Promise<readonly Comparison[]> {
  return (await database.query(selectNewest, [limit, method])).map(parse)
}

const selectOne = statement('comparisons.one', `select ${COLUMNS} from comparisons where id = $1`)

export async function findComparison(database: Queryable, id: string): Promise<Comparison | null> {
  const [row] = await database.query(selectOne, [id])
  return row ? parse(row) : null
}

const selectFindings = statement(
  'comparisons.findings',
  `select user_id, checkout_id, kind, payment_id, outcome, details, found_at, seen_at
     from comparison_findings
    where $1::text is null or comparison_id = $1
    order by seen_at desc, user_id, checkout_id
    limit $2::int`,
)

/** Newest first; of one comparison, or of all. */
export async function listFindings(
  database: Queryable,
  comparisonId: string | null,
  limit: number,
): Promise<readonly RecordedFinding[]> {
  const rows = await database.query(selectFindings, [comparisonId, limit])
  return rows.map((row) => ({
    userId: text(row, 'user_id'),
    checkoutId: text(row, 'checkout_id'),
    // The check constraint of the column holds the same list.
    kind: text(row, 'kind') as FindingKind,
    paymentId: textOrNull(row, 'payment_id'),
    outcome: text(row, 'outcome'),
    details: json<Finding['details']>(row, 'details'),
    foundAt: instant(row, 'found_at'),
    seenAt: instant(row, 'seen_at'),
  }))
}

function parse(row: Row): Comparison {
  return {
    id: text(row, 'id'),
    method: text(row, 'method'),
    sinceAt: instant(row, 'since_at'),
    startedBy: text(row, 'started_by'),
    startedAt: instant(row, 'started_at'),
    booksUnknown: flag(row, 'books_unknown'),
    nextPage: row.next_page === null ? null : integer(row, 'next_page'),
    calls: integer(row, 'calls'),
    checkouts: integer(row, 'checkouts'),
    findings: integer(row, 'findings'),
    nextRoundAt: instant(row, 'next_round_at'),
    finishedAt: instantOrNull(row, 'finished_at'),
  }
}
