// A report about a payment, loaded and saved with what arrives together. The whole effect of a change of a
// user's money is one statement: event, payment, time, receipt number, events to the platform, owed mail.

import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { Boundary } from '../core/announcement.js'
import type { NewEvent } from '../core/event.js'
import type { Instant } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import type { MovedPeriod } from '../core/refund.js'
import type { StoredReport } from '../core/stored-report.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import { shareStatements } from '../database/coalesce.js'
import { type Queryable, statement } from '../database/database.js'
import { at, text } from '../database/rows.js'
import {
  BALANCE_FACTS,
  type BalanceEntry,
  ENTRY_PART,
  entryToColumns,
  NOT_IN_CLOSED,
} from './balance-entries.sql.js'
import { COUNT_CODES, TAKE_CODE } from './code-uses.sql.js'
import { type GrantRow, grantToColumns, PERIOD_PARTS } from './grants.sql.js'
import { ISSUED_PAPERS, type NewPaper } from './papers.sql.js'
import {
  COLUMN_NAMES,
  NEW_PAYMENT,
  NEW_STATE,
  PAYMENT_RECORD,
  paymentStateToColumns,
  paymentToColumns,
  STATE_RECORD,
} from './payments.sql.js'
import {
  eventKey,
  type IdleEvent,
  keepIdleEvents,
  type ReceivedEvent,
  resultOf,
  type SaveResult,
} from './provider-events.sql.js'
import { type LoadedPayment, loadForSettlements, type ReportedIds } from './reported-payment.sql.js'
import { drawNumbers, RESTORED, seriesSince } from './series.sql.js'
import { factsToColumns } from './users.sql.js'

export type Settlements = ReturnType<typeof createSettlements>

/** Loading and saving: what arrives meanwhile shares the next statement. A lone report has its own. */
export function createSettlements(database: Queryable) {
  return {
    load: shareStatements<ReportedIds, LoadedPayment | null>(database, { many: loadForSettlements }),
    save: shareStatements<SettlementChange, SaveResult>(database, { many: saveFirstOfEach }),
    /**
     * Stores an event that changes nothing. It moves no version, so such events do not hold each other up.
     */
    keep: shareStatements<IdleEvent, SaveResult>(database, {
      // Two copies of one event must not meet in a statement, which could not tell which of them came first.
      keyOf: ({ userId, received }) => eventKey(userId, received),
      many: keepIdleEvents,
    }),
  }
}

/**
 * A statement holds one change of each user. Another change of the same user was decided before the first is
 * saved, so it is loaded and decided again without being tried: 200 events of one user at once then take a
 * few statements.
 */
async function saveFirstOfEach(
  database: Queryable,
  changes: readonly SettlementChange[],
): Promise<readonly SaveResult[]> {
  const tried = changes.filter((change) => changes.find((one) => one.userId === change.userId) === change)
  const results = await saveSettlements(database, tried)
  return changes.map((change) => results[tried.indexOf(change)] ?? 'stale')
}

/** One change of one user's money, decided on `version`. */
export interface SettlementChange {
  readonly userId: string
  readonly version: number
  readonly payment: Payment | null
  readonly isNew: boolean
  /** As it is to be, or as it was read where it stays. */
  readonly subscription: SubscriptionFacts
  /** Cancels what else the user has open on a page, and has the sweep end it at the provider. */
  readonly withdrawsOpen?: boolean
  readonly received: ReceivedEvent | null
  /** What the payment keeps of the report that changes it. */
  readonly report?: StoredReport | null
  readonly events: readonly NewEvent[]
  /** What the delivery of the events goes on with, where traces are collected. */
  readonly traceparent?: string | null | undefined
  /** What it means for the uses of the payment's code. */
  readonly codeUse?: { readonly hash: string; readonly delta: number } | null
  readonly receipt: { readonly series: string; readonly snapshot: unknown } | null
  /** A paper beside the receipt: an avoir, or a facture that comes later. */
  readonly paper?: NewPaper | null
  /** Other paid periods that a refund moves. */
  readonly moved?: readonly MovedPeriod[]
  /** Time that is added without a payment. */
  readonly grant?: GrantRow | null
  /** What it changes of the user's balance. */
  readonly entry?: BalanceEntry | null
  /** The hash of a code that the payment takes a use of, or nothing is saved. */
  readonly takesCode?: string | null
  /** The operator and the reason, if an operator did it. */
  readonly audit?: AuditEntry | null
  /** What time has brought about: announced now, and when to check next. Absent: new facts start again. */
  readonly schedule?: { readonly announced: Boundary | null; readonly announceAt: Instant | null }
  readonly now: Instant
}

