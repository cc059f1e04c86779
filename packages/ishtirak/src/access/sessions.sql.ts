// Sessions of the console as rows. They are few: the operators who signed in within eight hours.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import { NO_USER } from '../acts/subject.js'
import type { Instant } from '../core/instant.js'
import type { OperatorSession } from '../core/role.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, column, firstOf, instant, rowOf, text, textOrNull, word } from '../database/rows.js'

const parse = rowOf({
  id: text,
  operator: rowOf({ name: column('operator', text), role: text }),
  signedInBy: word<OperatorSession['signedInBy']>,
  createdAt: instant,
  expiresAt: instant,
}) satisfies (row: Row) => OperatorSession

const parseFound = rowOf({
  session: parse,
  keyDigest: textOrNull,
  /** The digest of the key of a made operator, who must still be allowed to act in this role. */
  madeKey: textOrNull,
})
export type FoundSession = ReturnType<typeof parseFound>

const insert = statement(
  'operator_sessions.insert',
  `with begun as (
     insert into operator_sessions (id, session_digest, operator, role, signed_in_by, key_digest, created_at,
       expires_at)
     values ($1, $2, $3, $4, $5, $6, $7::timestamptz, $8::timestamptz) returning id
   )
   ${insertAudit({ userId: `'${NO_USER}'`, at: '$7::timestamptz', entry: '$9::jsonb', from: 'begun' })}`,
)

export async function insertSession(
  database: Queryable,
  { session, keyDigest, digest }: Omit<FoundSession, 'madeKey'> & { readonly digest: string },
  audit: AuditEntry,
): Promise<void> {
  const { id, operator, signedInBy, createdAt, expiresAt } = session
  const of = [id, digest, operator.name, operator.role, signedInBy, keyDigest]
  await database.query(insert, [...of, at(createdAt), at(expiresAt), JSON.stringify(audit)])
}

const select = statement(
  'operator_sessions.find',
  `select s.*, o.key_digest as made_key
     from operator_sessions s
     left join operators o on o.name = s.operator and o.role = s.role and o.blocked_at is null
    where s.session_digest = $1 and s.expires_at > $2::timestamptz`,
)

export function selectSession(database: Queryable, digest: string, now: Instant) {
  return firstOf(database.query(select, [digest, at(now)]), parseFound)
}

const selectLive = statement(
  'operator_sessions.live',
  'select * from operator_sessions where expires_at > $1::timestamptz order by created_at desc, id desc',
)

export async function liveSessions(database: Queryable, now: Instant) {
  return (await database.query(selectLive, [at(now)])).map(parse)
}

const deleteOne = statement(
  'operator_sessions.delete',
  `with ended as (delete from operator_sessions where id = $1 returning id)
   ${insertAudit({ userId: `'${NO_USER}'`, at: '$2::timestamptz', entry: '$3::jsonb', from: 'ended' })}
   returning id`,
)

/** Returns false if the session had ended already. */
export async function deleteSession(
  database: Queryable,
  id: string,
  audit: AuditEntry,
  now: Instant,
): Promise<boolean> {
  return (await database.query(deleteOne, [id, at(now), JSON.stringify(audit)])).length > 0
}

const selectRevoked = statement(
  'operator_sessions.revoked',
  `select acted_at from audit where act = 'operator.revoke' and after->>'session_id' = $1
    order by acted_at desc limit 1`,
)

/** When an operator ended it; null: none did. */
export function findRevocation(database: Queryable, id: string) {
  return firstOf(database.query(selectRevoked, [id]), (row) => instant(row, 'acted_at'))
}

const deleteOver = statement(
  'operator_sessions.delete_over',
  'delete from operator_sessions where expires_at <= $1::timestamptz returning id',
)

export async function deleteOldSessions(database: Queryable, now: Instant): Promise<number> {
  return (await database.query(deleteOver, [at(now)])).length
}
