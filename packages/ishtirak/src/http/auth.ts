// Who is calling: a token of the hosting platform, checked against the one kind of key that the configuration names.
// The algorithm is never the token's choice. A key server out of reach is our trouble (503), not the caller's (401).
import { hash } from 'node:crypto'
import {
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import { BillingError } from '../core/error.js'
import { type Instant, MINUTE, SECOND } from '../core/instant.js'
import type { Clock } from '../runtime/clock.js'
import { bearerToken } from './bearer.js'
import { readIdentity, type UserIdentity } from './identity.js'
import { rememberIdentities } from './remembered-identities.js'

export type { UserIdentity } from './identity.js'

export interface TokenVerifier {
  /** Throws `unauthenticated`, or `authentication_unavailable` when the keys cannot be fetched. */
  verify(authorizationHeader: string | undefined): Promise<UserIdentity>
}

export interface TokenVerifierOptions {
  /** HS256, at least 32 bytes. Exactly one of this and `jwksUrl`. */
  readonly secret?: string
  /** RS256, ES256 and EdDSA. */
  readonly jwksUrl?: string
  readonly issuer?: string
  readonly audience?: string
  readonly clock: Clock
}

/** Clocks of two machines differ a little; more would lengthen every token's life. */
const CLOCK_TOLERANCE_SECONDS = 5
/** Verified tokens that are remembered: 0.6 µs to look up instead of 15 to 65 µs to verify. About 5 MB when full. */
const REMEMBERED_MAX = 10_000
/** A key that was withdrawn is believed for this much longer, at most. */
const REMEMBERED_MS = 5 * MINUTE
const KEYS_TIMEOUT_MS = 3 * SECOND
/** An unknown key id leads to one look at the key server in this time, so that nobody can make us hammer it. */
const KEYS_COOLDOWN_MS = 30 * SECOND
const KEYS_KEPT_MS = 10 * MINUTE

export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const check = signatureCheck(options)
  const remembered = rememberIdentities({ most: REMEMBERED_MAX, longestMs: REMEMBERED_MS })
  return {
    verify: async (header) => {
      const token = bearerToken(header)
      const digest = hash('sha256', token, 'base64')
      const now = options.clock.now()
      const known = remembered.find(digest, now)
      if (known) return known
      const payload = await checkToken(check, token, verifyOptions(options, now))
      const identity = readIdentity(payload)
      remembered.keep(digest, identity, now, refusedFrom(payload))
      return identity
    },
  }
}

type SignatureCheck = (token: string, options: JWTVerifyOptions) => Promise<JWTVerifyResult>

function signatureCheck({ secret, jwksUrl }: TokenVerifierOptions): SignatureCheck {
  if (secret !== undefined && jwksUrl === undefined) return secretCheck(secret)
  if (secret === undefined && jwksUrl !== undefined) {
    const keys = createRemoteJWKSet(new URL(jwksUrl), {
      timeoutDuration: KEYS_TIMEOUT_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
      cacheMaxAge: KEYS_KEPT_MS,
    })
    const algorithms = ['RS256', 'ES256', 'EdDSA']
    return (token, options) => jwtVerify(token, reachableKeys(keys), { ...options, algorithms })
  }
  throw new TypeError('tokens are checked with either a secret or a key server')
}

/** As a CryptoKey: jose takes 15 µs with it and 30 µs with the bytes. */
function secretCheck(secret: string): SignatureCheck {
  const bytes = new TextEncoder().encode(secret)
  const imported = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  return async (token, options) => jwtVerify(token, await imported, { ...options, algorithms: ['HS256'] })
}

/** Tells a key that does not exist (the token's fault) from a server that does not answer (not the token's fault). */
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
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
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
  return Math.ceil(exp + CLOCK_TOLERANCE_SECONDS) * SECOND
}
