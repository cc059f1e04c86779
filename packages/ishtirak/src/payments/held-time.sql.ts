// What the list of a user's time is told from: payments, codes, grants, and when operators ended access.
import { type GivenTime, type HeldTime, heldTime, type TimeGiver } from '../core/held-time.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { instant, instantOrNull, integer, text } from '../database/rows.js'

/** Fifty years of months; an answer must have an end. */
const SHOWN_MAX = 600

const selectGiven = statement(
  'time.given',
  `select * from (
     select p.id, 'paid' as given_by, p.plan->>'id' as plan_id, p.plan->>'name' as plan_name, p.months, 0 as days,
            p.period_start, p.period_end, r.issued_at as booked_at,
            case when p.status = 'refunded' then (
              select max(a.acted_at) from audit a
               where a.user_id = $1 and a.payment_id = p.id and a.act = 'payment.refund') end as refunded_at
       from payments p join receipts r on r.user_id = p.user_id and r.payment_id = p.id
      where p.user_id = $1 and p.status in ('paid', 'refunded')
     union all
     select g.id, case when g.code_hash is null then 'granted' else 'code' end, g.plan->>'id', g.plan->>'name',
            g.months, g.days, g.period_start, g.period_end, g.granted_at, null
       from grants g where g.user_id = $1
     union all
     select a.id, 'stop', '', '', 0, 0, a.acted_at, a.acted_at, a.acted_at, null
       from audit a where a.user_id = $1 and a.act = 'user.end'
   ) given
   order by period_start desc, id desc limit ${SHOWN_MAX}`,
)

/** Oldest first; of a list without an end the newest. */
export async function readHeldTime(database: Queryable, userId: string): Promise<readonly HeldTime[]> {
  const rows = await database.query(selectGiven, [userId])
  const isStop = (row: Row) => row.given_by === 'stop'
  const given = rows.filter((row) => !isStop(row)).map(parseGiven)
  return heldTime(
    given,
    rows.filter(isStop).map((row) => instant(row, 'booked_at')),
  )
}

function parseGiven(row: Row): GivenTime {
  return {
    id: text(row, 'id'),
    // As the statement writes it.
    by: text(row, 'given_by') as TimeGiver,
    plan: { id: text(row, 'plan_id'), name: text(row, 'plan_name') },
    months: integer(row, 'months'),
    days: integer(row, 'days'),
    start: instant(row, 'period_start'),
    end: instant(row, 'period_end'),
    bookedAt: instant(row, 'booked_at'),
    refundedAt: instantOrNull(row, 'refunded_at'),
  }
}
