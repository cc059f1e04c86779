// Consuming, giving back and reporting: one statement looks up, decides, counts and remembers. It is exact
// under any concurrency, in any number of processes, and counts an operation once however often it is sent.
import type { Coalesced } from '../database/coalesce.js'
import { shareStatements } from '../database/coalesce.js'
import { ConstraintViolation, type Queryable, type Row, statement } from '../database/database.js'
import { at, flag, instantOrNull, integer, text } from '../database/rows.js'
import { FACT_COLUMNS, parseUser } from '../ledger/users.sql.js'
import { consumeWhereUsual, type UsageAnswer, type UsageOperation } from './consume.sql.js'

// Read from top to bottom:
// asked    the operations, each with its user's version now.
// known    operations that were answered before; they get the same answer.
// fresh    the others, where the limit was derived from the user's present facts.
// consumed what a release gives back.
// counter  the counts, locked in one order, as the last commit left them: a second one waits here.
// found    what they find. A count of a day or month that is over counts as zero, and so does one that was
//          made while the catalogue counted the limit in another way.
// decided  the numbers. A day or month that is over gets nothing back.
// counted  a new count, or the locked one moved on. Where a count is new to two at once, one finds the
//          revision taken.
// done     what was counted; it is remembered, and marked where it gave something back.
// refused  what was not allowed: when the limit was full, by the hour.
// Rows are read one by one (`limit 1`): a plan made while a table is small must not scan it later.
const applyOperations = statement(
  'usage.apply',
  `with asked as materialized (
     select a.*, u.version
       from jsonb_to_recordset($1::jsonb) as a(
              nth int, kind text, user_id text, limit_name text, counts_as text, scope text, amount bigint,
              operation_id text, consume_operation_id text, resets_at timestamptz, maximum bigint,
              believed_version bigint, now timestamptz)
       left join lateral (select version from users where user_id = a.user_id limit 1) u on true
   ), known as materialized (
     select a.nth, o.maximum, o.used, o.resets_at,
            o.limit_name = a.limit_name and o.scope = a.scope
              and o.amount = coalesce(a.amount, o.amount) as is_same
       from asked a, lateral (
         select * from usage_operations
          where user_id = a.user_id and operation_id = a.operation_id and kind = a.kind limit 1
       ) o
   ), fresh as materialized (
     select * from asked
      where version is not distinct from believed_version and nth not in (select nth from known)
      order by user_id, limit_name, scope
   ), consumed as materialized (
     select f.nth, o.amount, o.amount - o.given_back as not_given_back, o.resets_at
       from fresh f, lateral (
         select * from usage_operations
          where user_id = f.user_id and operation_id = coalesce(f.consume_operation_id, f.operation_id)
            and kind = 'consume' and limit_name = f.limit_name and scope = f.scope limit 1
       ) o
      where f.kind = 'release'
   ), counter as materialized (
     select f.nth, u.used, u.resets_at, u.revision,
            u.counts_as <> f.counts_as or coalesce(u.resets_at < f.resets_at, false) as is_other
       from fresh f, lateral (
         select * from usage
          where user_id = f.user_id and limit_name = f.limit_name and scope = f.scope limit 1
            for update
       ) u
   ), found as (
     select f.*, coalesce(k.revision, 0) as revision,
            case when k.is_other or k.nth is null then f.resets_at else k.resets_at end as window_ends_at,
            case when k.is_other then 0 else coalesce(k.used, 0) end as before,
            coalesce(f.amount, c.amount, 1) as moved,
            c.nth is not null as gives_back, c.not_given_back, c.resets_at as consumed_window
       from fresh f left join counter k using (nth) left join consumed c using (nth)
   ), decided as materialized (
     select *, kind <> 'consume' or before + moved <= maximum as is_allowed,
            case when gives_back and consumed_window is not distinct from window_ends_at then least(moved,
              not_given_back, before)
                 when gives_back or consume_operation_id is not null then 0
                 else least(moved, before) end as returned
       from found
   ), counted as (
     insert into usage as u (user_id, limit_name, scope, counts_as, used, resets_at, revision)
     select user_id, limit_name, scope, counts_as,
            case kind when 'consume' then before + moved when 'report' then moved else before - returned end,
            window_ends_at, revision + 1
       from decided where is_allowed
         on conflict (user_id, limit_name, scope) do update
        set counts_as = excluded.counts_as, used = excluded.used, resets_at = excluded.resets_at,
            revision = excluded.revision
      where u.revision = excluded.revision - 1
     returning u.user_id, u.limit_name, u.scope, u.used
   ), done as materialized (
     select d.*, c.used from decided d join counted c using (user_id, limit_name, scope) where d.is_allowed
   ), remembered as (
     insert into usage_operations (user_id, operation_id, kind, limit_name, scope, amount, maximum, used,
                                   resets_at, created_at)
     select user_id, operation_id, kind, limit_name, scope, moved, maximum, used, window_ends_at, now
       from done where kind <> 'report'
   ), marked as (
     update usage_operations o set given_back = o.given_back + d.returned
       from done d
      where d.kind = 'release' and d.gives_back and d.returned > 0 and o.user_id = d.user_id
        and o.operation_id = coalesce(d.consume_operation_id, d.operation_id) and o.kind = 'consume'
   ), refused as (
     insert into usage_refusals as r (user_id, limit_name, scope, hour, refused, asked, maximum, used,
                                      first_at, last_at)
     select user_id, limit_name, scope, date_trunc('hour', now, 'UTC'), 1, moved, maximum, before, now, now
       from decided where not is_allowed order by user_id, limit_name, scope
         on conflict (user_id, limit_name, scope, hour) do update
        set refused = r.refused + 1, asked = r.asked + excluded.asked, maximum = excluded.maximum,
            used = excluded.used, last_at = greatest(r.last_at, excluded.last_at)
   )
   select case when k.is_same then 'done' when k.nth is not null then 'conflict' when d.nth is null
     then 'outdated'
               when not d.is_allowed then 'denied' when e.nth is null then 'stale'
                 else 'done' end as answer,
          coalesce(k.maximum, d.maximum) as maximum, coalesce(k.used, e.used, d.before) as used,
          case when k.nth is null then d.window_ends_at else k.resets_at end as resets_at,
          f.is_found is not null as is_known_user, f.*
     from asked a
     left join known k using (nth) left join decided d using (nth) left join done e using (nth)
     left join lateral (
       select true as is_found, ${FACT_COLUMNS} from users u
        where a.version is distinct from a.believed_version and u.user_id = a.user_id limit 1
     ) f on true
    order by a.nth`,
)

