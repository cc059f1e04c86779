// Loads and saves reports about payments. Reports that arrive together share a query. The whole effect of a
// revision is one query: provider event, payment, time, receipt number, events to the platform, mail.

import { insertAudit } from '../acts/audit.sql.js'
import { shareStatements } from '../database/coalesce.js'
import { ConstraintViolation, type Queryable, statement } from '../database/database.js'
import { text } from '../database/rows.js'
import { knownSellers } from './documents.sql.js'
import { COLUMN_NAMES, NEW_PAYMENT } from './payments.sql.js'
import {
  eventKey,
  type IdleEvent,
  resultOf,
  type SaveResult,
  storeIdleEvents,
} from './provider-events.sql.js'
import { type LoadedPayment, loadForSettlements, type ReportedIds } from './reported-payment.sql.js'
import type { SettlementChange } from './settlement-change.js'

export type Settlements = ReturnType<typeof createSettlements>

/** What arrives while a query runs shares the next one. A single report has a query of its own. */
export function createSettlements(database: Queryable) {
  return {
    load: shareStatements<ReportedIds, LoadedPayment | null>(database, { many: loadForSettlements }),
    save: shareStatements<SettlementChange, SaveResult>(database, { many: saveFirstOfEach }),
    /** Stores an event that changes nothing. No version moves, so such events do not delay each other. */
    storeIdle: shareStatements<IdleEvent, SaveResult>(database, {
      // Two copies of one event must not share a query, which could not tell which of them came first.
      keyOf: ({ userId, received }) => eventKey(userId, received),
      many: storeIdleEvents,
    }),
  }
}

/**
 * A query holds one revision of each user. Another revision of the same user was decided before the first is
 * saved, so it is loaded and decided again without being tried: 200 simultaneous events of one user then take
 * a few queries.
 */
async function saveFirstOfEach(
  database: Queryable,
  changes: readonly SettlementChange[],
): Promise<readonly SaveResult[]> {
  const tried = changes.filter((change) => changes.find((one) => one.user_id === change.user_id) === change)
  const results = await saveSettlements(database, tried)
  return changes.map((change) => results[tried.indexOf(change)] ?? 'stale')
}

const INSERT_AUDIT = insertAudit({
  ...{ userId: 'e.user_id', at: 'greatest(e.now, closed.ends_at)', entry: 'e.audit' },
  from: 'effect e, closed',
})

