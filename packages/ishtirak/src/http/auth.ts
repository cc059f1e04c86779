// Who is calling: a token of the platform, checked against the one kind of key that is configured, or a key.
// The algorithm is never the token's choice. A key server out of reach is 503, not 401.
import {
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import { isEmail } from '../core/email.js'
import { BillingError, type ErrorCode, wrongField } from '../core/error.js'
import { type Instant, MINUTE, SECOND } from '../core/instant.js'
import { type Locale, localeOf } from '../core/locale.js'
import { type Actor, isBillingRole } from '../core/person.js'
import type { Operator, OperatorKey } from '../core/role.js'
import { isUserId } from '../core/user-id.js'
import { BoundedMap } from '../runtime/bounded-map.js'
import type { Clock } from '../runtime/clock.js'
import type { NoteUse } from '../runtime/old-secrets.js'
import { secretMatcher } from '../runtime/secret.js'

/** The id must be usable as it is, or the token is refused; the rest is dropped where it makes no sense. */
export interface UserIdentity extends Actor {
  /** The platform's own id of the account, as `core/user-id.ts` allows. Without teams: of the user. */
  readonly userId: string
  readonly email?: string
  readonly name?: string
  readonly locale?: Locale
}

export type TokenVerifier = ReturnType<typeof createTokenVerifier>

interface TokenVerifierOptions {
  /** HS256, at least 32 bytes each; all are accepted. Empty where there is a `jwksUrl`, and not otherwise. */
  readonly secrets: readonly string[]
  /** RS256, ES256 and EdDSA. */
  readonly jwksUrl?: string
  readonly issuer?: string
  readonly audience?: string
  readonly clock: Clock
  readonly noteUse: NoteUse
}

/** Much less than `CLOCK_SKEW_MAX`: more would lengthen every token's life. */
const TOKEN_CLOCK_SKEW_SECONDS = 5
/** 0.3 µs to look a token up instead of 15 to 65 µs to verify it. About 5 MB when full of usual tokens. */
const REMEMBERED_MAX = 10_000
/** A longer one is verified each time, so that one caller cannot fill the memory. */
const REMEMBERED_LENGTH = 2_048
/** One writing of each key is usual. */
const REMEMBERED_KEYS_MAX = 100
/** The maximum time for which a withdrawn key is still accepted. */
const REMEMBERED_MS = 5 * MINUTE
const KEYS_TIMEOUT_MS = 3 * SECOND
/** An unknown key id leads to one look at the key server in this time: callers cannot overload it. */
const KEYS_COOLDOWN_MS = 30 * SECOND
const KEYS_KEPT_MS = 10 * MINUTE

export function createTokenVerifier(options: TokenVerifierOptions) {
  const check = signatureCheck(options)
  const remembered = rememberIdentities({ most: REMEMBERED_MAX, longestMs: REMEMBERED_MS })
  return {
    /** Throws `unauthenticated`, or `authentication_unavailable` when the keys cannot be fetched. */
    verify: async (header = ''): Promise<UserIdentity> => {
      const now = options.clock.now()
      // By the header as it came: who reads this memory reads the keys of the service as well.
      const known = remembered.find(header, now)
      if (known) return known
      const token = bearerToken(header)
      const payload = await checkToken(check, token, verifyOptions(options, now))
      const identity = readIdentity(payload)
      if (header.length <= REMEMBERED_LENGTH) remembered.keep(header, identity, now, refusedFrom(payload))
      return identity
    },
  }
}

export interface ApiKeys<Holder> {
  /** Of `Authorization: Bearer …`. Throws the refusal, or `not_found` when no key is configured. */
  verify(header: string | undefined): Holder | Promise<Holder>
  /** The holder of a key; null: it is none of them. */
  find(key: string): Promise<Holder | null>
}

/** Who holds a key that is not configured; null: nobody. */
export type LookUpKey<Holder> = (key: string) => Promise<Holder | null>

export function createApiKeys(keys: readonly string[], noteUse: NoteUse): ApiKeys<'platform'> {
  return keyRing(
    keys.map((key) => ({ holder: 'platform', key })),
    'unauthenticated',
    (key) => noteUse('PLATFORM_API_KEYS', key),
  )
}

/** `lookUp`: of those whom an owner made. */
export function createOperatorKeys(
  operators: readonly OperatorKey[],
  noteUse: NoteUse,
  lookUp?: LookUpKey<Operator>,
): ApiKeys<Operator> {
  return keyRing<Operator>(
    operators.map(({ key, ...holder }) => ({ holder, key })),
    'invalid_operator_key',
    (key) => noteUse('OPERATOR_KEYS', key),
    lookUp,
  )
}

/** A part without any key is switched off and answers 404: it is never open. */
function keyRing<Holder>(
  keys: readonly { readonly holder: Holder; readonly key: string }[],
  refusal: ErrorCode,
  accepted: (key: string) => void,
  lookUp: LookUpKey<Holder> | null = null,
): ApiKeys<Holder> {
  const known = keys.map(({ holder, key }) => ({ holder, key, matches: secretMatcher(key) }))
  // Found by a hash of the whole header, so that its time tells nothing of a key.
  const remembered = new BoundedMap<string, (typeof known)[number]>(REMEMBERED_KEYS_MAX)
  // All are compared, whichever fits: the time must not tell which one, nor how many come before it.
  const matchOf = (given: string) => known.filter(({ matches }) => matches(given))[0]
  const holderOf = (match: (typeof known)[number]): Holder => {
    accepted(match.key)
    return match.holder
  }
  return {
    find: async (given) => {
      const match = matchOf(given)
      return match ? holderOf(match) : (lookUp?.(given) ?? null)
    },
    verify: (header = '') => {
      const before = remembered.get(header)
      if (before) return holderOf(before)
      const unknown = known.length === 0 ? 'not_found' : refusal
      const token = bearerToken(header, unknown)
      const match = matchOf(token)
      if (!match) {
        if (lookUp === null) throw new BillingError(unknown)
        return lookUp(token).then((holder) => holder ?? Promise.reject(new BillingError(unknown)))
      }
      if (header.length <= REMEMBERED_LENGTH) remembered.set(header, match)
      return holderOf(match)
    },
  }
}

/** No token of a sane issuer is longer, and a long one would cost us before it costs its sender. */
const LONGEST_TOKEN = 8 * 1024

/** The token of `Authorization: Bearer …` (RFC 6750, 2.1) as it was sent; throws `refusal` for all else. */
function bearerToken(header: string, refusal: ErrorCode = 'unauthenticated'): string {
  if (header.length > LONGEST_TOKEN) throw new BillingError(refusal)
  const [, token] = /^bearer +([\w.~+/-]+=*)$/i.exec(header) ?? []
  if (token === undefined) throw new BillingError(refusal)
  return token
}

type SignatureCheck = (token: string, options: JWTVerifyOptions) => Promise<JWTVerifyResult>

function signatureCheck({ secrets, jwksUrl, noteUse }: TokenVerifierOptions): SignatureCheck {
  if (secrets.length > 0 && jwksUrl === undefined) return secretsCheck(secrets, noteUse)
  if (secrets.length === 0 && jwksUrl !== undefined) {
    const keys = createRemoteJWKSet(new URL(jwksUrl), {
      timeoutDuration: KEYS_TIMEOUT_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
      cacheMaxAge: KEYS_KEPT_MS,
    })
    const algorithms = ['RS256', 'ES256', 'EdDSA']
    return (token, options) => jwtVerify(token, reachableKeys(keys), { ...options, algorithms })
  }
  throw new TypeError('tokens are checked with either secrets or a key server')
}

/** One after the other: a token of the first costs no more than where it is the only one. */
function secretsCheck(secrets: readonly string[], noteUse: NoteUse): SignatureCheck {
  const checks = secrets.map((secret) => ({ secret, check: secretCheck(secret) }))
  return async (token, options) => {
    let refused: unknown
    for (const { secret, check } of checks) {
      try {
        const verified = await check(token, options)
        noteUse('AUTH_JWT_SECRET', secret)
        return verified
      } catch (error) {
        // Anything else, such as an end that is past, is said of a token whose signature is right.
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
        refused = error
      }
    }
    throw refused
  }
}

/** As a CryptoKey: jose takes 15 µs with it and 30 µs with the bytes. */
function secretCheck(secret: string): SignatureCheck {
  const bytes = new TextEncoder().encode(secret)
  const imported = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  return async (token, options) => jwtVerify(token, await imported, { ...options, algorithms: ['HS256'] })
}

/** Tells an unknown key (the token is wrong) from a server that does not answer (it may be right). */
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

function verifyOptions({ issuer, audience }: TokenVerifierOptions, now: Instant): JWTVerifyOptions {
  return {
    currentDate: new Date(now),
    clockTolerance: TOKEN_CLOCK_SKEW_SECONDS,
    requiredClaims: ['exp', 'sub'],
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  }
}

async function checkToken(
  check: SignatureCheck,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await check(token, options)).payload
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new BillingError('unauthenticated', { cause: error })
    throw error
  }
}

