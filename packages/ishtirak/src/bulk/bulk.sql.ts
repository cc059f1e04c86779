// The queries of bulk acts. A bulk act stores its list when it is confirmed. No process owns it: any process
// leases targets in chunks.
import { type AuditEntry, insertAudit, UNLESS_DONE } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, flag, integer, json, rowOf, text } from '../database/rows.js'
import type { Result } from './bulk-schemas.js'

// Two calls with one operation id wait for each other at the index audit_operations.
const insertNew = statement(
  'bulk.start',
  `with asked as (
     ${insertAudit({ userId: "''", at: '$2::timestamptz', entry: '$3::jsonb' })} ${UNLESS_DONE}
     returning id
   ), made as (
     insert into bulk_acts (id, act, input, filter, why, operator, role, by_key, made_at, targets)
     select b.id, b.act, b.input, b.filter, b.why, b.operator, b.role, b.by_key,
            $2::timestamptz, cardinality($4::text[])
       from asked, jsonb_to_record($1::jsonb) as b(id text, act text, input jsonb, filter jsonb, why text,
              operator text, role text, by_key boolean)
     returning id
   )
   insert into bulk_targets (bulk_id, place, target, leased_until)
   select made.id, t.place, t.id, $2::timestamptz
     from made, unnest($4::text[]) with ordinality as t(id, place)
   returning place`,
)

/** Writes the audit trail too. False: this operation has already begun one. */
export async function insertBulk(
  database: Queryable,
  { byKey: by_key, ...bulk }: NewBulk,
  targets: readonly string[],
  audit: AuditEntry,
  now: Instant,
): Promise<boolean> {
  const values = [JSON.stringify({ ...bulk, by_key }), at(now), JSON.stringify(audit), targets]
  return (await database.query(insertNew, values)).length > 0
}

const parseBulk = rowOf({
  id: text,
  act: text,
  input: json<Readonly<Record<string, unknown>>>,
  why: text,
  operator: text,
  role: text,
  /** True: the operator is one of OPERATOR_KEYS. */
  byKey: flag,
  /** True: the operator was made by an owner, and has been blocked or has another role since. */
  isOutdated: flag,
  isStopped: flag,
})
export type RunningBulk = ReturnType<typeof parseBulk>
type NewBulk = Omit<RunningBulk, 'isOutdated' | 'isStopped'> & { readonly filter: object | null }

// Uses the index bulk_acts_unfinished.
const selectUnfinished = statement(
  'bulk.unfinished',
  `select b.id, b.act, b.input, b.why, b.operator, b.role, b.by_key,
          o.name is not null and (o.blocked_at is not null or o.role <> b.role) as is_outdated,
          b.stopped_because is not null as is_stopped
     from bulk_acts b left join operators o on o.name = b.operator
    where b.finished_at is null and ($1::text is null or b.id = $1)
    order by b.made_at`,
)

/** Oldest first. `id`: only this one; null: all. */
export async function unfinishedBulks(database: Queryable, id: string | null) {
  return (await database.query(selectUnfinished, [id])).map(parseBulk)
}

const readClaimed = rowOf({ place: integer, target: text, attempts: integer })
export type Claimed = ReturnType<typeof readClaimed>

// Each attempt has a longer lease, so that targets which fail do not hold up the others. The places are an
// array, because a join could run the subquery once for each target and lease all of them.
// Uses the index bulk_targets_left.
const claim = statement(
  'bulk.claim',
  `update bulk_targets t
      set leased_until = $2::timestamptz + least(attempts + 1, 15) * $3::int * interval '1 millisecond',
          attempts = attempts + 1, code = null
    where t.bulk_id = $1 and t.place = any(array(
          select place from bulk_targets
           where bulk_id = $1 and result is null and leased_until <= $2::timestamptz
             and not exists (select from bulk_acts where id = $1 and stopped_because is not null)
           order by place limit $4::int for update skip locked))
   returning t.place, t.target, t.attempts`,
)

/** Leases targets to this process; the first attempt for `leaseMs`. */
export async function claimTargets(
  database: Queryable,
  bulkId: string,
  of: { readonly now: Instant; readonly leaseMs: number; readonly most: number },
): Promise<readonly Claimed[]> {
  return (await database.query(claim, [bulkId, at(of.now), of.leaseMs, of.most])).map(readClaimed)
}