// Revisions of several users, one of each at most. All other parts depend on `guard` and `event`.
const saveChanges = statement(
  'settlements.save',
  `with input as (
     select * from jsonb_to_recordset($1::jsonb) as i(
       user_id text, version bigint, payment jsonb, is_new boolean, subscription jsonb, withdraws boolean,
       received jsonb, report jsonb, events jsonb, content jsonb, traceparent text, documents jsonb,
       shifted jsonb, granted jsonb, entry jsonb, audit jsonb, schedule jsonb, code jsonb, takes_code text,
       now timestamptz)
   ),
   -- The user's row, locked at the version that the change was decided on; in the order of the users, so that
   -- two processes cannot lock each other out.
   guard as (
     select u.user_id, u.event_sequence from users u, input i
      where u.user_id = i.user_id and u.version = i.version
      order by u.user_id
        for update of u
   ),
   -- The provider's event. If its id is known, the query changes nothing.
   event as (
     insert into provider_events
       (user_id, method, id, type, checkout_id, payment_id, outcome, amount, report, received_at)
     select g.user_id, e.method, e.id, e.type, e.checkout_id, i.payment->>'id', e.outcome, e.amount,
            e.report, i.now
       from guard g join input i using (user_id),
            jsonb_to_record(i.received) as e(
              method text, id text, type text, checkout_id text, outcome text, amount bigint, report jsonb)
      where i.received is not null
         on conflict do nothing
     returning user_id
   ),
   -- A redemption, or a purchase that is paid at once, takes a use of its code. If no use is left, the query
   -- changes nothing. Such a revision is saved alone, because one query raises the count of a code only once.
   taken as (
     update codes c set used = c.used + 1
       from guard g join input i using (user_id), code_batches b
      where c.hash = i.takes_code and b.id = c.batch_id and c.used < b.uses and b.revoked_at is null
     returning c.hash
   ),
   effect as (
     select i.*, g.event_sequence from input i join guard g using (user_id)
      where (i.received is null or exists (select from event v where v.user_id = i.user_id))
        and (i.takes_code is null or i.takes_code in (select hash from taken))
   ),
   -- A payment that has no row yet.
   fresh as (
     insert into payments (${COLUMN_NAMES}, reports)
     select ${NEW_PAYMENT}, '[]'::jsonb || coalesce(e.report, '[]')
       from effect e, jsonb_populate_record(null::payments, e.payment) n
      where e.is_new
   ),
   -- The new state of a payment that has a row. Columns that are not sent stay.
   moved as (
     update payments p
        set (status, amount, amount_asked, method_reference, checkout_url, instrument, expires_at,
             next_check_at, paid_at, period_start, period_end, review, change, kept_at)
            = (select n.status, n.amount, n.amount_asked, n.method_reference, n.checkout_url, n.instrument,
                      n.expires_at, n.next_check_at, n.paid_at, n.period_start, n.period_end, n.review,
                      n.change, n.kept_at
                 from jsonb_populate_record(p, e.payment) n),
            reports = p.reports || coalesce(e.report, '[]')
       from effect e
      where e.is_new is not true and p.user_id = e.user_id and p.id = e.payment->>'id'
   ),
   -- The user's other open payments with a page are canceled; the sweep ends them at the provider.
   withdrawn as (
     update payments p
        set status = 'canceled', next_check_at = e.now
       from effect e
      where e.withdraws and p.user_id = e.user_id and p.id <> e.payment->>'id' and p.kind <> 'top_up'
        and (p.status = 'requested' or p.status = 'pending' and p.checkout_url is not null)
     returning p.code_hash
   ),
   -- Uses of codes that payments hold or give back, locked in the order of the hashes. Money is booked
   -- whatever the count is.
   code_uses as (
     select hash, sum(delta)::int as delta
       from (select e.code->>'hash' as hash, (e.code->>'delta')::int as delta from effect e
              where e.code is not null
             union all
             select code_hash, -1 from withdrawn where code_hash is not null) one
      group by hash
   ),
   code_rows as (
     select c.hash, u.delta from codes c join code_uses u using (hash) order by c.hash for update of c
   ),
   recounted as (
     update codes c set used = greatest(c.used + r.delta, 0) from code_rows r where c.hash = r.hash
   ),
   -- Time that is granted without a payment.
   granted as (
     insert into grants
     select g.* from effect e, jsonb_populate_record(null::grants, e.granted) g where e.granted is not null
   ),
   -- The periods of payments that a refund moves. A period that has begun keeps its start, because the first
   -- part of a plan change may be over and no longer stored. With "=" for the status, the planner would
   -- search all paid payments.
   shifted as (
     update payments p
        set period_start = case when p.period_start > e.now then r.period_start else p.period_start end,
            period_end = r.period_end
       from effect e,
            jsonb_to_recordset(e.shifted) as r(id text, period_start timestamptz, period_end timestamptz)
      where e.shifted is not null and p.user_id = e.user_id and p.id = r.id
        and p.status is not distinct from 'paid'
   ),
   -- If the grants of one period move, the distances between them stay the same.
   shifted_grants as (
     update grants g
        set period_start = r.period_start + (g.period_start - first.period_start),
            period_end = case when g.months > 0 then r.period_end
                              else r.period_start + (g.period_end - first.period_start) end
       from effect e,
            jsonb_to_recordset(e.shifted) as r(id text, period_start timestamptz, period_end timestamptz),
            grants first
      where e.shifted is not null and first.user_id = e.user_id and first.id = r.id
        and g.user_id = e.user_id and (g.id = r.id or g.part_of = r.id)
   ),
   -- The end of the last closed month. Rows that are written after the closing get an instant after it, even
   -- if the clock is behind.
   closed as (
     select max(closed_until) as ends_at from month_closings
      where place = (select max(place) from month_closings)
   ),
   -- The entry of the user's balance.
   entered as (
     insert into balance_entries
       (user_id, sequence, id, kind, amount, balance_before, balance_after, payment_id, note, created_at)
     select e.user_id, n.sequence, n.id, n.kind, n.amount, n.balance_before, n.balance_after, n.payment_id,
            n.note,
            case when n.kind in ('returned', 'correction', 'paid_out')
                 then greatest(n.created_at, closed.ends_at) else n.created_at end
       from effect e, closed, jsonb_populate_record(null::balance_entries, e.entry) n
      where e.entry is not null
   ),
   -- The audit entry of the operator's act.
   audited as (
     ${INSERT_AUDIT}
      where e.audit is not null
   ),
   -- A restored database does not know the numbers that were drawn after the backup. So the series of the
   -- year of the restore and of earlier years continue with a mark of the restore. A day is added, because
   -- the year of the billing time zone may begin before that of UTC.
   restored as (
     select to_char(max(restored_at) at time zone 'UTC', '"-R"YYYYMMDDHH24MISS') as mark,
            to_char(max(restored_at) at time zone 'UTC' + interval '1 day', 'YYYY') as last_year
       from restores
   ),
   -- The documents to issue, each with its series.
   booked as (
     select e.user_id, e.now, greatest(e.now, closed.ends_at) as issued_at, d.payment_id, d.place, d.kind,
            s.series, d.issued_on, d.seller, d.net_centimes, d.tax_centimes, d.duty_centimes,
            d.discount_centimes, d.fee_centimes, d.snapshot, d.owes,
            row_number() over (partition by s.series order by e.user_id) as nth,
            count(*) over (partition by s.series) as drawn
       from effect e, restored, closed,
            jsonb_to_recordset(e.documents) as d(
              payment_id text, place int, kind text, series text, issued_on date, seller text,
              net_centimes bigint, tax_centimes bigint, duty_centimes bigint, discount_centimes bigint,
              fee_centimes bigint, snapshot jsonb, owes bool),
            lateral (
              select d.series || case when right(d.series, 4) <= restored.last_year then restored.mark
                                      else '' end as series) s
   ),
   -- Draws their numbers. A document that was decided before midnight may be saved after one of the next day.
   -- It then gets that later date, because dates rise with numbers.
   drawn as (
     insert into document_series as s (series, last_number, last_issued_on)
     select series, count(*), max(issued_on) from booked
      group by series order by series
         on conflict (series) do update
        set last_number = s.last_number + excluded.last_number,
            last_issued_on = greatest(s.last_issued_on, excluded.last_issued_on)
     returning series, last_number, last_issued_on
   ),
   issued as (
     insert into documents
       (user_id, payment_id, place, kind, series, number, issued_at, issued_on, seller, net_centimes,
        tax_centimes, duty_centimes, discount_centimes, fee_centimes, snapshot)
     select b.user_id, b.payment_id, b.place, b.kind, series, s.last_number - b.drawn + b.nth,
            b.issued_at, s.last_issued_on, b.seller, b.net_centimes, b.tax_centimes, b.duty_centimes,
            b.discount_centimes, b.fee_centimes, b.snapshot
       from booked b join drawn s using (series)
   ),
   -- A credit note took an invoice back, and the user is owed another invoice.
   owing as (
     insert into owed_invoices (user_id, due_at)
     select user_id, now from booked where owes
         on conflict (user_id) do update set due_at = excluded.due_at
   ),
   -- An invoice that is issued after the booking has a mail of its own.
   sent as (
     insert into mails (user_id, kind, about, queued_at, due_at)
     select user_id, kind, payment_id || '/' || place, now, now from booked
      where kind = 'invoice' and place > 0
   ),
   -- The events to the platform. The last event of a revision stores the data of all of them.
   announced as (
     insert into outbox (user_id, sequence, id, type, payment_id, content, created_at, traceparent)
     select e.user_id, e.event_sequence + o.place, o.id, o.type, e.payment->>'id',
            case when o.place = jsonb_array_length(e.events) then e.content end, e.now, e.traceparent
       from effect e,
            rows from (jsonb_to_recordset(e.events) as (id text, type text))
              with ordinality as o(id, type, place)
   ),
   -- The mail that users get for the events.
   owed as (
     insert into mails (user_id, kind, about, queued_at, due_at)
     select e.user_id, o->'mail'->>'kind', o->'mail'->>'about', e.now, e.now
       from effect e, jsonb_array_elements(e.events) o
      where o->'mail' is not null
         on conflict do nothing
   ),
   -- The user's time and balance. If the end of paid time changes, the announcements start again.
   advanced as (
     update users u
        set version = u.version + 1,
            -- A revision with a schedule only announces something, so it is no change of the user.
            changed_at = case when e.schedule is null then e.now else u.changed_at end,
            event_sequence = u.event_sequence + jsonb_array_length(e.events),
            deliver_at = case when u.delivered_sequence < u.event_sequence then u.deliver_at
                              else least(u.deliver_at, e.now) end,
            anchor_at = s.anchor_at, run_months = s.run_months, paid_until = s.paid_until,
            periods = s.periods, ended_at = s.ended_at, last_instrument = s.last_instrument,
            balance = coalesce(s.balance, 0), balance_entry = s.balance_entry,
            balance_since = s.balance_since, standing_order = s.standing_order, renews_at = s.renews_at,
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
              ended_at timestamptz, last_instrument text, announce_at timestamptz, balance int,
              balance_entry int, balance_since timestamptz, standing_order jsonb, renews_at timestamptz)
      where u.user_id = e.user_id
   )
   select i.user_id, g.user_id is not null as guarded, e.user_id is not null as effective
     from input i left join guard g using (user_id) left join effect e using (user_id)`,
)

// Sellers are rows of their own, so that a booking need not carry them.
const insertSellers = statement(
  'settlements.sellers',
  `insert into seller_versions (hash, seller)
   select hash, seller from jsonb_to_recordset($1::jsonb) as s(hash text, seller jsonb)
       on conflict do nothing`,
)

/** Saves revisions of different users, each completely or not at all. Returns a result for each. */
export async function saveSettlements(
  database: Queryable,
  changes: readonly SettlementChange[],
): Promise<readonly SaveResult[]> {
  const input = JSON.stringify(changes)
  const save = () => database.query(saveChanges, [input])
  const rows = await save().catch(async (error: unknown) => {
    // The first document with this seller: the database refuses it until it knows the seller.
    if (!(error instanceof ConstraintViolation && error.constraint === 'document_has_a_seller')) throw error
    await database.query(insertSellers, [JSON.stringify(knownSellers())])
    return save()
  })
  const results = new Map(rows.map((row) => [text(row, 'user_id'), resultOf(row)]))
  return changes.map((change) => results.get(change.user_id) ?? 'stale')
}

export async function saveSettlement(database: Queryable, change: SettlementChange): Promise<SaveResult> {
  const [result] = await saveSettlements(database, [change])
  return result ?? 'stale'
}
