// Who reads a page, and in which language: the session in the cookie, the language that the user chose, else that of their
// profile, else that of the browser. Arabic where nothing is known.
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import { isLocale, type Locale } from '../core/locale.js'
import { preferredLocale } from '../http/request.js'
import { BoundedMap } from '../runtime/bounded-map.js'
import { withoutSlash } from '../runtime/http-client.js'
import { constantTimeEquals, digestOf } from '../runtime/secret.js'
import {
  type FindSession,
  leavePortal,
  type PortalSession,
  SESSION_MS,
  type SessionDeps,
} from './portal-sessions.sql.js'

export interface Session extends PortalSession {
  /** Stands in every form of this session, and fits no other. */
  readonly formToken: string
}

export type Reader = ReturnType<typeof createReader>

export interface ReaderDeps extends SessionDeps {
  readonly findSession: FindSession
}

const YEAR_SECONDS = 365 * 86_400
/** About 2 MB. */
const SEEN_MAX = 10_000

export function createReader(deps: ReaderDeps, publicUrl: string) {
  const isFromHere = comesFrom(new URL(publicUrl).origin)
  const { cookie, attributes } = cookiesFor(publicUrl)
  const setCookie = (reply: FastifyReply, name: string, value: string, maxAgeSeconds: number) =>
    reply.header('set-cookie', stringifySetCookie({ ...attributes, name, value, maxAge: maxAgeSeconds }))
  const seen = new BoundedMap<string, true>(SEEN_MAX)
  const tokenOf = (request: FastifyRequest) => cookiesOf(request)[cookie.session]
  /** Ends the session that the request came with, where the answer begins another. */
  const forget = async (request: FastifyRequest) => {
    const token = tokenOf(request)
    if (token !== undefined) await leavePortal(deps, token)
  }
  return {
    /** Null: none, or one that is over. */
    session: async (request: FastifyRequest): Promise<Session | null> => {
      const token = tokenOf(request)
      if (token === undefined) return null
      const formToken = formTokenOf(token)
      const found = await deps.findSession(token)
      if (found) seen.set(formToken, true)
      else seen.delete(formToken)
      return found && { ...found, formToken }
    },
    /** Whether this process found a session by this cookie when it last looked. */
    hasSeen: (request: FastifyRequest): boolean => {
      const token = tokenOf(request)
      return token !== undefined && seen.get(formTokenOf(token)) === true
    },
    /**
     * `profile`: the language of the page's user where there is no session. One that was asked for is remembered, but not
     * by a refusal, which gives no `reply`.
     */
    language: (
      request: FastifyRequest,
      reply: FastifyReply | null,
      session: Session | null,
      profile?: Locale | null,
    ): Locale => {
      const asked = queryOf(request, 'lang')
      if (reply && isLocale(asked)) setCookie(reply, cookie.language, asked, YEAR_SECONDS)
      const candidates = [asked, cookiesOf(request)[cookie.language], session?.locale, profile]
      return candidates.find(isLocale) ?? preferredLocale(request.headers['accept-language'], 'ar')
    },
    begin: (reply: FastifyReply, sessionToken: string): void => {
      setCookie(reply, cookie.session, sessionToken, SESSION_MS / 1_000)
    },
    forget,
    end: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await forget(request)
      setCookie(reply, cookie.session, '', 0)
    },
    /** False: the form was not sent from a page of this service. */
    isFromHere,
    /** Throws `forbidden` where the form was not sent from a page of this session. */
    requireOwnForm: (request: FastifyRequest, { formToken }: Session): void => {
      const isOwn = isFromHere(request) && constantTimeEquals(formToken, fieldOf(request, 'form_token'))
      if (!isOwn) throw new BillingError('forbidden')
    },
  }
}

/** Named by the path too: `__Host-` wants the path `/`, and two services of one origin must not share a session. */
export function cookiesFor(publicUrl: string) {
  const secure = publicUrl.startsWith('https:')
  // One name for each path: a slash is a point, and what a name cannot have is written out.
  const suffix = withoutSlash(new URL(publicUrl).pathname)
    .replace(/[^\w/-]/g, (character) => `~${character.charCodeAt(0).toString(16)}`)
    .replaceAll('/', '.')
  // `__Host-`: no neighbouring subdomain can plant a cookie of this name (RFC 6265bis, section 4.1.3.2).
  const prefix = secure ? '__Host-' : ''
  return {
    cookie: { session: `${prefix}ishtirak${suffix}`, language: `${prefix}ishtirak_lang${suffix}` },
    // Lax, because the provider sends users back from another site, and their session should still hold.
    attributes: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  } as const
}

/** Derived, not stored: only the holder of the cookie's secret can make it. */
function formTokenOf(sessionToken: string): string {
  return digestOf(`form ${sessionToken}`)
}

/** Browsers say where a request comes from. The pages send no referrer, so their forms have the origin "null". */
function comesFrom(ownOrigin: string) {
  return ({ headers }: FastifyRequest): boolean => {
    const site = headers['sec-fetch-site']
    return site === undefined
      ? [undefined, 'null', ownOrigin].includes(headers.origin)
      : site === 'same-origin'
  }
}

function cookiesOf({ headers }: FastifyRequest): Readonly<Record<string, string | undefined>> {
  return headers.cookie === undefined ? {} : parseCookie(headers.cookie)
}

/** A parameter of the query; undefined where it is missing or given twice. */
export function queryOf({ query }: FastifyRequest, name: string): string | undefined {
  const given: Readonly<Record<string, unknown>> = typeof query === 'object' ? { ...query } : {}
  const value = given[name]
  return typeof value === 'string' ? value : undefined
}

/** A field of a posted form, empty where it is missing. */
export function fieldOf(request: FastifyRequest, name: string): string {
  return request.body instanceof URLSearchParams ? (request.body.get(name) ?? '') : ''
}

/** Only a form for it, or for a code, buys ahead: pressed again on a page that is still open, the usual ones buy nothing by accident. */
export function wantedIn(request: FastifyRequest) {
  const [months, code, ahead] = ['months', 'code', 'ahead'].map((name) => fieldOf(request, name))
  return {
    planId: fieldOf(request, 'plan'),
    ...(months && { months: Number(months) }),
    ...(code && { code }),
    mode: code || ahead ? ('payment' as const) : ('upgrade' as const),
  }
}
