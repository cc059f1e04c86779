// Operators' sign-in by an OpenID Connect issuer: the code flow with PKCE, state and nonce, and a signed ID
// token. The issuer is called, and the library loaded, at the first sign-in, so that the service starts and
// runs without it.
import type * as OpenId from 'openid-client'
import type { RecordRefusal } from '../acts/refusals.js'
import { BillingError } from '../core/error.js'
import { type Instant, MINUTE, SECOND } from '../core/instant.js'
import { type Operator, operatorIn } from '../core/role.js'
import type { ApiKeys } from '../http/auth.js'
import type { CommonParts } from '../ledger/parts.js'
import type { ConsolePages } from '../pages/console-frame.js'
import { secondsAhead } from '../runtime/clock.js'
import type { Log } from '../runtime/log.js'
import type { NoteUse } from '../runtime/old-secrets.js'
import { digestOf, keyedDigest, randomToken } from '../runtime/secret.js'
import {
  type Claims,
  claimAt,
  type IssuerSettings,
  operatorNameOf,
  type RoleRefusal,
  roleOf,
} from './claims.js'
import { type AccessDeps, signIn } from './sessions.js'

export type Issuer = ReturnType<typeof createIssuer>

type IssuerDeps = Pick<CommonParts, 'clock' | 'log' | 'publicUrl' | 'noteUse'>

/** The time between going out and coming back. */
export const TICKET_MS = 10 * MINUTE
/** The limit of all calls of one step. The browser waits little longer. */
const TIMEOUT_MS = 5 * SECOND
const RETRY_SECONDS = 5

export const ISSUER_PATH = '/console/sign-in/issuer'
export const RETURN_PATH = '/console/sign-in/return'

export type SignInRefusal = RoleRefusal | 'not_begun' | 'denied' | 'answer'

export function createIssuer(settings: IssuerSettings, deps: IssuerDeps) {
  const redirectUri = `${deps.publicUrl}${RETURN_PATH}`
  return {
    settings,
    host: new URL(settings.url).host,
    /** The address for the browser, and the ticket that it keeps. `to`: the page to lead to. Throws 503. */
    begin: async (to: string): Promise<{ readonly url: string; readonly ticket: string }> => {
      const ticket = `${deps.clock.now()}.${randomToken()}.${to}`
      const { state, nonce, verifier } = secretsOf(ticket)
      try {
        const { openid, config } = await discover(settings, deps)
        const url = openid.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: scopesOf(config),
          ...{ state, nonce, code_challenge: digestOf(verifier), code_challenge_method: 'S256' },
        })
        return { url: url.href, ticket }
      } catch (error) {
        throw unavailable(error, deps.log)
      }
    },
    /** `query` is from the address that the browser came back to. Throws `sign_in_refused`, or 503. */
    finish: async (ticket: string, query: string): Promise<Claims> => {
      const { openid, config, configWith } = await discover(settings, deps).catch((error: unknown) => {
        throw unavailable(error, deps.log)
      })
      const { state, nonce, verifier } = secretsOf(ticket)
      const url = new URL(redirectUri)
      url.search = query
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
      try {
        const tokens = await withEachSecret(settings, deps.noteUse, (secret) =>
          openid.authorizationCodeGrant(configWith(secret), url, checks),
        )
        const claims = tokens.claims()
        if (claims === undefined) throw refusal('answer')
        if (claimAt(claims, settings.roleClaim) !== undefined) return claims
        if (config.serverMetadata().userinfo_endpoint === undefined) return claims
        return { ...(await openid.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims }
      } catch (error) {
        throw readFailure(error, deps.log)
      }
    },
  }
}

/** Reads the issuer's metadata. `configWith` adds a secret, which only `finish` needs. */
async function discover({ url, clientId }: IssuerSettings, { clock }: IssuerDeps) {
  const openid = await import('openid-client')
  const client = { [openid.clockSkew]: secondsAhead(clock) }
  const customFetch = fetchUntil(performance.now() + TIMEOUT_MS)
  const checks = [openid.enableNonRepudiationChecks]
  // The settings allow http only on this machine.
  if (url.startsWith('http:')) checks.push(openid.allowInsecureRequests)
  const config = await openid.discovery(new URL(url), clientId, client, openid.None(), {
    [openid.customFetch]: customFetch,
    execute: checks,
  })
  const metadata = config.serverMetadata()
  // RFC 8414, section 2: `client_secret_basic` is the default.
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const authentication = methods.includes('client_secret_basic')
    ? openid.ClientSecretBasic
    : openid.ClientSecretPost
  const configWith = (secret: string) => {
    const made = new openid.Configuration(metadata, clientId, client, authentication(secret))
    made[openid.customFetch] = customFetch
    for (const enable of checks) enable(made)
    return made
  }
  return { openid, config, configWith }
}

