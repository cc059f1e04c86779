// Identifies the caller: by a token of the platform, checked with the one kind of key that is configured, or
// by a key. The token never chooses the algorithm. An unreachable key server is 503, not 401.
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose'
// Its parts one by one: the whole package has twice as many files to load at each start.
import * as errors from 'jose/errors'
import { createRemoteJWKSet } from 'jose/jwks/remote'
import { jwtVerify } from 'jose/jwt/verify'
import { isEmail } from '../core/email.js'
import { BillingError, type ErrorCode, wrongField } from '../core/error.js'
import { type Instant, MINUTE, SECOND } from '../core/instant.js'
import { type Locale, localeOf } from '../core/locale.js'
import { type Actor, isBillingRole } from '../core/person.js'
import type { Operator, OperatorKey } from '../core/role.js'
import { isUserId } from '../core/user-id.js'
import { BoundedMap } from '../runtime/bounded-map.js'
import type { Clock } from '../runtime/clock.js'
import type { CommonConfig } from '../runtime/config.js'
import type { NoteUse } from '../runtime/old-secrets.js'
import { secretMatcher } from '../runtime/secret.js'

/** The caller of a token. A token with an unusable id is refused; other unusable claims are dropped. */
export interface UserIdentity extends Actor {
  /** The platform's id of the account (see core/user-id.ts). Without teams, the account is the user. */
  readonly userId: string
  readonly email?: string
  readonly name?: string
  readonly locale?: Locale
}

/** Throws `unauthenticated`, or `authentication_unavailable` if the keys cannot be fetched. */
export type TokenVerifier = (authorization?: string) => Promise<UserIdentity>

type TokenVerifierOptions = CommonConfig['auth'] & { readonly clock: Clock; readonly noteUse: NoteUse }

/** Much less than `CLOCK_SKEW_MAX`: more would lengthen every token's life. */
const TOKEN_CLOCK_SKEW_SECONDS = 5
/** Finding a token takes 0.3 µs, verifying it 15 to 65 µs. About 5 MB when full of usual tokens. */
const REMEMBERED_MAX = 10_000
/** A longer token is verified each time, so that one caller cannot fill the memory. */
const REMEMBERED_LENGTH = 2_048
/** How long a withdrawn key is accepted at most. */
const REMEMBERED_MS = 5 * MINUTE
const KEYS_TIMEOUT_MS = 3 * SECOND
/** An unknown key id causes one request to the key server in this time, so callers cannot overload it. */
const KEYS_COOLDOWN_MS = 30 * SECOND
const KEYS_KEPT_MS = 10 * MINUTE

export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { clock, issuer, audience } = options
  const check = signatureCheck(options)
  const remembered = new BoundedMap<string, { identity: UserIdentity; until: Instant }>(REMEMBERED_MAX)
  return async (header = '') => {
    const now = clock.now()
    // The key is the whole header: an attacker who can read this memory can read the service's keys too.
    const known = remembered.get(header)
    if (known && now < known.until) return known.identity
    const asked: JWTVerifyOptions = {
      currentDate: new Date(now),
      clockTolerance: TOKEN_CLOCK_SKEW_SECONDS,
      requiredClaims: ['exp', 'sub'],
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && { audience }),
    }
    const { payload } = await check(bearerToken(header), asked).catch((cause: unknown) => {
      throw cause instanceof errors.JOSEError ? new BillingError('unauthenticated', { cause }) : cause
    })
    const identity = readIdentity(payload)
    // The first instant at which jose would call the token expired. It compares whole seconds.
    const expiresAt = Math.ceil((payload.exp ?? 0) + TOKEN_CLOCK_SKEW_SECONDS) * SECOND
    if (header.length <= REMEMBERED_LENGTH)
      remembered.set(header, { identity, until: Math.min(expiresAt, now + REMEMBERED_MS) })
    return identity
  }
}

export type ApiKeys<Holder> = ReturnType<typeof keyRing<Holder>>

export function createApiKeys(keys: readonly string[], noteUse: NoteUse) {
  const known = keys.map((key) => ({ holder: 'platform' as const, key }))
  return keyRing(known, 'unauthenticated', (key) => noteUse('PLATFORM_API_KEYS', key))
}

/** `lookUp` finds the operators that an owner made. */
export function createOperatorKeys(
  operators: readonly OperatorKey[],
  noteUse: NoteUse,
  lookUp?: (key: string) => Promise<Operator | null>,
) {
  const known = operators.map(({ key, ...holder }) => ({ holder, key }))
  return keyRing<Operator>(known, 'invalid_operator_key', (key) => noteUse('OPERATOR_KEYS', key), lookUp)
}

