// Reconciliations as rows: the progress of each, and its discrepancies. Rounds belong to no process: the next
// round continues where the last one stopped, in any process.
import type { Static } from 'typebox'
import { type AuditEntry, insertAudit, UNLESS_DONE } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { PAYMENT_STATUSES, type Payment } from '../core/payment.js'
import type { StoredReport } from '../core/stored-report.js'
import { type Queryable, statement } from '../database/database.js'
import {
  at,
  firstOf,
  flag,
  instant,
  instantOrNull,
  integerOrNull,
  json,
  rowOf,
  text,
  textOrNull,
} from '../database/rows.js'
import { PAYMENT_COLUMNS, PUBLIC_METHOD, parsePayment } from '../ledger/payments.sql.js'
import type { DiscrepancySchema } from './reconciliation-schemas.js'

const parseReconciliation = rowOf({
  id: text,
  /** The payment method whose provider is asked. */
  method: text,
  sinceAt: instant,
  startedAt: instant,
  /** True: payments without a row are booked if the checkout says whose they are. */
  booksUnknown: flag,
  /** The next page of the provider's list; null once `sinceAt` is reached, or if there is no list. */
  nextPage: integerOrNull,
})
export type Reconciliation = ReturnType<typeof parseReconciliation>

/** A discrepancy as a round finds it. `user_id` is null while the user is unknown. */
export type Discrepancy = Omit<
  Static<typeof DiscrepancySchema>,
  'found_at' | 'seen_at' | 'version' | 'closed_at' | 'closed_by' | 'closed_because'
>

// Two calls with one operation id wait for each other at the index audit_operations.
const insertNew = statement(
  'reconciliations.start',
  `with asked as (
     ${insertAudit({
       ...{ userId: "''", at: '$3::timestamptz', entry: '$7::jsonb' },
       from: '(select where $7::jsonb is not null) given',
     })} ${UNLESS_DONE}
     returning actor
   )
   insert into reconciliations (id, since_at, started_at, books_unknown, next_page, next_round_at, method,
                                started_by)
   select $1, $2::timestamptz, $3::timestamptz, $4::boolean, $5::int, $3::timestamptz, $6, actor
     from (select actor from asked union all select 'schedule' where $7::jsonb is null) starts
   returning id`,
)

/** Writes the operator's act too; null: the daily job begins it. False: this operation has begun one. */
export async function insertReconciliation(
  database: Queryable,
  { id, sinceAt, startedAt, booksUnknown, nextPage, method }: Reconciliation,
  audit: AuditEntry | null,
): Promise<boolean> {
  const values = [id, at(sinceAt), at(startedAt), booksUnknown, nextPage, method]
  return (await database.query(insertNew, [...values, audit && JSON.stringify(audit)])).length > 0
}

const claimNextRound = statement(
  'reconciliations.claim',
  `update reconciliations set next_round_at = $3::timestamptz
    where id = $1 and finished_at is null and next_round_at <= $2::timestamptz
   returning id, method, since_at, started_at, books_unknown, next_page`,
)

/** Reserves it until `nextRoundAt`. Null: it is finished, or its time has not come. */
export function claimReconciliation(database: Queryable, id: string, now: Instant, nextRoundAt: Instant) {
  return firstOf(database.query(claimNextRound, [id, at(now), at(nextRoundAt)]), parseReconciliation)
}

// A closed discrepancy stays closed while the provider reports the same. The time of that report may change.
const updateStep = statement(
  'reconciliations.save_step',
  `with found as (
     select * from jsonb_to_recordset($7::jsonb) as f(
       id text, user_id text, gateway text, checkout_id text, kind text, payment_id text, outcome text,
       details jsonb)
   ), saved as (
     insert into discrepancies as d (id, user_id, method, checkout_id, kind, payment_id, outcome, details,
                                     reconciliation_id, found_at, seen_at)
     select id, user_id, gateway, checkout_id, kind, payment_id, outcome, details,
            $1, $6::timestamptz, $6::timestamptz
       from found
         on conflict (checkout_id, kind, method) do update
        set user_id = excluded.user_id, payment_id = excluded.payment_id, outcome = excluded.outcome,
            details = excluded.details, reconciliation_id = excluded.reconciliation_id,
            seen_at = excluded.seen_at,
            (version, closed_at, closed_by, closed_because) = (
              select case when is_same then d.version else d.version + 1 end,
                     case when is_same then d.closed_at end, case when is_same then d.closed_by end,
                     case when is_same then d.closed_because end
                from (select (d.outcome, d.details - '{paid_at,our_status}'::text[])
                           = (excluded.outcome, excluded.details - '{paid_at,our_status}'::text[])
                             as is_same) judged)
   ), matched as (
     update payments set reconciled_at = $6::timestamptz
      where (user_id, id) in (
        select m.user_id, m.id from jsonb_to_recordset($8::jsonb) as m(user_id text, id text))
   )
   update reconciliations
      set next_page = $2::int, calls = calls + $3::int, checkouts = checkouts + $4::int,
          discrepancies = discrepancies + jsonb_array_length($7::jsonb), finished_at = $5::timestamptz
    where id = $1`,
)

