// Sign-in to the console, by an operator's key or by the issuer, and sign-out. Each network may send five
// wrong keys a minute. To the issuer the browser goes out with a ticket in a cookie, and comes back.
import { stringifySetCookie } from 'cookie'
import type { FastifyReply } from 'fastify'
import { BillingError } from '../core/error.js'
import { SECOND } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { App } from '../http/app.js'
import { createTryLimit, networkOf } from '../http/callers.js'
import { consoleSay, type SayConsole } from '../i18n/messages.js'
import { type ConsoleSignIn, goTo, renderConsole, sendPage } from '../pages/console-frame.js'
import { Input } from '../pages/field.js'
import { LinkButton, SubmitButton } from '../pages/parts.js'
import { cookiesFor, cookiesOf, fieldOf, queryOf } from '../pages/reader.js'
import {
  type AccessPageDeps,
  type AccessPages,
  ISSUER_PATH,
  type Issuer,
  RETURN_PATH,
  type SignInRefusal,
  signInByIssuer,
  TICKET_MS,
} from './issuer.js'
import { hasKeys, roleNames } from './operators.js'
import { findOperatorSession, OPERATOR_SESSION_MS, signIn, signOut } from './sessions.js'

/** The wrong keys a minute of one network. */
const WRONG_KEYS = 5
/** The refusals in a minute from one network, because each sign-in calls the issuer. */
const REFUSED_MOST = 10

const hidden = { schema: { hide: true } }

export function signInRoutes(app: App, pages: AccessPages): void {
  const { reader, operatorsHere } = pages
  if (pages.issuer) issuerRoutes(app, pages, pages.issuer)
  const wrongKeys = createTryLimit({ clock: pages.clock, most: WRONG_KEYS })

  app.get('/console/sign-in', hidden, async (request, reply) => {
    pages.limitAnonymous(request, reply)
    const to = targetOf(queryOf(request, 'to'))
    if (await reader.session(request)) return goTo(pages, reply, to)
    const locale = reader.language(request, reply, null)
    const byKey = await hasKeys(pages)
    return sendPage(pages, reply, signInPage(pages, { locale, to, byKey, isWrong: false }))
  })

  app.post('/console/sign-in', hidden, async (request, reply) => {
    pages.limitAnonymous(request, reply)
    // Otherwise another site could sign an operator in under another name.
    if (!reader.isFromHere(request)) throw new BillingError('forbidden')
    const network = networkOf(request.ip)
    wrongKeys.check(network)
    const to = targetOf(fieldOf(request, 'to'))
    const key = fieldOf(request, 'key').trim()
    const operator = await pages.operatorKeyRing.find(key)
    if (operator === null) {
      wrongKeys.count(network)
      await pages.recordRefusal(new BillingError('invalid_operator_key'), null)
      const locale = reader.language(request, reply, null)
      const asked = { locale, to, byKey: true, isWrong: true }
      return sendPage(pages, reply.code(401), signInPage(pages, asked))
    }
    await reader.forget(request)
    reader.begin(reply, await signIn(pages, operator, { key }))
    return goTo(pages, reply, to)
  })

  app.post('/console/sign-out', { ...hidden, onRequest: operatorsHere.onRequest }, async (request, reply) => {
    const session = operatorsHere.of(request)
    reader.requireOwnForm(request, session)
    await signOut(pages, session)
    await reader.end(request, reply)
    return goTo(pages, reply, '/console/sign-in')
  })
}

function issuerRoutes(app: App, pages: AccessPages, issuer: Issuer): void {
  const { reader } = pages
  const refused = createTryLimit({ clock: pages.clock, most: REFUSED_MOST })
  const { cookie, attributes } = cookiesFor(pages.publicUrl)
  // Lax, because the issuer sends the browser back from another site.
  const keepTicket = (reply: FastifyReply, value: string, maxAge: number) =>
    reply.header('set-cookie', stringifySetCookie({ ...attributes, name: cookie.ticket, value, maxAge }))

  app.get(ISSUER_PATH, hidden, async (request, reply) => {
    pages.limitAnonymous(request, reply)
    const to = targetOf(queryOf(request, 'to'))
    if (await reader.session(request)) return goTo(pages, reply, to)
    // Otherwise another site could sign in a person that the issuer already knows.
    if (!reader.isFromHere(request)) return reply.headers(pages.headers).redirect(signInPath(pages, to), 303)
    const { url, ticket } = await issuer.begin(to)
    keepTicket(reply, ticket, TICKET_MS / SECOND)
    return reply.headers(pages.headers).redirect(url, 303)
  })

  app.get(RETURN_PATH, hidden, async (request, reply) => {
    pages.limitAnonymous(request, reply)
    const network = networkOf(request.ip)
    refused.check(network)
    const ticket = cookiesOf(request)[cookie.ticket] ?? ''
    keepTicket(reply, '', 0)
    const [, query = ''] = request.url.split(/\?(.*)/s)
    const { token, to } = await signInByIssuer({ ...pages, issuer }, { ticket, query }).catch(
      (error: unknown) => {
        if (error instanceof BillingError) refused.count(network)
        throw error
      },
    )
    await reader.forget(request)
    reader.begin(reply, token)
    return goTo(pages, reply, targetOf(to))
  })
}

