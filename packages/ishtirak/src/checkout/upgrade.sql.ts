// The click on "upgrade" as rows: the facts of the user, the payment that is written before the provider is
// called, and the lease of the process that calls it.
import { HOUR, type Instant } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { NEVER_PAID } from '../core/subscription.js'
import type { UpgradeFacts } from '../core/upgrade.js'
import { shareStatements } from '../database/coalesce.js'
import { ConstraintViolation, type Queryable, type Row, statement } from '../database/database.js'
import { at, flag, integer, text, textOrNull } from '../database/rows.js'
import {
  COLUMN_NAMES,
  NEW_PAYMENT,
  PAYMENT_COLUMNS,
  PAYMENT_RECORD,
  parsePayment,
  paymentToColumns,
} from '../ledger/payments.sql.js'
import { FACT_COLUMNS, type KnownUser, parseUser, rememberUser, userParameters } from '../ledger/users.sql.js'

// `recent` has the checkouts that the provider made in the last hour: a user may begin ten. `withdrawn` is a
// canceled payment whose page is still open at the provider; it must be asked about before another opens.
const selectFacts = statement(
  'upgrades.load',
  `select a.ordinal, ${FACT_COLUMNS}, p.*, recent.at as recent_at, withdrawn.id as withdrawn_id,
          (u.email is null and a.email is not null) or (u.name is null and a.name is not null)
            or (u.locale is null and a.locale is not null) as fills_profile
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
          with ordinality a(user_id, email, name, locale, method, since, ordinal)
     join users u on u.user_id = a.user_id
     cross join lateral (
       select coalesce(jsonb_agg(extract(epoch from r.created_at) * 1000 order by r.created_at), '[]') as at
         from payments r
        where r.user_id = u.user_id and r.created_at > a.since
          and r.method = a.method
          and coalesce(r.checkout_url, case when r.review is null then r.method_reference end) is not null
     ) recent
     cross join lateral (
       select max(w.id) as id from payments w
        where w.user_id = u.user_id and w.method = a.method
          and w.status = 'canceled' and w.next_check_at is not null and w.reports = '[]'
          and coalesce(w.checkout_url, case when w.review is null then w.method_reference end) is not null
     ) withdrawn
     left join lateral (
       select ${PAYMENT_COLUMNS} from payments p
        where p.user_id = u.user_id and p.status in ('requested', 'pending') and p.method = a.method
        order by p.checkout_url is null, p.created_at desc limit 1
     ) p on true`,
)

export interface LoadedForUpgrade extends UpgradeFacts {
  readonly version: number | null
}

export interface FactsQuery {
  readonly user: KnownUser
  /** One payment of each method may be open. */
  readonly method: string
  readonly now: Instant
}

export async function loadForUpgrades(database: Queryable, asked: readonly FactsQuery[]) {
  const known = asked.map(({ user }) => userParameters(user))
  const rows = await database.query(selectFacts, [
    known.map(([userId]) => userId),
    known.map(([, email]) => email),
    known.map(([, , name]) => name),
    known.map(([, , , locale]) => locale),
    asked.map(({ method }) => method),
    asked.map(({ now }) => at(now - HOUR)),
  ])
  const found = new Map(rows.map((row) => [integer(row, 'ordinal'), row]))
  const loaded: LoadedForUpgrade[] = []
  for (const [index, { user, now }] of asked.entries()) {
    // `with ordinality` counts from 1.
    const row = found.get(index + 1)
    // The token knows what the profile lacks. It happens once in a user's life, so it needs no batch.
    if (row && flag(row, 'fills_profile')) await rememberUser(database, user, now)
    loaded.push(row ? parseLoaded(row) : UNKNOWN_USER)
  }
  return loaded
}

const NO_PAYMENTS = { open: null, recentAt: [], withdrawnId: null }
const UNKNOWN_USER: LoadedForUpgrade = { version: null, subscription: NEVER_PAID, ...NO_PAYMENTS }

function parseLoaded(row: Row): LoadedForUpgrade {
  const { version, subscription } = parseUser(row)
  return {
    version,
    subscription,
    open: row.id === null ? null : parsePayment(row),
    // The query above aggregates it from a timestamptz, in milliseconds.
    recentAt: row.recent_at as readonly Instant[],
    withdrawnId: textOrNull(row, 'withdrawn_id'),
  }
}

