// The reader of a page and the language: the session comes from a cookie. The language is the one that the
// reader chose, else that of the profile, else that of the browser, else Arabic.
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import { isLocale, type Locale } from '../core/locale.js'
import type { Actor, BillingRole } from '../core/person.js'
import { type CallerChecks, type Callers, callersBy } from '../http/callers.js'
import { isStorable, preferredLocale } from '../http/request.js'
import { BoundedMap } from '../runtime/bounded-map.js'
import { withoutSlash } from '../runtime/http-client.js'
import { constantTimeEquals, digestOf } from '../runtime/secret.js'

/** A session of the portal, or the session that a link would begin. */
export interface PortalSession extends Pick<Actor, 'userId'> {
  /** Null: the account itself. */
  readonly personId: string | null
  readonly billingRole: BillingRole
  /** A path on the platform; null: its front page. */
  readonly returnPath: string | null
  readonly email: string | null
  readonly name: string | null
  readonly locale: Locale | null
}

export type Session = WithFormToken<PortalSession>

export type WithFormToken<Found> = Found & {
  /** Every form of this session has it, and no form of another session. */
  readonly formToken: string
}

export function actorOf({ userId, personId, billingRole }: PortalSession): Actor {
  return { userId, personId: personId ?? undefined, billingRole }
}

/** The session of a portal that an operator views: it has no forms. */
export type ReadOnlySession = PortalSession & { readonly formToken: null }

export type Reader = SessionReader<PortalSession>
export type SessionReader<Found extends object> = ReturnType<typeof createSessionReader<Found>>

type FormSession = { readonly formToken: string } | null

export interface SessionStore<Found> {
  /** Null: the session is over, or never existed. */
  find(token: string): Promise<Found | null>
  end(token: string): Promise<void>
  readonly lastsMs: number
  readonly cookie: string
}

const YEAR_SECONDS = 365 * 86_400
/** The time for which the browser's Back shows the result of a form. */
const FORM_SECONDS = 600
/** About 2 MB. */
const SEEN_MAX = 10_000

export function createSessionReader<Found extends object>(store: SessionStore<Found>, publicUrl: string) {
  const isFromHere = comesFrom(new URL(publicUrl).origin)
  const { cookie, attributes } = cookiesFor(publicUrl)
  const setCookie = (reply: FastifyReply, name: string, value: string, maxAgeSeconds: number) => {
    const own = { ...attributes, name, value, maxAge: maxAgeSeconds }
    return reply.header('set-cookie', stringifySetCookie(own))
  }
  const seen = new BoundedMap<string, true>(SEEN_MAX)
  const tokenOf = (request: FastifyRequest) => cookiesOf(request)[store.cookie]
  const forget = async (request: FastifyRequest) => {
    const token = tokenOf(request)
    if (token !== undefined) await store.end(token)
  }
  return {
    /** Null: there is no session, or it is over. */
    session: async (request: FastifyRequest): Promise<WithFormToken<Found> | null> => {
      const token = tokenOf(request)
      if (token === undefined) return null
      const formToken = formTokenOf(token)
      const found = await store.find(token)
      if (found) seen.set(formToken, true)
      else seen.delete(formToken)
      return found && { ...found, formToken }
    },
    /** Whether this process found a session the last time that it looked for this cookie. */
    hasSeen: (request: FastifyRequest): boolean => {
      const token = tokenOf(request)
      return token !== undefined && seen.get(formTokenOf(token)) === true
    },
    /**
     * `profile` is the language of the page's user if there is no session. The language of the address is
     * stored in a cookie, unless there is no `reply`, as for a refusal.
     */
    language: (
      request: FastifyRequest,
      reply: FastifyReply | null,
      session: { readonly locale?: Locale | null } | null,
      profile?: Locale | null,
    ): Locale => {
      const asked = queryOf(request, 'lang')
      if (reply && isLocale(asked)) setCookie(reply, cookie.language, asked, YEAR_SECONDS)
      const candidates = [asked, cookiesOf(request)[cookie.language], session?.locale, profile]
      return candidates.find(isLocale) ?? preferredLocale(request.headers['accept-language'], 'ar')
    },
    ...formCookie((reply, value) => setCookie(reply, cookie.answer, value, FORM_SECONDS), cookie.answer),
    begin: (reply: FastifyReply, sessionToken: string): void => {
      setCookie(reply, store.cookie, sessionToken, store.lastsMs / 1_000)
    },
    /** Ends the session of the request, before the answer begins another. */
    forget,
    end: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await forget(request)
      setCookie(reply, store.cookie, '', 0)
    },
    /** False: the form was not sent from a page of this service. */
    isFromHere,
    /** Throws `forbidden` where the form was not sent from a page of this session. */
    requireOwnForm: (request: FastifyRequest, { formToken }: WithFormToken<Found>): void => {
      const isOwn = isFromHere(request) && constantTimeEquals(formToken, fieldOf(request, 'form_token'))
      if (!isOwn) throw new BillingError('forbidden')
    },
  }
}

