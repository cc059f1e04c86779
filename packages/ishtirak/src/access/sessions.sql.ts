// Sessions of the console as rows. They are few: the operators who signed in within eight hours.
import type { Instant } from '../core/instant.js'
import type { OperatorSession } from '../core/role.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, column, instant, rowOf, text, textOrNull, word } from '../database/rows.js'

const parse = rowOf({
  session: rowOf({
    id: text,
    operator: rowOf({ name: column('operator', text), role: text }),
    signedInBy: word<OperatorSession['signedInBy']>,
    createdAt: instant,
    expiresAt: instant,
  }) satisfies (row: Row) => OperatorSession,
  keyDigest: textOrNull,
})
type StoredSession = ReturnType<typeof parse>

export interface FoundSession extends StoredSession {
  /** The digest of the key of a made operator, who must still be allowed to act in this role. */
  readonly madeKey: string | null
}

const insert = statement(
  'operator_sessions.insert',
  `insert into operator_sessions (id, session_digest, operator, role, signed_in_by, key_digest, created_at,
    expires_at)
   values ($1, $2, $3, $4, $5, $6, $7::timestamptz, $8::timestamptz)`,
)

export async function insertSession(
  database: Queryable,
  { session, keyDigest, digest }: StoredSession & { readonly digest: string },
): Promise<void> {
  const { id, operator, signedInBy, createdAt, expiresAt } = session
  const of = [id, digest, operator.name, operator.role, signedInBy, keyDigest]
  await database.query(insert, [...of, at(createdAt), at(expiresAt)])
}

const select = statement(
  'operator_sessions.find',
  `select s.*, o.key_digest as made_key
     from operator_sessions s
     left join operators o on o.name = s.operator and o.role = s.role and o.blocked_at is null
    where s.session_digest = $1 and s.expires_at > $2::timestamptz`,
)

export async function selectSession(
  database: Queryable,
  digest: string,
  now: Instant,
): Promise<FoundSession | null> {
  const [row] = await database.query(select, [digest, at(now)])
  return row ? { ...parse(row), madeKey: textOrNull(row, 'made_key') } : null
}

const selectLive = statement(
  'operator_sessions.live',
  'select * from operator_sessions where expires_at > $1::timestamptz order by created_at desc, id desc',
)

/** Newest first. */
export async function liveSessions(database: Queryable, now: Instant): Promise<readonly OperatorSession[]> {
  return (await database.query(selectLive, [at(now)])).map((row) => parse(row).session)
}

const deleteOne = statement(
  'operator_sessions.delete',
  'delete from operator_sessions where id = $1 returning *',
)

/** Null: there is none. */
export async function deleteSession(database: Queryable, id: string): Promise<OperatorSession | null> {
  const [row] = await database.query(deleteOne, [id])
  return row ? parse(row).session : null
}

const selectRevoked = statement(
  'operator_sessions.revoked',
  `select acted_at from audit where act = 'operator.revoke' and after->>'session_id' = $1
    order by acted_at desc limit 1`,
)

/** When an operator ended it; null: none did. */
export async function findRevocation(database: Queryable, id: string): Promise<Instant | null> {
  const [row] = await database.query(selectRevoked, [id])
  return row ? instant(row, 'acted_at') : null
}

const deleteOver = statement(
  'operator_sessions.delete_over',
  'delete from operator_sessions where expires_at <= $1::timestamptz returning id',
)

/** Returns how many it deleted. */
export async function deleteOldSessions(database: Queryable, now: Instant): Promise<number> {
  return (await database.query(deleteOver, [at(now)])).length
}