// A new user's row is made with their first payment. Facts are stale if a row exists by now or has another
// version. A payment with a code takes a use of it or is not written. It is written alone, because one query
// raises the count of a code once.
const insertRequested = statement(
  'upgrades.request',
  `with input as (
     select * from jsonb_to_recordset($1::jsonb) as i(
       user_id text, email text, name text, locale text, version bigint, payment jsonb, traceparent text,
       now timestamptz)
   ), guard as (
     update users u set version = u.version + 1
       from input i
      where u.user_id = i.user_id and u.version = i.version
     returning u.user_id
   ), fresh as (
     insert into users (user_id, email, name, locale, version, created_at)
     select user_id, email, name, locale, 1, now from input where version is null
         on conflict do nothing
     returning user_id
   ), taken as (
     update codes c set used = c.used + 1
       from input i, code_batches b
      where i.user_id in (select user_id from guard union all select user_id from fresh)
        and c.hash = i.payment->>'code_hash' and b.id = c.batch_id
        and c.used < b.uses and b.revoked_at is null
     returning c.hash
   )
   insert into payments (${COLUMN_NAMES}, traceparent)
   select ${NEW_PAYMENT}, i.traceparent
     from input i, jsonb_to_record(i.payment) as ${PAYMENT_RECORD}
    where i.user_id in (select user_id from guard union all select user_id from fresh)
      and (n.code_hash is null or n.code_hash in (select hash from taken))
   returning user_id`,
)

/** A payment to write before anyone is asked to pay, decided on `version` of the user. */
export interface RequestedPayment {
  readonly user: KnownUser
  readonly version: number | null
  readonly payment: Payment
  /** The trace of the click, if traces are collected. The purchase continues it. */
  readonly traceparent?: string | undefined
}

/** Payments of different users. Writes each or not; false: the user's facts have changed. */
export async function insertRequestedPayments(database: Queryable, requested: readonly RequestedPayment[]) {
  const rows = await database.query(insertRequested, [JSON.stringify(requested.map(toInput))])
  const written = new Set(rows.map((row) => text(row, 'user_id')))
  return requested.map(({ user }) => written.has(user.userId))
}

/** False also if the user already has an open payment. */
async function insertRequestedPayment(database: Queryable, requested: RequestedPayment): Promise<boolean> {
  try {
    const [isWritten = false] = await insertRequestedPayments(database, [requested])
    return isWritten
  } catch (error) {
    if (error instanceof ConstraintViolation && error.constraint === 'payments_one_open_per_user')
      return false
    throw error
  }
}

function toInput({ user, version, payment, traceparent }: RequestedPayment) {
  const [user_id, email, name, locale] = userParameters(user)
  const now = at(payment.createdAt)
  return { user_id, email, name, locale, version, payment: paymentToColumns(payment), traceparent, now }
}

/** Loads and writes. What arrives while a query runs shares the next one. */
export function createUpgradeRequests(database: Queryable) {
  return {
    load: shareStatements<FactsQuery, LoadedForUpgrade>(database, { many: loadForUpgrades }),
    /** False: the user already has an open payment, so load and decide again. */
    insert: shareStatements<RequestedPayment, boolean>(database, {
      keyOf: ({ user }) => user.userId,
      one: insertRequestedPayment,
      many: insertRequestedPayments,
    }),
    /** Writes a payment with a code. False also if the code has no use left. */
    insertWithCode: (requested: RequestedPayment) => insertRequestedPayment(database, requested),
  }
}

const moveLease = statement(
  'upgrades.move_lease',
  `update payments set attempt_ends_at = $4::timestamptz
    where user_id = $1 and id = $2 and status = 'requested' and attempt_ends_at = $3::timestamptz
   returning id`,
)

/** Takes over an unfinished request, or returns a lease early. False: another process holds it. */
export async function moveAttemptLease(database: Queryable, payment: Payment, attemptEndsAt: Instant) {
  const { userId, id } = payment
  const rows = await database.query(moveLease, [userId, id, at(payment.attemptEndsAt), at(attemptEndsAt)])
  return rows.length === 1
}

const releaseLeases = statement(
  'upgrades.release_leases',
  `update payments set attempt_ends_at = $1::timestamptz
    where status = 'requested' and attempt_ends_at > $1::timestamptz`,
)

/** Used when an embedded database starts: it has one process, so the holder of a lease is gone. */
export async function releaseAttemptLeases(database: Queryable, now: Instant): Promise<void> {
  await database.query(releaseLeases, [at(now)])
}

const withdraw = statement(
  'upgrades.withdraw',
  `with guard as (
     update users set version = version + 1 where user_id = $1 returning user_id
   ), withdrawn as (
     update payments p set status = $3::text, next_check_at = null
       from guard g
      where p.user_id = g.user_id and p.id = $2 and p.status = 'requested'
     returning p.code_hash
   )
   update codes c set used = greatest(c.used - 1, 0) from withdrawn w where c.hash = w.code_hash`,
)

/** No user has seen its page (refused, or never made), so the user may open another. */
export async function endRequestedPayment(
  database: Queryable,
  payment: Payment,
  status: 'canceled' | 'expired',
): Promise<void> {
  await database.query(withdraw, [payment.userId, payment.id, status])
}