/** Keeps the result of a form in the cookie `name`, which `set` sets. */
function formCookie(set: (reply: FastifyReply, value: string) => void, name: string) {
  return {
    /** Stores the result for the next page. It must not be in an address, because it has what was typed. */
    keep: (reply: FastifyReply, session: FormSession, fields: Readonly<Record<string, string>>): void => {
      const value = JSON.stringify({ ...fields, of: session?.formToken ?? '' })
      set(reply, value)
    },
    /** Null: there is no result, or it belongs to another session. */
    savedForm: (request: FastifyRequest, session: FormSession): Readonly<Record<string, string>> | null => {
      const { of = '', ...fields } = readFormCookie(cookiesOf(request)[name])
      const isOwn = of === '' || of === session?.formToken
      return isOwn && Object.keys(fields).length > 0 ? fields : null
    },
  }
}

/** A browser may send anything. */
function readFormCookie(cookie = '{}'): Readonly<Record<string, string>> {
  try {
    const fields = Object.entries(Object(JSON.parse(cookie)))
    return Object.fromEntries(
      fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
    )
  } catch {
    return {}
  }
}

/** The names contain the path: `__Host-` demands the path `/`, and two services may share an origin. */
export function cookiesFor(publicUrl: string) {
  const secure = publicUrl.startsWith('https:')
  // Each path gets another name: a slash becomes a point, and other characters their number.
  const suffix = withoutSlash(new URL(publicUrl).pathname)
    .replace(/[^\w/-]/g, (character) => `~${character.charCodeAt(0).toString(16)}`)
    .replaceAll('/', '.')
  // `__Host-`: no neighbouring subdomain can plant a cookie of this name (RFC 6265bis, section 4.1.3.2).
  const prefix = secure ? '__Host-' : ''
  return {
    cookie: {
      session: `${prefix}ishtirak${suffix}`,
      console: `${prefix}ishtirak_console${suffix}`,
      ticket: `${prefix}ishtirak_ticket${suffix}`,
      language: `${prefix}ishtirak_lang${suffix}`,
      answer: `${prefix}ishtirak_answer${suffix}`,
    },
    // Lax: a link from elsewhere leads to a page that knows its reader; no page acts by GET.
    attributes: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  } as const
}

/** An unknown cookie counts against the address: anyone can make one up. */
export function callersBySession<Found extends object>(
  { limitAnonymous, limitUser }: CallerChecks,
  reader: SessionReader<Found>,
  nameOf: (session: Found) => string,
): Callers<WithFormToken<Found>> {
  return callersBy(async (request, reply) => {
    // An unknown cookie costs a query.
    if (!reader.hasSeen(request)) limitAnonymous(request, reply)
    const session = await reader.session(request)
    if (!session) throw new BillingError('unauthenticated')
    limitUser(nameOf(session), reply)
    return session
  })
}

export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      const form = new URLSearchParams(String(body))
      if ([...form.values()].every(isStorable)) done(null, form)
      else done(new BillingError('invalid_request'), undefined)
    },
  )
}

/** Derived from the secret in the cookie, so only its holder can make it, and nothing is stored. */
function formTokenOf(sessionToken: string): string {
  return digestOf(`form ${sessionToken}`)
}

/** Our pages send no referrer, so their forms have the origin "null". */
function comesFrom(ownOrigin: string) {
  return ({ headers }: FastifyRequest): boolean => {
    const site = headers['sec-fetch-site']
    return site === undefined
      ? [undefined, 'null', ownOrigin].includes(headers.origin)
      : site === 'same-origin'
  }
}

/** Whether a link on another site led here. A typed address did not come from a site. */
export function isFromAnotherSite({ headers }: FastifyRequest): boolean {
  return ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']))
}

export function cookiesOf({ headers }: FastifyRequest): Readonly<Record<string, string | undefined>> {
  return headers.cookie === undefined ? {} : parseCookie(headers.cookie)
}

/** A parameter of the query; undefined if it is missing or given twice. */
export function queryOf({ query }: FastifyRequest, name: string): string | undefined {
  const given: Readonly<Record<string, unknown>> = typeof query === 'object' ? { ...query } : {}
  const value = given[name]
  return typeof value === 'string' ? value : undefined
}

/** A field of a posted form; empty if it is missing. */
export function fieldOf(request: FastifyRequest, name: string): string {
  return request.body instanceof URLSearchParams ? (request.body.get(name) ?? '') : ''
}
