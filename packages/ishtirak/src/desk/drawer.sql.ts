// A day of the drawer as rows: what the desk took and gave back, and how it was counted.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import {
  at,
  instant,
  instantOrNull,
  integer,
  rowOf,
  text,
  textOrNull,
  word,
  writerOf,
} from '../database/rows.js'
import type { DeskMethod } from './desk.js'

// The audit trail has the operator of each act. Uses payments_by_paid_at and audit_by_act.
// Uses the index balance_entries_by_hand.
const selectEntries = statement(
  'drawer.entries',
  `with taken as (
     select 'taken' as kind, p.id, p.method, p.paid_at as at, p.user_id, p.id as payment_id,
            p.method_reference as reference, d.net_centimes + d.tax_centimes + d.duty_centimes as amount,
            d.duty_centimes as stamp_duty, who.actor as operator
       from payments p
       join documents d on d.user_id = p.user_id and d.payment_id = p.id and d.place = p.receipt_place
       left join lateral (
         select a.actor from audit a
          where a.user_id = p.user_id and a.payment_id = p.id and a.act = 'payment.record'
          limit 1) who on true
      where p.paid_at >= $1::timestamptz and p.paid_at < $2::timestamptz
        and p.method in ('cash', 'cheque') and p.live = $3::boolean
   ), returned as (
     select 'returned', p.id, p.method, a.acted_at, p.user_id, p.id, p.method_reference,
            p.amount::bigint * -100, 0::bigint, a.actor
       from audit a join payments p on p.user_id = a.user_id and p.id = a.payment_id
      where a.act = 'payment.refund' and p.method in ('cash', 'cheque')
        and a.acted_at >= $1::timestamptz and a.acted_at < $2::timestamptz
        and p.live = $3::boolean and a.asked->>'to' is distinct from 'balance'
   ), paid_out as (
     select 'paid_out', e.id, 'cash', e.created_at, e.user_id, null, null, e.amount::bigint * 100, 0::bigint,
            who.actor
       from balance_entries e
       left join lateral (
         select a.actor from audit a
          where a.user_id = e.user_id and a.acted_at = e.created_at and a.act = 'balance.pay_out'
          limit 1) who on true
      where e.created_at >= $1::timestamptz and e.created_at < $2::timestamptz and e.kind = 'paid_out'
   )
   select * from taken union all select * from returned union all select * from paid_out
    order by at, payment_id`,
)

const parseEntry = rowOf({
  /** `paid_out`: from a balance, by hand. */
  kind: word<'taken' | 'returned' | 'paid_out'>,
  /** The id of the payment or of the balance entry. */
  id: text,
  method: word<DeskMethod>,
  at: instant,
  user_id: text,
  payment_id: textOrNull,
  reference: textOrNull,
  /** Centimes including the duty; negative if it was given back. */
  amount: integer,
  stamp_duty: integer,
  operator: textOrNull,
})
export type DrawerEntry = ReturnType<typeof parseEntry>

/** The span is `[from, to)`. */
export async function listEntries(
  database: Queryable,
  { from, to }: { readonly from: Instant; readonly to: Instant },
  live: boolean,
): Promise<readonly DrawerEntry[]> {
  return (await database.query(selectEntries, [at(from), at(to), live])).map(parseEntry)
}

const selectCount = statement('drawer.count', 'select * from drawer_days where day = $1')

const parseCount = rowOf({
  /** How often the day was counted. */
  counts: integer,
  /** The books' sum at the count, in centimes. */
  cash_expected: integer,
  cheques_expected: integer,
  /** The counted money in whole dinars. */
  cash: integer,
  cheques: integer,
  counted_by: text,
  counted_at: instant,
  /** Null: the day is not closed. */
  confirmed_by: textOrNull,
  confirmed_at: instantOrNull,
})
export type DrawerCount = ReturnType<typeof parseCount>

export async function findCount(database: Queryable, day: string): Promise<DrawerCount | null> {
  const [row] = await database.query(selectCount, [day])
  return row ? parseCount(row) : null
}

// `$2` is how often the day was counted when the decision was made.
const save = statement(
  'drawer.save',
  `with saved as (
     insert into drawer_days as d select c.* from jsonb_populate_record(null::drawer_days, $1::jsonb) c
         on conflict (day) do update
        set counts = excluded.counts, cash_expected = excluded.cash_expected,
            cheques_expected = excluded.cheques_expected, cash = excluded.cash,
            cheques = excluded.cheques, counted_by = excluded.counted_by, counted_at = excluded.counted_at,
            confirmed_by = excluded.confirmed_by, confirmed_at = excluded.confirmed_at
      where d.counts = $2::int and d.confirmed_at is null
     returning day
   )${insertAudit({ userId: "''", at: '$4::timestamptz', entry: '$3::jsonb', from: 'saved' })}
   returning id`,
)
const rowOfCount = writerOf(parseCount)

/** Saves a count, or its confirmation. False: the day was counted again or closed meanwhile. */
export async function saveCount(
  database: Queryable,
  { day, counts, count }: { readonly day: string; readonly counts: number; readonly count: DrawerCount },
  audit: AuditEntry,
  now: Instant,
): Promise<boolean> {
  const row = JSON.stringify({ ...rowOfCount(count), day })
  return (await database.query(save, [row, counts, JSON.stringify(audit), at(now)])).length === 1
}

export const COUNTED = `
  select counted_at, day, null::text, null::text, cash + cheques, day || ' ' || counted_by
    from drawer_days where confirmed_at is null`
