// Operators that an owner made, as rows. They are never deleted, so a name always means the same operator.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import { NO_USER } from '../acts/subject.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, firstOf, instant, instantOrNull, integer, rowOf, text } from '../database/rows.js'

const parse = rowOf({
  name: text,
  role: text,
  keyDigest: text,
  createdAt: instant,
  keyedAt: instant,
  blockedAt: instantOrNull,
  version: integer,
})
export type MadeOperator = ReturnType<typeof parse>

const selectByKey = statement(
  'operators.by_key',
  'select name, role from operators where key_digest = $1 and blocked_at is null',
)

/** Null: there is none, or they are blocked. */
export function operatorWithKey(database: Queryable, keyDigest: string) {
  return firstOf(database.query(selectByKey, [keyDigest]), rowOf({ name: text, role: text }))
}

const selectAll = statement('operators.all', 'select * from operators order by lower(name)')

export async function madeOperators(database: Queryable): Promise<readonly MadeOperator[]> {
  return (await database.query(selectAll, [])).map(parse)
}

const insert = statement(
  'operators.insert',
  `with made as (
     insert into operators (name, role, key_digest, created_at, keyed_at)
     values ($1, $2, $3, $4::timestamptz, $4::timestamptz) on conflict do nothing returning name
   )
   ${insertAudit({ userId: `'${NO_USER}'`, at: '$4::timestamptz', entry: '$5::jsonb', from: 'made' })}
   returning id`,
)

/** False: the name is taken. */
export async function insertOperator(
  database: Queryable,
  { name, role, keyDigest, createdAt }: MadeOperator,
  audit: AuditEntry,
): Promise<boolean> {
  const values = [name, role, keyDigest, at(createdAt), JSON.stringify(audit)]
  return (await database.query(insert, values)).length > 0
}

// `owners`: the active owners, without names of the environment ($10, in lower case), which decides on those.
// They are locked in one order: of two owners who remove each other, the second waits here and finds what the
// first left. `changed`: the operator, if unchanged since it was read and an owner is left. `ended`: the
// operator's sessions.
const update = statement(
  'operators.update',
  `with owners as materialized (
     select name from operators
      where role = 'owner' and blocked_at is null and lower(name) <> all($10::text[])
      order by name for update
   ), changed as (
     update operators
        set role = $3, key_digest = $4, keyed_at = $5::timestamptz, blocked_at = $6::timestamptz,
            version = version + 1
      where name = $1 and version = $2::bigint
        and ($7::boolean or exists (select from owners where name <> $1))
     returning name
   ), ended as (
     delete from operator_sessions s using changed c where s.operator = c.name
   )
   ${insertAudit({ userId: `'${NO_USER}'`, at: '$8::timestamptz', entry: '$9::jsonb', from: 'changed' })}
   returning id`,
)

/** False: they have changed since they were read, or no owner would be left. */
export async function updateOperator(
  database: Queryable,
  { name, version, role, keyDigest, keyedAt, blockedAt }: MadeOperator,
  of: {
    readonly mayBeLastOwner: boolean
    /** The names in the environment, in lower case. */
    readonly otherNames: readonly string[]
    readonly audit: AuditEntry
    readonly now: Instant
  },
): Promise<boolean> {
  const after = [role, keyDigest, at(keyedAt), at(blockedAt), of.mayBeLastOwner]
  const values = [name, version, ...after, at(of.now), JSON.stringify(of.audit), of.otherNames]
  return (await database.query(update, values)).length > 0
}