export interface Marked {
  readonly place: number
  /** Null: the target is tried again. */
  readonly result: Result | null
  readonly code: string | null
}

// `done` is final: a slow process or a stop may have stored another result before.
const mark = statement(
  'bulk.mark',
  `update bulk_targets t set result = r.result, code = r.code
     from jsonb_to_recordset($2::jsonb) as r(place integer, result text, code text)
    where t.bulk_id = $1 and t.place = r.place and (t.result is null or r.result = 'done')
   returning t.place`,
)

export async function markTargets(database: Queryable, bulkId: string, results: readonly Marked[]) {
  await database.query(mark, [bulkId, JSON.stringify(results)])
}

// A target that was tried may have been done: its answer was lost, or its process died. A claim empties the
// code, so a target with a code was marked since, and waits to be tried again. A target that another process
// works on is left to it.
const stopLeft = statement(
  'bulk.stop_left',
  `update bulk_targets
      set result = 'stopped', code = case when attempts > 0 then 'outcome_unknown' end
    where bulk_id = $1 and result is null
      and (leased_until <= $2::timestamptz or attempts = 0 or code is not null)
      and exists (select from bulk_acts where id = $1 and stopped_because is not null)
   returning place`,
)
const finish = statement(
  'bulk.finish',
  `update bulk_acts set finished_at = $2::timestamptz
    where id = $1 and finished_at is null
      and not exists (select from bulk_targets where bulk_id = $1 and result is null)
   returning id`,
)

/** Marks what is left of a stopped act, and finishes an act that has no target left. */
export async function finishBulk(database: Queryable, bulkId: string, now: Instant): Promise<void> {
  await database.query(stopLeft, [bulkId, at(now)])
  await database.query(finish, [bulkId, at(now)])
}

const stop = statement(
  'bulk.stop',
  `with stopped as (
     update bulk_acts set stopped_because = $3
      where id = $1 and finished_at is null and stopped_because is null
     returning id
   )
   ${insertAudit({ userId: "''", at: '$2::timestamptz', entry: '$4::jsonb', from: 'stopped s' })}
   returning id`,
)

/** False: it is already finished or stopped. */
export async function endBulk(
  database: Queryable,
  bulkId: string,
  of: { readonly because: string; readonly audit: AuditEntry; readonly now: Instant },
): Promise<boolean> {
  const values = [bulkId, at(of.now), of.because, JSON.stringify(of.audit)]
  if ((await database.query(stop, values)).length === 0) return false
  await finishBulk(database, bulkId, of.now)
  return true
}

const selectBulks = statement(
  'bulk.newest',
  `select b.id, b.act, b.input, b.filter, b.why, b.operator, b.made_at, b.finished_at, b.stopped_because,
          b.targets, c.*
     from (select * from bulk_acts
            where ($4::text is null or id = $4)
              and (made_at, id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3, ''))
            order by made_at desc, id desc limit $1::int) b
    cross join lateral (
         select count(*) filter (where result = 'done')::int as done,
                count(*) filter (where result = 'refused')::int as refused,
                count(*) filter (where result = 'failed')::int as failed,
                count(*) filter (where result = 'stopped')::int as stopped,
                count(*) filter (where result is null)::int as left
           from bulk_targets where bulk_id = b.id) c
    order by b.made_at desc, b.id desc`,
)

/** As the API writes them, newest first. `id`: only this one. */
export async function bulksBehind(
  database: Queryable,
  after: { readonly at: Instant; readonly id: string } | null,
  limit: number,
  id: string | null = null,
) {
  return database.query(selectBulks, [limit, after && at(after.at), after?.id ?? null, id])
}

const selectResults = statement(
  'bulk.results',
  `select place, target, result, code from bulk_targets
    where bulk_id = $1 and place > $2::bigint and ($3::text is null or result = $3)
    order by place limit $4::int`,
)

/** As the API writes them, after the place, in the order of the list. */
export async function resultsOf(
  database: Queryable,
  bulkId: string,
  of: { readonly after: number; readonly result: Result | null; readonly limit: number },
) {
  return database.query(selectResults, [bulkId, of.after, of.result, of.limit])
}