/** The first instant at which jose would call the token expired; it compares whole seconds. */
function refusedFrom({ exp = 0 }: JWTPayload): Instant {
  return Math.ceil(exp + TOKEN_CLOCK_SKEW_SECONDS) * SECOND
}

const LONGEST_NAME = 200

/**
 * Throws `unauthenticated`: an id of these claims cannot be one, or the role is none. A wrong role is not
 * read as another: the least would lock owners out, and the most would let readers order.
 */
function readIdentity(payload: JWTPayload): UserIdentity {
  const { sub: personId, email, name, locale } = payload
  const userId: unknown = payload.account ?? personId
  const billingRole: unknown = payload.billing_role ?? 'owner'
  if (!isUserId(personId) || !isUserId(userId) || !isBillingRole(billingRole))
    throw new BillingError('unauthenticated')
  const known = typeof locale === 'string' ? localeOf(locale) : undefined
  // Mail to the account's address signs in as its owner, so only an owner's own address may become it.
  const isOwner = billingRole === 'owner'
  return {
    userId,
    ...(personId === userId ? {} : { personId }),
    ...(isOwner ? {} : { billingRole }),
    ...(isOwner && typeof email === 'string' && isEmail(email) ? { email } : {}),
    ...(isOwner && isLine(name, LONGEST_NAME) ? { name } : {}),
    ...(known ? { locale: known } : {}),
  }
}

