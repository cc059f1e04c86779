// Sessions of operators. A session lasts eight hours, or until they sign out, an owner ends it, or their key
// or the issuer's configuration is withdrawn. Each sign-in and end is in the audit trail.
import type { ActDeps } from '../acts/act.js'
import { auditEntry, type OperatorAct } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { HOUR, toTimestamp } from '../core/instant.js'
import {
  type CustomRoles,
  type Operator,
  type OperatorKey,
  type OperatorSession,
  operatorIn,
} from '../core/role.js'
import type { CommonParts } from '../ledger/parts.js'
import { constantTimeEquals, digestOf, keyedDigest, randomToken } from '../runtime/secret.js'
import type { IssuerSettings } from './claims.js'
import {
  deleteSession,
  type FoundSession,
  findRevocation,
  insertSession,
  liveSessions,
  selectSession,
} from './sessions.sql.js'

export interface AccessDeps extends ActDeps, Pick<CommonParts, 'noteUse'> {
  readonly operatorKeys: readonly OperatorKey[]
  readonly operatorRoles: CustomRoles
  readonly issuer: { readonly settings: IssuerSettings } | null
}

type KnownBy = { readonly key: string } | { readonly issuer: IssuerSettings }

/** Absolute: activity does not extend it. */
export const OPERATOR_SESSION_MS = 8 * HOUR

/** Returns the secret of the session. */
export async function signIn(deps: AccessDeps, operator: Operator, by: KnownBy): Promise<string> {
  const now = deps.clock.now()
  const token = randomToken()
  const session: OperatorSession = {
    id: deps.ids.next('ops', now),
    operator,
    signedInBy: 'key' in by ? 'key' : 'oidc',
    createdAt: now,
    expiresAt: now + OPERATOR_SESSION_MS,
  }
  const keyDigest = keyedDigest(token, 'key' in by ? digestOf(by.key) : secretOf(by.issuer))
  const after = { session_id: session.id, role: operator.role, by: session.signedInBy }
  const audit = auditEntry(deps.ids, { operator, act: 'operator.sign_in', reason: null }, { after, now })
  await insertSession(deps.database, { session, keyDigest, digest: digestOf(token) }, audit)
  return token
}

/** Null: the session is over, or never existed. */
export async function findOperatorSession(deps: AccessDeps, token: string): Promise<OperatorSession | null> {
  const found = await selectSession(deps.database, digestOf(token), deps.clock.now())
  if (!found || !isStillKnown(found, token, deps)) return null
  const { name, role } = found.session.operator
  // A role that was removed from OPERATOR_ROLES allows nothing.
  const operator = operatorIn(deps.operatorRoles, name, role)
  return operator && { ...found.session, operator }
}

function isStillKnown(
  { session, keyDigest, madeKey }: FoundSession,
  token: string,
  { operatorKeys, issuer, noteUse }: AccessDeps,
): boolean {
  const isOf = (secret: string) =>
    keyDigest !== null && constantTimeEquals(keyDigest, keyedDigest(token, secret))
  if (session.signedInBy === 'oidc') {
    const settings = issuer?.settings
    return !!settings?.clientSecrets.some((secret) => isOf(secretOf(settings, secret)))
  }
  const { name, role } = session.operator
  const known = operatorKeys.find(
    ({ key, ...holder }) => holder.name === name && holder.role === role && isOf(digestOf(key)),
  )
  if (known) noteUse('OPERATOR_KEYS', known.key)
  return known !== undefined || (madeKey !== null && isOf(madeKey))
}

function secretOf({ url, clientId, clientSecrets, roleClaim }: IssuerSettings, secret = clientSecrets[0]) {
  return JSON.stringify([url, clientId, secret, roleClaim])
}

export async function signOut(deps: AccessDeps, { id, operator }: OperatorSession): Promise<void> {
  const by = { operator, act: 'operator.sign_out', reason: null }
  await endSession(deps, id, by, { session_id: id, operator: operator.name })
}

/** Newest first. */
export function listSessions({ database, clock }: AccessDeps) {
  return liveSessions(database, clock.now())
}

/** `already_revoked`, or `not_found` if it is over or never existed. */
export async function whyEnded({ database }: AccessDeps, id: string): Promise<BillingError> {
  const revokedAt = await findRevocation(database, id)
  if (revokedAt === null) return new BillingError('not_found', { extra: { session_id: id } })
  return new BillingError('already_revoked', { extra: { revoked_at: toTimestamp(revokedAt) } })
}

/** `after` is how the audit trail shows the session. Returns false if the session had ended already. */
export function endSession(
  { database, clock, ids }: AccessDeps,
  id: string,
  by: OperatorAct,
  after: object,
): Promise<boolean> {
  const now = clock.now()
  return deleteSession(database, id, auditEntry(ids, by, { after, now }), now)
}