/** `url` is the page that was asked for, without the path that a proxy adds. */
const signInPath = ({ base }: { readonly base: string }, url: string) =>
  base + withTarget('/console/sign-in', targetOf(url))

const withTarget = (path: string, to: string) => (to === HOME ? path : `${path}?to=${encodeURIComponent(to)}`)

const HOME = '/console'

/**
 * Only pages of the console: the sign-in leads nowhere else, also not by `..`. A longer address would fit
 * neither into the cookie that keeps it on the way to an issuer nor into the headers that proxies accept.
 */
function targetOf(path: string | undefined): string {
  if (path === undefined || !/^\/console(?:[/?][\w/.?=&%+:,~@!*-]{0,1000})?$/.test(path)) return HOME
  const { pathname, search } = new URL(path, 'http://localhost')
  return /^\/console(?:\/|$)/.test(pathname) ? `${pathname}${search}` : HOME
}

function signInPage(
  pages: AccessPages,
  of: { locale: Locale; to: string; byKey: boolean; isWrong: boolean },
): string {
  const { locale, to, byKey, isWrong } = of
  const say = consoleSay(locale)
  const { base, issuer } = pages
  return renderConsole(pages, {
    locale,
    session: null,
    title: say('signInTitle'),
    languagePath: signInPath(pages, to),
    safeContent: (
      <section class="middle card">
        <h1 safe>{say('signInTitle')}</h1>
        <p safe>{say('sessionText')}</p>
        {issuer === null ? null : (
          <p class="actions">
            <LinkButton
              href={base + withTarget(ISSUER_PATH, to)}
              label={say('signInWith', { issuer: issuer.host })}
              go
            />
          </p>
        )}
        {byKey && <KeyForm {...{ base, locale, to, isWrong, say }} />}
      </section>
    ),
  })
}

function KeyForm(of: { base: string; locale: Locale; to: string; isWrong: boolean; say: SayConsole }) {
  const { base, locale, to, isWrong, say } = of
  const wrong = { typed: {}, problems: [{ pointer: '/key', code: 'invalid' as const }] }
  return (
    <form method="post" action={`${base}/console/sign-in?lang=${locale}`}>
      <input type="hidden" name="to" value={to} />
      <Input
        {...{ view: { locale }, sent: isWrong ? wrong : null }}
        field={{
          ...{ name: 'key', label: say('operatorKey'), value: '', type: 'password' },
          ...{ autocomplete: 'current-password', explain: () => say('wrongKey') },
        }}
        isRequired
      />
      <SubmitButton label={say('signIn')} />
    </form>
  )
}

export function consoleSignIn(deps: AccessPageDeps): ConsoleSignIn {
  return {
    find: (token) => findOperatorSession(deps, token),
    end: async (token) => {
      const session = await findOperatorSession(deps, token)
      if (session) await signOut(deps, session)
    },
    lastsMs: OPERATOR_SESSION_MS,
    pathFor: (base, url) => signInPath({ base }, url),
    refusalText: (error, say) => signInRefusal(deps, error, say),
  }
}

function signInRefusal(deps: AccessPageDeps, { code, extra }: BillingError, say: SayConsole): string | null {
  const issuer = deps.issuer?.host ?? ''
  if (code === 'authentication_unavailable') return say('issuerUnavailable', { issuer })
  if (code !== 'sign_in_refused') return null
  // Written by `refusal` of issuer.ts.
  return say(`refused_${extra.reason as SignInRefusal}`, {
    issuer,
    claim: String(extra.claim),
    roles: roleNames(deps).join(', '),
  })
}
