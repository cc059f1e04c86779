// At the end of which months each user had paid time, and what these add up to by the month in which a user
// began: derived from payments and grants, user by user, as receipts are counted and as refunds, grants and
// ends are recorded. What is written for a user is taken away before it is written anew, so nothing is
// counted twice.
import { DAY, type Instant, MINUTE } from '../core/instant.js'
import { type Database, type Queryable, statement } from '../database/database.js'
import { at, instant, integer, rowOf, text, textOrNull } from '../database/rows.js'

// What was given to a user who never paid is no paid time. An end by hand ends what was the user's by then,
// also once they buy again. A refunded payment bought nothing: the months before it was given back go too.
// Old and fresh months are grouped, not joined: a server plans for ten users, and then a join compares each
// user with all others.
const mark = statement(
  'paid_months.mark',
  `with touched as (
     select user_id from users where user_id = any($1::text[])
   ), bought as (
     select p.user_id, p.live, p.period_start, p.period_end, r.issued_at as booked_at
       from touched t join payments p on p.user_id = t.user_id
       join documents r on r.user_id = p.user_id and r.payment_id = p.id and r.place = p.receipt_place
      where p.status = 'paid' and p.kind = 'purchase'
   ), spans as (
     select s.user_id, s.live, s.period_start at time zone $2 as starts_on,
            least(s.period_end, stop.at) at time zone $2 as ends_on
       from (select * from bought
              union all
             select g.user_id, b.live, g.period_start, g.period_end, g.granted_at
               from grants g join (select distinct user_id, live from bought) b using (user_id)) s
      cross join lateral (
        select coalesce(min(a.acted_at), 'infinity') as at from audit a
         where a.user_id = s.user_id and a.act = 'user.end' and a.acted_at >= s.booked_at) stop
      where s.period_start < stop.at
   ), ends as (
     select user_id, live, to_char(month, 'YYYY-MM') as month, null::text[] as old
       from spans, generate_series(date_trunc('month', starts_on),
                                   date_trunc('month', ends_on) - interval '1 month', '1 month') month
      union all
     select user_id, live, null, months from touched join paid_months using (user_id)
   ), fresh as (
     select user_id, live, coalesce(max(old), '{}') as old,
            array_remove(array_agg(distinct month order by month), null) as months
       from ends group by user_id, live
   ), changed as (
     select * from fresh where months <> old
   ), kept as (
     insert into paid_months (user_id, live, months) select user_id, live, months from changed
         on conflict (user_id, live) do update set months = excluded.months
   ), places as (
     select live, sign, months[1] as began, m.month, m.n, months[m.n - 1] as before,
            months[m.n + 1] as behind,
            to_char(to_date(m.month, 'YYYY-MM') - interval '1 month', 'YYYY-MM') as earlier,
            to_char(to_date(m.month, 'YYYY-MM') + interval '1 month', 'YYYY-MM') as later
       from (select live, 1 as sign, months from changed
             union all select live, -1, old from changed) lists,
            unnest(months) with ordinality m(month, n)
   ), counted as (
     select live, began, month, sign as users,
            case when n > 1 and before <> earlier then sign else 0 end as back,
            0 as lapsed
       from places
      union all
     select live, began, later, 0, 0, sign from places where behind is distinct from later
   )
   insert into monthly_users as d (month, live, began, users, came_back, lapsed)
   select month, live, began, sum(users), sum(back), sum(lapsed) from counted
    group by 1, 2, 3 order by 1, 2, 3
       on conflict (month, live, began) do update
      set users = d.users + excluded.users, came_back = d.came_back + excluded.came_back,
          lapsed = d.lapsed + excluded.lapsed`,
)

const lock = statement(
  'paid_months.lock',
  `select true as locked from pg_advisory_xact_lock(hashtext('paid_months'))`,
)

/** Whatever changed of their time. */
export async function markUsers(
  transaction: Queryable,
  userIds: readonly string[],
  timeZone: string,
): Promise<void> {
  if (userIds.length === 0) return
  await transaction.query(lock)
  await transaction.query(mark, [userIds, timeZone])
}

// Uses the indexes audit_by_act and grants_by_instant.
const selectChanged = statement(
  'paid_months.changed',
  `select distinct user_id from (
     select user_id from audit where act in ('payment.refund', 'user.end') and acted_at > $1::timestamptz
      union all
     select user_id from grants where granted_at > $1::timestamptz) changes`,
)
const selectUntil = statement('paid_months.until', 'select looked_at from looked_at_changes')
const saveUntil = statement(
  'paid_months.save_until',
  `insert into looked_at_changes (looked_at) values ($1::timestamptz)
       on conflict (one) do update set looked_at = excluded.looked_at`,
)

/** A change is written down a moment after the instant that it bears. */
const OVERLAP = 10 * MINUTE
const MARKED_AT_ONCE = 1_000

/** Users whose time changed otherwise than by a receipt since they were last looked for. Gives how many. */
export async function markChanged(database: Database, now: Instant, timeZone: string): Promise<number> {
  const [row] = await database.query(selectUntil)
  const last = row ? instant(row, 'looked_at') : 0
  const found = await database.query(selectChanged, [at(Math.max(0, last - OVERLAP))])
  const userIds = found.map((one) => text(one, 'user_id'))
  for (let n = 0; n < userIds.length; n += MARKED_AT_ONCE) {
    const some = userIds.slice(n, n + MARKED_AT_ONCE)
    await database.transaction((transaction) => markUsers(transaction, some, timeZone))
  }
  if (userIds.length > 0 || now - last > OVERLAP) await database.query(saveUntil, [at(now)])
  return userIds.length
}

