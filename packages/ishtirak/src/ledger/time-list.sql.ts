// The rows of a user's list of time: payments, codes, grants, and when operators ended access.

import type { ChangeOrder } from '../core/change.js'
import { type Instant, SECOND } from '../core/instant.js'
import { type GivenTime, listTime, type TimeEntry, type TimeGiver } from '../core/time-list.js'
import { shareStatements } from '../database/coalesce.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import {
  column,
  instant,
  instantOrNull,
  integer,
  json,
  rowOf,
  text,
  textOrNull,
  word,
} from '../database/rows.js'

/** 600 pieces, which are fifty years of months: an answer must have a limit. */
const SHOWN_MAX = 600

// The instant of booking counts only if an operator ended access.
const selectGiven = statement(
  'time.given',
  `select asked.user_id, stops.list as stops, g.*
     from (select distinct unnest($1::text[]) as user_id) asked
     cross join lateral (
       select array_agg(a.acted_at) as list
         from audit a where a.user_id = asked.user_id and a.act = 'user.end'
     ) stops
     cross join lateral (
       select p.id, case p.kind when 'change' then 'change' else 'paid' end as given_by,
              p.plan->>'id' as plan_id, p.plan->>'name' as plan_name, coalesce(p.months, 0) as months,
              0 as days, p.period_start, p.period_end,
              case when stops.list is null then p.period_start else (
                select d.issued_at from documents d where d.user_id = p.user_id
                  and d.payment_id = p.id and d.place = p.receipt_place) end as booked_at,
              case when p.status = 'refunded' then (
                select max(a.acted_at) from audit a
                 where a.user_id = p.user_id and a.payment_id = p.id
                   and a.act = 'payment.refund') end as refunded_at,
              null as holder, p.change
         from payments p
        where p.user_id = asked.user_id and p.status in ('paid', 'refunded') and p.period_start is not null
       union all
       select g.id, case when g.code_hash is not null then 'code'
                         when g.id like 'tri\\_%' then 'trial' else 'granted' end,
              g.plan->>'id', g.plan->>'name', g.months, g.days, g.period_start, g.period_end, g.granted_at,
              null, g.part_of, null
         from grants g where g.user_id = asked.user_id
        order by period_start desc, id desc limit ${SHOWN_MAX}
     ) g
    order by g.period_start, g.id`,
)

const parseTimeRow = rowOf({
  by: column('given_by', word<TimeGiver | 'change'>),
  id: text,
  plan: (row: Row) => ({ id: text(row, 'plan_id'), name: text(row, 'plan_name') }),
  months: integer,
  days: integer,
  start: column('period_start', instant),
  end: column('period_end', instant),
  bookedAt: instant,
  refundedAt: instantOrNull,
  holder: textOrNull,
  change: json<Pick<ChangeOrder, 'parts' | 'addedSeconds'> | null>,
})
type TimeRow = ReturnType<typeof parseTimeRow>

/** The lists of these users in their order, oldest first. If a list is too long, it has the newest pieces. */
export async function readTimeLists(
  database: Queryable,
  userIds: readonly string[],
): Promise<readonly (readonly TimeEntry[])[]> {
  const found = new Map(userIds.map((userId) => [userId, { given: [] as TimeRow[], stops: [] as Instant[] }]))
  for (const row of await database.query(selectGiven, [userIds])) {
    const own = found.get(text(row, 'user_id'))
    own?.given.push(parseTimeRow(row))
    if (own) own.stops = json<Instant[] | null>(row, 'stops') ?? []
  }
  return userIds.map((userId) => {
    const { given = [], stops = [] } = found.get(userId) ?? {}
    return listTime(given.flatMap(boughtTime), stops, changesIn(given))
  })
}

/** The time that a payment bought. A plan change bought time only if the time that it was for was gone. */
function boughtTime({ by, change, ...time }: TimeRow): readonly GivenTime[] {
  if (by !== 'change') return [{ ...time, by }]
  const seconds = change?.addedSeconds
  return seconds === undefined ? [] : [{ ...time, by: 'paid', start: time.end - seconds * SECOND }]
}

function changesIn(given: readonly TimeRow[]) {
  return given.flatMap(({ by, id, plan, start: at, refundedAt, change }) =>
    by === 'change' ? [{ id, plan, at, refundedAt, parts: change?.parts ?? [] }] : [],
  )
}

export type LoadTimeList = ReturnType<typeof createLoadTimeList>

export function createLoadTimeList(database: Queryable) {
  return shareStatements(database, { many: readTimeLists })
}