/** What the constraints refuse when two send one operation, or give one back, at the same instant. */
const RACES = ['usage_operations_once', 'given_back_once']

/** Of different counts. Throws when one of them cannot be done at all, and then nothing was. */
export async function applyUsageOperations(
  database: Queryable,
  operations: readonly UsageOperation[],
): Promise<readonly UsageAnswer[]> {
  const rows = await database.query(applyOperations, [JSON.stringify(operations.map(toInput))])
  return rows.map(parseAnswer)
}

/** By the one statement that can decide everything. */
export function applyUsageOperation(database: Queryable, operation: UsageOperation): Promise<UsageAnswer> {
  return staleWhereRaced(() => decideOne(database, operation))
}

/** The quick statement, and the one that can decide everything where that one did not. */
export function applyUsualFirst(database: Queryable, operation: UsageOperation): Promise<UsageAnswer> {
  return staleWhereRaced(async () => {
    const [usual] = await consumeWhereUsual(database, [operation])
    return usual ?? decideOne(database, operation)
  })
}

export type ApplyUsageOperation = Coalesced<UsageOperation, UsageAnswer>

/** Counting, where what arrives meanwhile shares the next statement. A lone operation has one to itself. */
export function createApplyUsageOperation(database: Queryable): ApplyUsageOperation {
  return shareStatements<UsageOperation, UsageAnswer>(database, {
    // One at a time of each user, not only of each count: operation ids are per user, whatever they count.
    keyOf: (operation) => operation.userId,
    one: applyUsualFirst,
    many: applyManyUsualFirst,
  })
}

/** Of different users. When the second statement throws, those that the first counted are known by id. */
async function applyManyUsualFirst(
  database: Queryable,
  operations: readonly UsageOperation[],
): Promise<readonly UsageAnswer[]> {
  const usual = await consumeWhereUsual(database, operations)
  const open = operations.filter((_, index) => usual[index] === null)
  const decided = open.length > 0 ? [...(await applyUsageOperations(database, open))] : []
  return usual.map((answer) => answer ?? decided.shift() ?? unanswered())
}

async function decideOne(database: Queryable, operation: UsageOperation): Promise<UsageAnswer> {
  const [answer] = await applyUsageOperations(database, [operation])
  return answer ?? unanswered()
}

function unanswered(): never {
  throw new Error('an operation got no answer')
}

/** A statement that lost a race was taken back. The next run finds the other's operation as it stands. */
async function staleWhereRaced(apply: () => Promise<UsageAnswer>): Promise<UsageAnswer> {
  try {
    return await apply()
  } catch (error) {
    if (error instanceof ConstraintViolation && RACES.includes(error.constraint)) return { kind: 'stale' }
    throw error
  }
}

function toInput(operation: UsageOperation, nth: number) {
  return {
    nth,
    kind: operation.kind,
    user_id: operation.userId,
    limit_name: operation.limit,
    counts_as: operation.countsAs,
    scope: operation.scopeId,
    amount: operation.amount,
    operation_id: operation.operationId,
    consume_operation_id: operation.consumeOperationId,
    resets_at: at(operation.resetsAt),
    maximum: operation.maximum,
    believed_version: operation.version,
    now: at(operation.now),
  }
}

function parseAnswer(row: Row): UsageAnswer {
  const answer = text(row, 'answer')
  switch (answer) {
    case 'done':
    case 'denied':
      return {
        kind: answer,
        maximum: integer(row, 'maximum'),
        used: integer(row, 'used'),
        resetsAt: instantOrNull(row, 'resets_at'),
      }
    case 'outdated':
      return { kind: answer, user: flag(row, 'is_known_user') ? parseUser(row) : null }
    case 'conflict':
    case 'stale':
      return { kind: answer }
    default:
      throw new TypeError(`the statement answered ${answer}`)
  }
}