// Changes of several users at once, at most one of each. The guard locks a user's row at the version the
// change was decided on, in the order of the users, so that two processes cannot lock each other out. The
// event comes next: if its id is known, nothing else happens. Everything further hangs on these two. What
// time has to announce starts again with a new end. After a restore the series of that year, and of those
// before, has the mark of the restore: the numbers that were drawn after the backup are unknown. (The year of
// the billing time zone may begin before that of UTC.) A paper that was decided before midnight and is saved
// behind one of the next day bears the date of that one: dates rise with numbers.
const ofPayments = ({ taken, isTaken } = { taken: '', isTaken: '' }) => `with input as (
     select * from jsonb_to_recordset($1::jsonb) as i(
       user_id text, version bigint, payment jsonb, is_new boolean, subscription jsonb, withdraws boolean,
       received jsonb, report jsonb, events jsonb, traceparent text, receipt jsonb, shifted jsonb,
         granted jsonb, entry jsonb, paper jsonb,
       audit jsonb, schedule jsonb, code jsonb, takes_code text, now timestamptz)
   ), guard as (
     select u.user_id from users u, input i
      where u.user_id = i.user_id and u.version = i.version
      order by u.user_id
        for update of u
   ), event as (
     insert into provider_events (user_id, method, id, type, checkout_id, payment_id, outcome, report,
       received_at)
     select g.user_id, e.method, e.id, e.type, e.checkout_id, i.payment->>'id', e.outcome, e.report, i.now
       from guard g join input i using (user_id),
            jsonb_to_record(i.received) as e(
              method text, id text, type text, checkout_id text, outcome text, report jsonb)
      where i.received is not null
         on conflict do nothing
     returning user_id
   )${taken}, effect as (
     select i.* from input i join guard using (user_id)
      where (i.received is null or exists (select from event v where v.user_id = i.user_id))${isTaken}
   ), fresh as (
     insert into payments (${COLUMN_NAMES}, reports)
     select ${NEW_PAYMENT}, '[]'::jsonb || coalesce(e.report, '[]')
       from effect e, jsonb_to_record(e.payment) as ${PAYMENT_RECORD}
      where e.is_new and e.payment is not null
   ), moved as (
     update payments p
        set ${NEW_STATE}, reports = p.reports || coalesce(e.report, '[]')
       from effect e, jsonb_to_record(e.payment) as ${STATE_RECORD}
      where not e.is_new and p.user_id = e.user_id and p.id = n.id
     returning p.id, p.user_id
   ), withdrawn as (
     update payments p
        set status = 'canceled', next_check_at = e.now
       from effect e
      where e.withdraws and p.user_id = e.user_id and p.id <> e.payment->>'id' and p.kind <> 'top_up'
        and (p.status = 'requested' or p.status = 'pending' and p.checkout_url is not null)
     returning p.code_hash
   ), ${COUNT_CODES}
   )`