/** Saves one step with its discrepancies, completely or not at all. After a crash the step is repeated. */
export async function saveStep(
  database: Queryable,
  id: string,
  step: {
    readonly nextPage: number | null
    readonly calls: number
    readonly checkouts: number
    readonly discrepancies: readonly Discrepancy[]
    /** Payments that are equal on both sides. */
    readonly matched: readonly Payment[]
    readonly finishedAt: Instant | null
    readonly now: Instant
  },
): Promise<void> {
  const { nextPage, calls, checkouts, discrepancies, finishedAt, now } = step
  const matched = step.matched.map(({ userId: user_id, id }) => ({ user_id, id }))
  const progress = [nextPage, calls, checkouts, at(finishedAt), at(now)]
  await database.query(updateStep, [id, ...progress, JSON.stringify(discrepancies), JSON.stringify(matched)])
}

const selectByCheckouts = statement(
  'reconciliations.payments',
  `select ${PAYMENT_COLUMNS},
          jsonb_path_query_first(p.reports, '$[*] ? (@.outcome starts with "booked")') as report
     from payments p where p.method = $1 and p.method_reference = any($2::text[])`,
)

const parseReconciled = rowOf({
  payment: parsePayment,
  /** The report that booked it; null: no report did. */
  report: json<StoredReport | null>,
})
export type ReconciledPayment = ReturnType<typeof parseReconciled>

export async function paymentsOfCheckouts(database: Queryable, method: string, ids: readonly string[]) {
  return (await database.query(selectByCheckouts, [method, ids])).map(parseReconciled)
}

const selectUnmatched = statement(
  'reconciliations.unmatched',
  `select ${PAYMENT_COLUMNS}
     from payments p
    where p.paid_at >= $1::timestamptz and p.paid_at <= $2::timestamptz
      and p.method_reference is not null and p.method = $5
      and (p.reconciled_at is null or p.reconciled_at < $2::timestamptz)
      and not exists (
        select from discrepancies d
         where d.checkout_id = p.method_reference and d.method = p.method and d.reconciliation_id = $3)
    order by p.paid_at, p.id
    limit $4::int`,
)

/** Paid payments of the reconciled time that the list has not shown. */
export async function unmatchedPayments(
  database: Queryable,
  { id, method, sinceAt, startedAt }: Omit<Reconciliation, 'booksUnknown' | 'nextPage'>,
  limit: number,
) {
  const values = [at(sinceAt), at(startedAt), id, limit, method]
  return (await database.query(selectUnmatched, values)).map(parsePayment)
}

// The first payment is the first by card among those of each status: payments_listed has that order.
const selectLast = statement(
  'reconciliations.last',
  `select (select id from reconciliations where finished_at is null and method = $1
            order by started_at limit 1) as unfinished,
          coalesce((select max(started_at) from reconciliations where method = $1),
                   (select min(first.created_at) from unnest($2::text[]) s(status)
                     cross join lateral (
                       select p.created_at from payments p
                        where ${PUBLIC_METHOD} = 'card' and p.status = s.status and p.method = $1
                        order by p.created_at limit 1) first)) as begun_at`,
)

/** The oldest unfinished one, and when the last began; before the first, the time of the first payment. */
export async function lastReconciliation(database: Queryable, method: string) {
  const [row = {}] = await database.query(selectLast, [method, PAYMENT_STATUSES])
  return { unfinished: textOrNull(row, 'unfinished'), begunAt: instantOrNull(row, 'begun_at') }
}
