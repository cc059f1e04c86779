// A report of the provider and what it is about: loaded in one statement, saved in another, both shared by what arrives
// together.
import type { CheckoutReport } from '../core/checkout.js'
import type { Payment } from '../core/payment.js'
import type { Coalesced } from '../database/coalesce.js'
import { shareStatements } from '../database/coalesce.js'
import { type Queryable, statement } from '../database/database.js'
import { at, integer, text } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from './payments.sql.js'
import {
  type ReceivedEvent,
  resultOf,
  type SaveResult,
  type SettlementChange,
  saveSettlement,
  saveSettlements,
} from './settle.sql.js'
import { FACT_COLUMNS, parseUser, type UserRecord } from './users.sql.js'

const selectForSettlement = statement(
  'settlements.load',
  `select a.ordinal, ${PAYMENT_COLUMNS}, ${FACT_COLUMNS}
     from unnest($1::text[], $2::text[], $3::text[]) with ordinality a(method, checkout_id, payment_id, ordinal)
     join lateral (
       select user_id, id from payments where checkout_id = a.checkout_id and method = a.method
       union all
       select user_id, id from payments
        where id = a.payment_id and method = a.method
          and not exists (select from payments where checkout_id = a.checkout_id and method = a.method)
     ) found on true
     join payments p on p.user_id = found.user_id and p.id = found.id
     join users u on u.user_id = p.user_id`,
)

/** What a report names: the checkout, and our own id from its metadata. Whose it is, only our row says. */
export interface ReportedIds extends Pick<CheckoutReport, 'method' | 'paymentId'> {
  /** Null: to be found by our id alone. */
  readonly checkoutId: string | null
}

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
    reports.map(({ method }) => method),
    reports.map(({ checkoutId }) => checkoutId),
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
  readonly load: Coalesced<ReportedIds, LoadedPayment | null>
  readonly save: Coalesced<SettlementChange, SaveResult>
  /** Stores an event that changes nothing. It moves no version, so such events do not hold each other up. */
  readonly keep: Coalesced<IdleEvent, SaveResult>
}

export function createSettlements(database: Queryable): Settlements {
  return {
    load: shareStatements<ReportedIds, LoadedPayment | null>(database, {
      one: loadForSettlement,
      many: loadForSettlements,
    }),
    save: shareStatements<SettlementChange, SaveResult>(database, {
      one: saveSettlement,
      many: saveFirstOfEach,
    }),
    keep: shareStatements<IdleEvent, SaveResult>(database, {
      // Two copies of one event must not meet in a statement, which could not tell which of them came first.
      keyOf: ({ userId, received }) => keyOf(userId, received),
      one: async (database, event) => (await keepIdleEvents(database, [event]))[0] ?? 'stale',
      many: keepIdleEvents,
    }),
  }
}

/**
 * A statement holds one change of each user. Another change of the same user was decided before the first is saved, so it
 * is loaded and decided again without being tried: 200 events of one user at once then take a few statements.
 */
async function saveFirstOfEach(
  database: Queryable,
  changes: readonly SettlementChange[],
): Promise<readonly SaveResult[]> {
  const tried = changes.filter((change) => changes.find((one) => one.userId === change.userId) === change)
  const results = await saveSettlements(database, tried)
  return changes.map((change) => results[tried.indexOf(change)] ?? 'stale')
}

const keyOf = (userId: string, { method, id }: Pick<ReceivedEvent, 'method' | 'id'>) =>
  JSON.stringify([userId, method, id])

/** An event about a payment of ours that has nothing to change there, as decided on `version` of the user. */
export interface IdleEvent {
  readonly userId: string
  readonly version: number
  readonly paymentId: string
  readonly received: ReceivedEvent
}

// The version is compared without a lock: had it moved, the event might be no idle one any more.
const insertIdleEvents = statement(
  'settlements.keep',
  `with input as (
     select i.*, u.user_id is not null as is_current
       from jsonb_to_recordset($1::jsonb) as i(
              user_id text, version bigint, payment_id text, method text, id text, type text, checkout_id text,
              outcome text, report jsonb, received_at timestamptz)
       left join users u on u.user_id = i.user_id and u.version = i.version
   ), event as (
     insert into provider_events (user_id, method, id, type, checkout_id, payment_id, outcome, report, received_at)
     select user_id, method, id, type, checkout_id, payment_id, outcome, report, received_at
       from input where is_current order by user_id, method, id
         on conflict do nothing
     returning user_id, method, id
   )
   select i.user_id, i.method, i.id, i.is_current as guarded, e.id is not null as effective
     from input i left join event e using (user_id, method, id)`,
)

async function keepIdleEvents(
  database: Queryable,
  events: readonly IdleEvent[],
): Promise<readonly SaveResult[]> {
  const input = events.map(({ userId, version, paymentId, received }) => ({
    user_id: userId,
    version,
    payment_id: paymentId,
    method: received.method,
    id: received.id,
    type: received.type,
    checkout_id: received.report?.checkoutId ?? null,
    outcome: received.outcome,
    report: received.report,
    received_at: at(received.receivedAt),
  }))
  const rows = await database.query(insertIdleEvents, [JSON.stringify(input)])
  const results = new Map(
    rows.map((row) => {
      const event = { method: text(row, 'method'), id: text(row, 'id') }
      return [keyOf(text(row, 'user_id'), event), resultOf(row)]
    }),
  )
  return events.map(({ userId, received }) => results.get(keyOf(userId, received)) ?? 'stale')
}

const insertForeignEvent = statement(
  'settlements.foreign_event',
  `insert into provider_events (user_id, method, id, type, checkout_id, outcome, report, received_at)
   values ('', $1, $2, $3, $4, $5, $6::jsonb, $7::timestamptz)
       on conflict do nothing
   returning id`,
)

/** An event that is about nothing of ours is kept as well: it may be the only trace of somebody's money. */
export async function saveForeignEvent(database: Queryable, event: ReceivedEvent): Promise<SaveResult> {
  const rows = await database.query(insertForeignEvent, [
    event.method,
    event.id,
    event.type,
    event.report?.checkoutId ?? null,
    event.outcome,
    event.report === null ? null : JSON.stringify(event.report),
    at(event.receivedAt),
  ])
  return rows.length === 0 ? 'duplicate' : 'saved'
}