const parseUsers = rowOf({
  month: text,
  /** The first month at whose end they had paid time. */
  began: text,
  /** With paid time at the end of the month. */
  users: integer,
  /** Of them, who had none at the end of the month before, and began earlier. */
  cameBack: integer,
  /** Who had paid time at the end of the month before, and none at the end of this one. */
  lapsed: integer,
})
export type MonthlyUsers = ReturnType<typeof parseUsers>

const selectUsers = statement(
  'paid_months.users',
  `select month, began, users, came_back, lapsed from monthly_users
    where month >= $1 and month <= $2 and live = $3::boolean order by month, began`,
)

/** Both months included. */
export async function monthlyUsers(
  database: Queryable,
  { first, last, live }: { readonly first: string; readonly last: string; readonly live: boolean },
): Promise<readonly MonthlyUsers[]> {
  return (await database.query(selectUsers, [first, last, live])).map(parseUsers)
}

const parseLapses = rowOf({
  month: text,
  lapsed: integer,
  /** Got a reminder that was sent. */
  reminded: integer,
  /** Asked for a page or a transfer and did not pay it. */
  began: integer,
  /** Of them, whose payment failed. */
  failed: integer,
})
export type Lapses = ReturnType<typeof parseLapses>

const selectLapses = statement(
  'paid_months.lapses',
  `select month, lapsed, reminded, began, failed from monthly_lapses
    where month >= $1 and month <= $2 and live = $3::boolean`,
)

export async function monthlyLapses(
  database: Queryable,
  { first, last, live }: { readonly first: string; readonly last: string; readonly live: boolean },
): Promise<readonly Lapses[]> {
  return (await database.query(selectLapses, [first, last, live])).map(parseLapses)
}

// Uses the index paid_months_of_user.
const sumLapses = statement(
  'paid_months.sum_lapses',
  `with slice as (
     select user_id, months from paid_months
      where user_id > $6::text and live = $5::boolean order by user_id limit $7::int
   ), gone as (
     select user_id from slice where $2::text = any(months) and not $1::text = any(months)
   ), looked as (
     select exists (select from mails m where m.user_id = g.user_id and m.kind like 'expiring\\_%'
                       and m.outcome = 'sent' and m.queued_at >= $3::timestamptz
                       and m.queued_at < $4::timestamptz) as is_reminded,
            p.began, p.failed
       from gone g, lateral (
         select count(*) > 0 as began, coalesce(bool_or(status = 'failed'), false) as failed from payments p
          where p.user_id = g.user_id and p.live = $5::boolean and p.kind = 'purchase'
            and p.status not in ('paid', 'refunded')
            and p.created_at >= $3::timestamptz and p.created_at < $4::timestamptz) p
   )
   select (select max(user_id) from slice) as last, count(*) as lapsed,
          count(*) filter (where is_reminded) as reminded, count(*) filter (where began) as began,
          count(*) filter (where failed) as failed
     from looked`,
)
const parseSlice = rowOf({
  /** Null: there are no more. */
  last: textOrNull,
  lapsed: integer,
  reminded: integer,
  began: integer,
  failed: integer,
})

interface LapsesSpan {
  readonly month: string
  readonly before: string
  readonly from: Instant
  readonly to: Instant
  readonly live: boolean
}

/** Of so many users behind one, those who lapsed in the month. */
export async function lapsesBehind(
  database: Queryable,
  { month, before, from, to, live }: LapsesSpan,
  users: { readonly after: string; readonly most: number },
) {
  const asked = [month, before, at(from - BEFORE), at(to), live, users.after, users.most]
  const [row = {}] = await database.query(sumLapses, asked)
  return parseSlice(row)
}

const saveLapses = statement(
  'paid_months.save_lapses',
  `insert into monthly_lapses (month, live, lapsed, reminded, began, failed, counted_at)
   values ($1, $2::boolean, $3::int, $4::int, $5::int, $6::int, $7::timestamptz)
       on conflict (month, live) do update
      set lapsed = excluded.lapsed, reminded = excluded.reminded, began = excluded.began,
          failed = excluded.failed, counted_at = excluded.counted_at`,
)
const selectCounted = statement(
  'paid_months.lapses_counted',
  'select counted_at from monthly_lapses where month = $1 and live = $2::boolean',
)

/** Reminders and pages of the week before count too. */
const BEFORE = 7 * DAY

/** Each statement ends in time, however many users there are. */
const USERS_AT_ONCE = 20_000

/** Of a month that is over, at most once a day. Reads all users. Gives how many lapsed. */
export async function keepLapses(database: Queryable, of: LapsesSpan, now: Instant): Promise<number> {
  const [known] = await database.query(selectCounted, [of.month, of.live])
  if (known && now - instant(known, 'counted_at') < DAY) return 0
  let [lapsed, reminded, began, failed] = [0, 0, 0, 0]
  for (let after: string | null = ''; after !== null; ) {
    const found = await lapsesBehind(database, of, { after, most: USERS_AT_ONCE })
    lapsed += found.lapsed
    reminded += found.reminded
    began += found.began
    failed += found.failed
    after = found.last
  }
  await database.query(saveLapses, [of.month, of.live, lapsed, reminded, began, failed, at(now)])
  return lapsed
}