/** What a host says of a user, checked as a token is; a wrong id or role is thrown as its own mistake. */
export function identityOf({ userId, personId, billingRole = 'owner', ...profile }: UserIdentity) {
  const account = idOf(userId)
  if (personId && !isUserId(personId)) throw wrongField('person_id', 'wrong_format')
  if (!isBillingRole(billingRole)) throw wrongField('billing_role', 'wrong_format')
  return readIdentity({ ...profile, sub: personId ?? account, account, billing_role: billingRole })
}

/** What a host names a user by. */
function idOf(userId: string): string {
  if (isUserId(userId)) return userId
  throw wrongField('user_id', 'wrong_format')
}

/** Text on one line that the database can hold: no control character, no half of a surrogate pair. */
function isLine(value: unknown, longest: number): value is string {
  const isText = typeof value === 'string' && value !== '' && value.length <= longest
  return isText && !/[\p{Cc}\p{Surrogate}]/u.test(value)
}

/** The users that verified tokens name, bounded in number and time. No token outlives its own end. */
export function rememberIdentities(options: { readonly most: number; readonly longestMs: number }) {
  const known = new BoundedMap<string, { readonly identity: UserIdentity; readonly until: Instant }>(
    options.most,
  )
  return {
    find: (header: string, now: Instant): UserIdentity | undefined => {
      const found = known.get(header)
      if (found && found.until > now) return found.identity
      if (found) known.delete(header)
      return undefined
    },
    /** `until` is the first instant at which the token would be refused. */
    keep: (header: string, identity: UserIdentity, now: Instant, until: Instant): void => {
      known.set(header, { identity, until: Math.min(until, now + options.longestMs) })
    },
  }
}
