// A report of the provider and what it is about: loaded in one statement, saved in another, both shared by what arrives
// together.
import type { CheckoutReport } from '../domain/checkout.js'
import type { Payment } from '../domain/payment.js'
import { coalesce } from '../runtime/coalesce.js'
import { isUnavailable, type Queryable, statement } from './database.js'
import { PAYMENT_COLUMNS, parsePayment } from './payments.js'
import { at, integer } from './rows.js'
import {
  type ReceivedEvent,
  type SaveResult,
  type SettlementChange,
  saveSettlement,
  saveSettlements,
} from './settlement-changes.js'
import { FACT_COLUMNS, parseUser, type UserRecord } from './users.js'

const selectForSettlement = statement(
  'settlements.load',
  `select a.ordinal, ${PAYMENT_COLUMNS}, ${FACT_COLUMNS}
     from unnest($1::text[], $2::text[], $3::text[]) with ordinality a(checkout_id, user_id, payment_id, ordinal)
     join lateral (
       select user_id, id from payments where checkout_id = a.checkout_id
       union all
       select user_id, id from payments
        where user_id = a.user_id and id = a.payment_id
          and not exists (select from payments where checkout_id = a.checkout_id)
     ) found on true
     join payments p on p.user_id = found.user_id and p.id = found.id
     join users u on u.user_id = p.user_id`,
)

/** What a report names: the checkout, and our own ids from its metadata. */
export type ReportedIds = Pick<CheckoutReport, 'checkoutId' | 'userId' | 'paymentId'>

/** Ours, with the user it belongs to, at the version that a change of his money must name. */
export interface LoadedPayment {
  readonly payment: Payment
  readonly user: UserRecord
}

/** For each report its payment, by the checkout's id, else by our own id; null when it is not ours. */
export async function loadForSettlements(
  database: Queryable,
  reports: readonly ReportedIds[],
): Promise<readonly (LoadedPayment | null)[]> {
  const rows = await database.query(selectForSettlement, [
    reports.map(({ checkoutId }) => checkoutId),
    reports.map(({ userId }) => userId),
    reports.map(({ paymentId }) => paymentId),
  ])
  const found = new Map(
    rows.map((row) => [integer(row, 'ordinal'), { payment: parsePayment(row), user: parseUser(row) }]),
  )
  // `with ordinality` counts from 1.
  return reports.map((_, index) => found.get(index + 1) ?? null)
}

export async function loadForSettlement(
  database: Queryable,
  report: ReportedIds,
): Promise<LoadedPayment | null> {
  const [loaded] = await loadForSettlements(database, [report])
  return loaded ?? null
}

/** Loading and saving, where what arrives meanwhile shares the next statement. A lone report has one to itself. */
export interface Settlements {
  load(report: ReportedIds): Promise<LoadedPayment | null>
  save(change: SettlementChange): Promise<SaveResult>
}

export function createSettlements(database: Queryable): Settlements {
  return {
    load: coalesce({
      one: (report) => loadForSettlement(database, report),
      many: (reports) => loadForSettlements(database, reports),
      concernsAll: isUnavailable,
    }),
    save: coalesce({
      keyOf: (change) => change.userId,
      one: (change) => saveSettlement(database, change),
      many: (changes) => saveSettlements(database, changes),
      concernsAll: isUnavailable,
    }),
  }
}

const insertForeignEvent = statement(
  'settlements.foreign_event',
  `insert into provider_events (user_id, id, type, checkout_id, outcome, report, received_at)
   values ('', $1, $2, $3, $4, $5::jsonb, $6::timestamptz)
       on conflict do nothing
   returning id`,
)

/** An event that is about nothing of ours is kept as well: it may be the only trace of somebody's money. */
export async function saveForeignEvent(database: Queryable, event: ReceivedEvent): Promise<SaveResult> {
  const rows = await database.query(insertForeignEvent, [
    event.id,
    event.type,
    event.report?.checkoutId ?? null,
    event.outcome,
    event.report === null ? null : JSON.stringify(event.report),
    at(event.receivedAt),
  ])
  return rows.length === 0 ? 'duplicate' : 'saved'
}