/** A part without any key is switched off and answers 404. It is never open. */
function keyRing<Holder>(
  keys: readonly { readonly holder: Holder; readonly key: string }[],
  refusal: ErrorCode,
  accepted: (key: string) => void,
  lookUp?: (key: string) => Promise<Holder | null>,
) {
  const known = keys.map((one) => ({ ...one, matches: secretMatcher(one.key) }))
  /** The holder of a key; null: the key is unknown. */
  const find = async (given: string): Promise<Holder | null> => {
    // All keys are compared: the time must not reveal which one matches, nor its place.
    const [match] = known.filter(({ matches }) => matches(given))
    if (!match) return (await lookUp?.(given)) ?? null
    accepted(match.key)
    return match.holder
  }
  /** Reads `Authorization: Bearer …`. Throws the refusal, or `not_found` if no key is configured. */
  const verify = async (header: string | undefined): Promise<Holder> => {
    const unknown = known.length === 0 ? 'not_found' : refusal
    const holder = await find(bearerToken(header, unknown))
    if (holder === null) throw new BillingError(unknown)
    return holder
  }
  return { find, verify }
}

/** No sane issuer makes longer tokens, and a long one would cost us more than its sender. */
const LONGEST_TOKEN = 8 * 1024

/** The token of `Authorization: Bearer …` (RFC 6750, 2.1) as it was sent. Throws `refusal` for all else. */
function bearerToken(header = '', refusal: ErrorCode = 'unauthenticated'): string {
  if (header.length > LONGEST_TOKEN) throw new BillingError(refusal)
  const [, token] = /^bearer +([\w.~+/-]+=*)$/i.exec(header) ?? []
  if (token === undefined) throw new BillingError(refusal)
  return token
}

type SignatureCheck = (token: string, options: JWTVerifyOptions) => Promise<JWTVerifyResult>

function signatureCheck({ secrets, jwksUrl, noteUse }: TokenVerifierOptions): SignatureCheck {
  if (jwksUrl === undefined) return secretsCheck(secrets, noteUse)
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: KEYS_TIMEOUT_MS,
    cooldownDuration: KEYS_COOLDOWN_MS,
    cacheMaxAge: KEYS_KEPT_MS,
  })
  const algorithms = ['RS256', 'ES256', 'EdDSA']
  return (token, options) => jwtVerify(token, reachableKeys(keys), { ...options, algorithms })
}

/** Tries one secret after the other, so that a token of the first costs the same as with a single secret. */
function secretsCheck(secrets: readonly string[], noteUse: NoteUse): SignatureCheck {
  const keys = secrets.map((secret) => ({ secret, imported: importSecret(secret) }))
  return async (token, options) => {
    let refused: unknown
    for (const { secret, imported } of keys) {
      try {
        const verified = await jwtVerify(token, await imported, { ...options, algorithms: ['HS256'] })
        noteUse('AUTH_JWT_SECRET', secret)
        return verified
      } catch (error) {
        // Any other error, such as an expired token, means that the signature was right.
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
        refused = error
      }
    }
    throw refused
  }
}

/** A CryptoKey, because jose takes 15 µs with it and 30 µs with the bytes. */
function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Tells an unknown key (the token is wrong) from a server that does not answer (the token may be right). */
function reachableKeys(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await keys(header, token)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        throw error
      throw new BillingError('authentication_unavailable', { retryAfterSeconds: 5, cause: error })
    }
  }
}

/** One line of text that the database accepts: no control character, no half surrogate pair. */
const NAME = /^[^\p{Cc}\p{Surrogate}]{1,200}$/u

/**
 * Throws `unauthenticated` if an id of these claims is not valid, or the role is unknown. An unknown role is
 * not replaced by another: the least would lock owners out, and the most would let readers order.
 */
function readIdentity(payload: JWTPayload): UserIdentity {
  const { sub: personId, email, name, locale } = payload
  const userId: unknown = payload.account ?? personId
  const billingRole: unknown = payload.billing_role ?? 'owner'
  if (!isUserId(personId) || !isUserId(userId) || !isBillingRole(billingRole))
    throw new BillingError('unauthenticated')
  const known = typeof locale === 'string' ? localeOf(locale) : undefined
  // Mail to the account's address signs in as its owner, so only an owner's own address may replace it.
  const isOwner = billingRole === 'owner'
  return {
    userId,
    ...(personId === userId ? {} : { personId }),
    ...(isOwner ? {} : { billingRole }),
    ...(isOwner && typeof email === 'string' && isEmail(email) ? { email } : {}),
    ...(isOwner && typeof name === 'string' && NAME.test(name) ? { name } : {}),
    ...(known ? { locale: known } : {}),
  }
}

/** Checks a host's user as a token is checked. A wrong id or role is thrown as the host's mistake. */
export function identityOf({ userId: account, personId, billingRole = 'owner', ...profile }: UserIdentity) {
  if (!isUserId(account)) throw wrongField('user_id', 'wrong_format')
  if (personId && !isUserId(personId)) throw wrongField('person_id', 'wrong_format')
  if (!isBillingRole(billingRole)) throw wrongField('billing_role', 'wrong_format')
  return readIdentity({ ...profile, sub: personId ?? account, account, billing_role: billingRole })
}