const RECEIPTS = {
  booked: `
       from effect e, jsonb_to_record(e.receipt) as r(series text, snapshot jsonb), restored
      where e.receipt is not null`,
  columns: '',
  isReceipt: '',
  issued: '',
}
const ofAll = (facts = { set: '', columns: '' }, papers = RECEIPTS) => `, audited as (
     ${insertAudit({ userId: 'e.user_id', at: NOT_IN_CLOSED('e.now'), entry: 'e.audit', from: 'effect e' })}
      where e.audit is not null
   ), ${RESTORED}, booked as (
     select e.user_id, e.payment->>'id' as payment_id, e.now, r.snapshot${papers.columns},
            ${seriesSince('r.series')} as series,
            row_number() over (partition by r.series order by e.user_id) as place,
            count(*) over (partition by r.series) as places${papers.booked}
   ), drawn as (${drawNumbers(`
     select series, count(*), max((snapshot->>'issuedOn')::date) from booked
      group by series order by series`)}
   ), issued as (
     insert into receipts (user_id, payment_id, series, number, issued_at, snapshot)
     select b.user_id, b.payment_id, b.series, d.last_number - b.places + b.place, b.now,
            b.snapshot || d.dated
       from booked b join drawn d using (series)${papers.isReceipt}
   )${papers.issued}, announced as (
     insert into outbox (user_id, sequence, id, type, payload, created_at, traceparent)
     select e.user_id, (o->'event'->'data'->>'sequence')::bigint, o->>'id', o->'event'->>'type', o->'event',
       e.now,
            e.traceparent
       from effect e, jsonb_array_elements(e.events) o
   ), owed as (
     insert into mails (user_id, kind, about, queued_at, due_at)
     select e.user_id, o->'mail'->>'kind', o->'mail'->>'about', e.now, e.now
       from effect e, jsonb_array_elements(e.events) o
      where o->'mail' <> 'null'
         on conflict do nothing
   ), advanced as (
     update users u
        set version = u.version + 1,
            event_sequence = u.event_sequence + jsonb_array_length(e.events),
            deliver_at = case when u.delivered_sequence < u.event_sequence then u.deliver_at
                              else least(u.deliver_at, e.now) end,
            anchor_at = s.anchor_at, run_months = s.run_months, paid_until = s.paid_until,
            periods = s.periods, ended_at = s.ended_at, last_instrument = s.last_instrument${facts.set},
            announced = case when e.schedule is not null then e.schedule->>'announced'
                             when (u.paid_until, u.ended_at) is distinct from (s.paid_until, s.ended_at)
                               then null
                             else u.announced end,
            announce_at = case when e.schedule is not null then (e.schedule->>'announce_at')::timestamptz
                               when (u.paid_until, u.ended_at) is distinct from (s.paid_until, s.ended_at)
                               then s.announce_at else u.announce_at end
       from effect e,
            jsonb_to_record(e.subscription) as s(
              anchor_at timestamptz, run_months int, paid_until timestamptz, periods jsonb,
              ended_at timestamptz, last_instrument text, announce_at timestamptz${facts.columns})
      where u.user_id = e.user_id
   )
   select i.user_id, g.user_id is not null as guarded, e.user_id is not null as effective
     from input i left join guard g using (user_id) left join effect e using (user_id)`
const saveChanges = statement('settlements.save', ofPayments() + ofAll())
// Few changes grant time, move periods, issue a second paper or are of users with a balance: all others are
// spared these parts. One that takes the use of a code comes alone.
const WHOLE = PERIOD_PARTS + ENTRY_PART + ofAll(BALANCE_FACTS, ISSUED_PAPERS)
const saveWhole = statement('settlements.save_whole', ofPayments() + WHOLE)
const saveWithCode = statement('settlements.save_with_code', ofPayments(TAKE_CODE) + WHOLE)

/** Saves changes of different users, each wholly or not at all; gives what became of each. */
export async function saveSettlements(
  database: Queryable,
  changes: readonly SettlementChange[],
): Promise<readonly SaveResult[]> {
  const isWhole = changes.some(
    ({ grant, moved, paper, subscription }) => grant || moved?.length || paper || subscription.balance,
  )
  const takesCode = changes.some(({ grant, takesCode }) => grant?.codeHash || takesCode)
  const save = takesCode ? saveWithCode : isWhole ? saveWhole : saveChanges
  const rows = await database.query(save, [JSON.stringify(changes.map(toInput))])
  const results = new Map(rows.map((row) => [text(row, 'user_id'), resultOf(row)]))
  return changes.map((change) => results.get(change.userId) ?? 'stale')
}

export async function saveSettlement(database: Queryable, change: SettlementChange): Promise<SaveResult> {
  const [result] = await saveSettlements(database, [change])
  return result ?? 'stale'
}

function toInput(change: SettlementChange) {
  const { received } = change
  return {
    user_id: change.userId,
    version: change.version,
    payment: change.payment && (change.isNew ? paymentToColumns : paymentStateToColumns)(change.payment),
    is_new: change.isNew,
    subscription: factsToColumns(change.subscription),
    withdraws: change.withdrawsOpen ?? false,
    received: received && { ...received, checkout_id: received.report?.checkoutId ?? null },
    report: change.report ?? null,
    events: change.events,
    traceparent: change.traceparent,
    receipt: change.receipt,
    ...(change.moved?.length && {
      shifted: change.moved.map(({ sourceId, periodStart, periodEnd }) => {
        return { id: sourceId, period_start: at(periodStart), period_end: at(periodEnd) }
      }),
    }),
    ...(change.grant && { granted: grantToColumns(change.grant) }),
    ...(change.paper && { paper: change.paper }),
    ...(change.entry && { entry: entryToColumns(change.entry) }),
    audit: change.audit ?? null,
    code: change.codeUse ?? null,
    takes_code: change.takesCode ?? change.grant?.codeHash ?? null,
    schedule: change.schedule ? { ...change.schedule, announce_at: at(change.schedule.announceAt) } : null,
    now: at(change.now),
  }
}
