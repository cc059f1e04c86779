// The users with paid time at the end of each month, grouped by the month in which they began. It reads
// payments and grants.
import { statement } from '../database/database.js'
import { integer, rowOf, text } from '../database/rows.js'
import { queryWholeTables, type Readable } from './figures.sql.js'

// Time that was granted to a user who never paid is not paid time. If an operator ends access, all time
// booked by then ends, even if the user buys again. A refunded payment counts as if it had bought nothing.
const selectUsers = statement(
  'books.users_by_month',
  `with ends as (
     select user_id, acted_at from audit where act = 'user.end'
   ), bought as (
     -- The instant of booking is needed only for users whose access was ended.
     select p.user_id, p.period_start, p.period_end, r.issued_at as booked_at
       from payments p
       left join documents r on p.user_id in (select user_id from ends)
        and r.user_id = p.user_id and r.payment_id = p.id and r.place = p.receipt_place
      where p.status = 'paid' and p.kind = 'purchase' and p.live = $1::boolean
   ), spans as (
     select user_id, period_start at time zone $2 as starts_on,
            least(period_end, stopped_at) at time zone $2 as ends_on
       from (select *, case when booked_at is null then 'infinity'
                            else coalesce((select min(e.acted_at) from ends e
                                            where e.user_id = s.user_id and e.acted_at >= s.booked_at),
                                          'infinity') end as stopped_at
               from (select * from bought
                      union all
                     select user_id, period_start, period_end, granted_at from grants
                      where user_id in (select user_id from bought)) s) t
      where period_start < stopped_at
   ), months as (
     select distinct user_id, month
       from spans, generate_series(date_trunc('month', starts_on),
                                   date_trunc('month', ends_on) - interval '1 month', '1 month') month
   ), placed as (
     select month, min(month) over w as began, lag(month) over w as before, lead(month) over w as behind
       from months
     window w as (partition by user_id order by month
                  rows between unbounded preceding and unbounded following)
   ), counted as (
     select month, began, 1 as users, (before <> month - interval '1 month')::int as back, 0 as lapsed
       from placed
      union all
     select month + interval '1 month', began, 0, 0, 1
       from placed where behind is distinct from month + interval '1 month'
   )
   select to_char(month, 'YYYY-MM') as month, to_char(began, 'YYYY-MM') as began, sum(users)::int as users,
          coalesce(sum(back), 0)::int as came_back, sum(lapsed)::int as lapsed
     from counted
    where month >= to_date($3, 'YYYY-MM') and month <= to_date($4, 'YYYY-MM')
    group by 1, 2 order by 1, 2`,
)

const parseUsers = rowOf({
  month: text,
  /** The first month at whose end they had paid time. */
  began: text,
  /** Users with paid time at the end of the month. */
  users: integer,
  /** Those of them who had none at the end of the month before, and began earlier. */
  cameBack: integer,
  /** Users who had paid time at the end of the month before, and none at the end of this one. */
  lapsed: integer,
})
export type MonthlyUsers = ReturnType<typeof parseUsers>

/** Both months included. */
export async function usersByMonth(
  database: Readable,
  of: Readonly<Record<'first' | 'last' | 'timeZone', string>> & { readonly live: boolean },
): Promise<readonly MonthlyUsers[]> {
  const values = [of.live, of.timeZone, of.first, of.last]
  return (await queryWholeTables(database, selectUsers, values)).map(parseUsers)
}