/** A wrong secret does not use up the code (RFC 6749, section 5.2), so the next secret can be tried. */
async function withEachSecret<Result>(
  { clientSecrets }: IssuerSettings,
  noteUse: NoteUse,
  attempt: (secret: string) => Promise<Result>,
): Promise<Result> {
  let refused: unknown
  for (const secret of clientSecrets) {
    try {
      const result = await attempt(secret)
      noteUse('OPERATOR_OIDC_CLIENT_SECRET', secret)
      return result
    } catch (error) {
      const { error: said, status } = Object(error)
      if (said !== 'invalid_client' && status !== 401) throw error
      refused = error
    }
  }
  throw refused
}

/** Derived from the ticket, so that only the browser stores anything, and the ticket does not reveal them. */
function secretsOf(ticket: string) {
  return {
    state: keyedDigest(ticket, 'state'),
    nonce: keyedDigest(ticket, 'nonce'),
    verifier: keyedDigest(ticket, 'verifier'),
  }
}

/** Null: too old, or not one of ours. */
function readTicket(ticket: string, now: Instant): { readonly to: string } | null {
  const [, begun, to = ''] = /^(\d{13})\.[\w-]{43}\.(.*)$/.exec(ticket) ?? []
  const age = now - Number(begun)
  // The browser holds it and could write a future instant.
  return age >= -MINUTE && age < TICKET_MS ? { to } : null
}

/** Returns the secret of the session, and the page to go to. Throws as `finish` does. */
export async function signInByIssuer(
  deps: AccessDeps & { readonly issuer: Issuer },
  { ticket, query }: { readonly ticket: string; readonly query: string },
): Promise<{ readonly token: string; readonly to: string }> {
  const begun = readTicket(ticket, deps.clock.now())
  if (begun === null) throw refusal('not_begun')
  const claims = await deps.issuer.finish(ticket, query)
  const name = operatorNameOf(claims)
  if (name === null) throw refusal('answer')
  const { roleClaim } = deps.issuer.settings
  const named = (role: string) => operatorIn(deps.operatorRoles, name, role)
  const found = roleOf(claims, roleClaim, (text) => named(text) !== null)
  if (typeof found === 'string') throw refusal(found, { operator: name, claim: roleClaim })
  const operator = { name, ...found, ...named(found.role) }
  const token = await signIn(deps, operator, { issuer: deps.issuer.settings })
  return { token, to: begun.to }
}

function refusal(reason: SignInRefusal, more: Readonly<Record<string, string>> = {}): BillingError {
  return new BillingError('sign_in_refused', { extra: { reason, ...more } })
}

function scopesOf(config: OpenId.Configuration): string {
  const { scopes_supported: supported = ['email', 'profile'] } = config.serverMetadata()
  return ['openid', ...['email', 'profile', 'groups'].filter((scope) => supported.includes(scope))].join(' ')
}

class IssuerDown extends Error {
  override readonly name = 'IssuerDown'
}

/** Fetches until one deadline for all calls of a sign-in. An issuer may be in a private network. */
const fetchUntil =
  (giveUpAt: number): OpenId.CustomFetch =>
  async (url, options) => {
    const signal = AbortSignal.timeout(Math.max(0, Math.ceil(giveUpAt - performance.now())))
    const response = await fetch(url, {
      ...options,
      body: options.body ? String(options.body) : null,
      signal,
    }).catch((cause: unknown) => {
      throw new IssuerDown('it does not answer', { cause })
    })
    if (response.status >= 500 || response.status === 429) throw new IssuerDown(`HTTP ${response.status}`)
    return response
  }

function readFailure(error: unknown, log: Log): Error {
  if (error instanceof BillingError) return error
  const isDown = (one: Error) => one instanceof IssuerDown || one.name === 'TimeoutError'
  if (chainOf(error).some(isDown)) return unavailable(error, log)
  const { code, error: said } = Object(error)
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR')
    return refusal(said === 'access_denied' ? 'denied' : 'answer')
  log.warn(describe(error), "an operator could not sign in: the issuer's answer is not valid")
  return refusal('answer')
}

function unavailable(error: unknown, log: Log): Error {
  log.warn(
    describe(error),
    'operators cannot sign in by the issuer: it does not answer, or its metadata is wrong',
  )
  return new BillingError('authentication_unavailable', { retryAfterSeconds: RETRY_SECONDS })
}

/** Leaves out tokens and claims, which the causes contain. */
function describe(error: unknown) {
  const { code, error: said } = Object(error)
  return { code, said, detail: chainOf(error).map(({ message }) => message) }
}

function chainOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : []
}

export interface AccessPageDeps extends AccessDeps {
  readonly recordRefusal: RecordRefusal
  readonly operatorKeyRing: ApiKeys<Operator>
  readonly issuer: Issuer | null
}

export type AccessPages = ConsolePages & AccessPageDeps
