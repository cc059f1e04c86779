// The rows of a user's list of time: payments, codes, grants, and the instants at which operators ended
// access.

import type { ChangeOrder } from '../core/change.js'
import { type Instant, SECOND } from '../core/instant.js'
import {
  type ChangedTime,
  type GivenTime,
  listTime,
  type TimeEntry,
  type TimeGiver,
} from '../core/time-list.js'
import { shareStatements } from '../database/coalesce.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { json, text } from '../database/rows.js'

/** 600 pieces, which are fifty years of months: an answer must have a limit. */
const SHOWN_MAX = 600

/**
 * One source as the query writes it: an array takes the database half as long as an object of the same
 * values.
 */
type Given = [
  ...[
    by: TimeGiver | 'change',
    id: string,
    planId: string,
    planName: string,
    months: number | null,
    days: number,
  ],
  ...[start: Instant, end: Instant, bookedAt: Instant | null, refundedAt: Instant | null],
  ...[holder: string | null, change: Pick<ChangeOrder, 'parts' | 'addedSeconds'> | null],
]

// The instant of booking counts only if an operator ended access.
const selectGiven = statement(
  'time.given',
  `select asked.user_id, stops.list as stops, given.list as given
     from unnest($1::text[]) asked(user_id)
     cross join lateral (
       select json_agg((date_part('epoch', a.acted_at) * 1000)::bigint) as list
         from audit a where a.user_id = asked.user_id and a.act = 'user.end'
     ) stops
     cross join lateral (
       select json_agg(json_build_array(g.given_by, g.id, g.plan->>'id', g.plan->>'name', g.months, g.days,
                (date_part('epoch', g.period_start) * 1000)::bigint,
                (date_part('epoch', g.period_end) * 1000)::bigint,
                (date_part('epoch', g.booked_at) * 1000)::bigint,
                (date_part('epoch', g.refunded_at) * 1000)::bigint, g.holder, g.change)) as list
         from (
           select p.id, case p.kind when 'change' then 'change' else 'paid' end as given_by, p.plan,
                  p.months, 0 as days, p.period_start, p.period_end,
                  case when stops.list is not null then (
                    select d.issued_at from documents d where d.user_id = p.user_id
                      and d.payment_id = p.id and d.place = p.receipt_place) end as booked_at,
                  case when p.status = 'refunded' then (
                    select max(a.acted_at) from audit a
                     where a.user_id = p.user_id and a.payment_id = p.id
                       and a.act = 'payment.refund') end as refunded_at,
                  null as holder, p.change
             from payments p
            where p.user_id = asked.user_id and p.kind <> 'top_up' and p.status in ('paid', 'refunded')
           union all
           select g.id, case when g.code_hash is null then 'granted' else 'code' end, g.plan,
                  g.months, g.days, g.period_start, g.period_end, g.granted_at, null,
                  g.part_of, null
             from grants g where g.user_id = asked.user_id
            order by period_start desc, id desc limit ${SHOWN_MAX}
         ) g
     ) given`,
)

/** The lists of these users in their order, oldest first. If a list is too long, it has the newest pieces. */
export async function readTimeLists(
  database: Queryable,
  userIds: readonly string[],
): Promise<readonly (readonly TimeEntry[])[]> {
  const rows = await database.query(selectGiven, [userIds])
  const found = new Map(rows.map((row) => [text(row, 'user_id'), parseTimeList(row)]))
  return userIds.map((userId) => found.get(userId) ?? [])
}

function parseTimeList(row: Row): readonly TimeEntry[] {
  const stops = json<readonly Instant[] | null>(row, 'stops') ?? []
  const given = json<readonly Given[] | null>(row, 'given') ?? []
  const changes = given.filter(([by]) => by === 'change')
  if (changes.length === 0) return listTime(given.map(parseGiven), stops)
  const times = given.flatMap((one) => (one[0] === 'change' ? boughtInstead(one) : [parseGiven(one)]))
  return listTime(times, stops, changes.map(parseChange))
}

/** The time that a plan change bought because the ordered time was gone. */
function boughtInstead(given: Given): readonly GivenTime[] {
  const seconds = given[11]?.addedSeconds
  const { end, ...time } = parseGiven(given)
  return seconds === undefined ? [] : [{ ...time, start: end - seconds * SECOND, end }]
}

function parseGiven(given: Given): GivenTime {
  const [by, id, planId, planName, months, days, start, end, bookedAt, refundedAt, holder] = given
  const plan = { id: planId, name: planName }
  return {
    ...{ by: by === 'change' ? 'paid' : by, id, plan, months: months ?? 0, days, start, end },
    ...{ bookedAt: bookedAt ?? start, refundedAt, ...(holder !== null && { holder }) },
  }
}

function parseChange(given: Given): ChangedTime {
  const { id, plan, start: at, refundedAt } = parseGiven(given)
  return { id, plan, at, refundedAt, parts: given[11]?.parts ?? [] }
}

export type LoadTimeList = ReturnType<typeof createLoadTimeList>

/** Calls that arrive while a query runs share the next one. */
export function createLoadTimeList(database: Queryable) {
  return shareStatements(database, { many: readTimeLists })
}
