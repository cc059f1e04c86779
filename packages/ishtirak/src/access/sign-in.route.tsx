// Sign-in to the console by an operator's key, and sign-out. (`issuer.route.tsx` signs in by an issuer.) Each
// network may send five wrong keys a minute.

import { BillingError } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { App } from '../http/app.js'
import { createTryLimit, networkOf } from '../http/callers.js'
import { consoleSay, type SayConsole } from '../i18n/console.js'
import { goTo, renderConsole, sendPage, startFor } from '../pages/console-frame.js'
import { LinkButton, SubmitButton } from '../pages/portal-frame.js'
import { fieldOf, queryOf } from '../pages/reader.js'
import { type AccessPages, ISSUER_PATH, type Issuer } from './issuer.js'
import { hasKeys } from './operators.js'
import { signIn, signOut } from './sessions.js'

/** The wrong keys a minute of one network. */
const WRONG_KEYS = 5

const hidden = { schema: { hide: true } }

export function signInRoutes(app: App, pages: AccessPages): void {
  const { reader, operatorsHere } = pages
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
    return goTo(pages, reply, await startFor(pages, operator, to))
  })

  app.post('/console/sign-out', { ...hidden, onRequest: operatorsHere.onRequest }, async (request, reply) => {
    const session = operatorsHere.of(request)
    reader.requireOwnForm(request, session)
    await signOut(pages, session)
    await reader.end(request, reply)
    return goTo(pages, reply, '/console/sign-in')
  })
}

/** `url` is of the page that was asked for, without the path that a proxy adds. */
export function signInPath({ base }: { readonly base: string }, url: string): string {
  const to = targetOf(url)
  return `${base}/console/sign-in${to === HOME ? '' : `?to=${encodeURIComponent(to)}`}`
}

const HOME = '/console'

/**
 * Only pages of the console: the sign-in leads nowhere else, also not by `..`. A longer address would fit
 * neither into the cookie that keeps it on the way to an issuer nor into the headers that proxies accept.
 */
export function targetOf(path: string | undefined): string {
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
        {issuer === null ? null : <IssuerLink {...{ pages, to, say }} issuer={issuer} />}
        {byKey && <KeyForm {...{ base, locale, to, isWrong, say }} />}
      </section>
    ),
  })
}

function IssuerLink(of: { pages: AccessPages; issuer: Issuer; to: string; say: SayConsole }) {
  const { pages, issuer, to, say } = of
  const query = to === HOME ? '' : `?to=${encodeURIComponent(to)}`
  return (
    <p class="actions">
      <LinkButton
        href={`${pages.base}${ISSUER_PATH}${query}`}
        label={say('signInWith', { issuer: issuer.host })}
        go
      />
    </p>
  )
}

function KeyForm(of: { base: string; locale: Locale; to: string; isWrong: boolean; say: SayConsole }) {
  const { base, locale, to, isWrong, say } = of
  return (
    <form method="post" action={`${base}/console/sign-in?lang=${locale}`}>
      {isWrong ? (
        <p class="over" id="wrong" safe>
          {say('wrongKey')}
        </p>
      ) : null}
      <input type="hidden" name="to" value={to} />
      <label>
        <span safe>{say('operatorKey')}</span>
        <input
          type="password"
          name="key"
          required
          autocomplete="current-password"
          dir="ltr"
          {...(isWrong && { 'aria-invalid': 'true', 'aria-describedby': 'wrong' })}
        />
      </label>
      <SubmitButton label={say('signIn')} />
    </form>
  )
}
