// The console: pages for operators, put together from the parts of capabilities. A page decides nothing: an
// act decides who may do it and what it changes.
import type { FastifyRequest } from 'fastify'
import type { ActDeps } from '../acts/act.js'
import { actPages } from '../acts/act-console.js'
import { linkedFiles } from '../acts/act-routes.js'
import { actsOf, type Capability, type ConsoleParts, readingsOf } from '../acts/capability.js'
import { recordRefusals } from '../acts/refusals.js'
import { type BillingError, ERRORS } from '../core/error.js'
import { SECOND } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { isRole } from '../core/role.js'
import type { App } from '../http/app.js'
import type { RefusalPages } from '../http/problem.js'
import { inList } from '../i18n/formats.js'
import { CATALOGS, consoleSay, problemInWords, type SayConsole, sayFor } from '../i18n/messages.js'
import type { OverviewDeps } from '../limits/overview.js'
import type { AllPages, ConsoleDeps } from '../overview/all-pages.js'
import {
  addressOf,
  type ConsolePages,
  type ConsoleSignIn,
  renderConsole,
  type View,
} from '../pages/console-frame.js'
import { obstaclesInWords } from '../pages/console-words.js'
import { LinkButton } from '../pages/parts.js'
import { pageHeaders, styleWith } from '../pages/portal-frame.js'
import type { ViewAsUser } from '../pages/portal-kinds.js'
import { acceptForms, callersBySession, cookiesFor, createSessionReader } from '../pages/reader.js'
import { withoutSlash } from '../runtime/http-client.js'
import { paymentRoutes } from './payment-page.js'
import { userRoutes } from './user-page.js'

export function consoleRoutes<Deps extends ConsoleDeps & OverviewDeps & ActDeps>(
  deps: Deps & { readonly viewAsUser: ViewAsUser; readonly signIn: ConsoleSignIn },
  capabilities: readonly Capability<Deps>[],
) {
  const store = { ...deps.signIn, cookie: cookiesFor(deps.publicUrl).cookie.console }
  const reader = createSessionReader(store, deps.publicUrl)
  const style = styleWith(deps.seller.shop.color)
  const acts = actsOf(capabilities)
  const shared: AllPages & Deps & { readonly viewAsUser: ViewAsUser } & ConsoleParts<Deps> = {
    ...deps,
    sections: capabilities.flatMap(({ sections = [] }) => sections).sort((a, b) => a.order - b.order),
    acts,
    healthCards: capabilities.flatMap(({ health }) => (health ? [(view: View) => health(shared, view)] : [])),
    reader,
    // No user's id has a control character.
    operatorsHere: callersBySession(deps, reader, ({ operator }) => `\0${operator.name}`),
    base: withoutSlash(new URL(deps.publicUrl).pathname),
    style,
    headers: pageHeaders(style, "'none'", "form-action 'self'", "object-src 'self'", "frame-src 'self'"),
  }
  return async (app: App): Promise<void> => {
    acceptForms(app)
    app.refuseWithPages(refusalPages(shared))
    const nameOf = (request: FastifyRequest) => shared.operatorsHere.find(request)?.operator.name ?? null
    recordRefusals(app, deps.recordRefusal, nameOf)
    actPages(app, shared)
    linkedFiles(app, shared, readingsOf(capabilities))
    for (const { console } of capabilities) console?.(app, shared)
    paymentRoutes(app, shared)
    userRoutes(app, shared)
  }
}

/** Refusals are answered with pages; an operator who is not signed in is sent to the sign-in. */
function refusalPages(pages: AllPages): RefusalPages {
  return {
    isPage: (path) => /^\/console(?![\w.-])/.test(path),
    send: (request, reply, error: BillingError) => {
      if (error.code === 'unauthenticated' && request.method === 'GET')
        return reply.headers(pages.headers).redirect(pages.signIn.pathFor(pages.base, request.url), 303)
      if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds))
      return reply
        .code(ERRORS[error.code])
        .headers(pages.headers)
        .send(refusalPage(pages, error, request))
    },
  }
}

function refusalPage(pages: ConsolePages, error: BillingError, request: FastifyRequest): string {
  const session = pages.operatorsHere.find(request)
  const locale = pages.reader.language(request, null, null)
  const say = consoleSay(locale)
  const held = obstaclesInWords({ say, locale }, error.extra)
  const title = held === '' ? CATALOGS[locale].error[error.code].title : say('heldTitle')
  const sayAll = sayFor(pages.seller.identity, locale)
  const wait = error.retryAfterSeconds
  // An address that leads nowhere is refused before the session is read.
  const isKnown = session !== null || error.code === 'not_found'
  return renderConsole(pages, {
    locale,
    session,
    title,
    languagePath: `${pages.base}/console`,
    safeContent: (
      <section class="middle card">
        <h1 safe>{title}</h1>
        <p safe>{held === '' ? textOf(pages, error, locale, say) : say('heldText', { held })}</p>
        {wait === undefined ? null : (
          <p safe>{sayAll('tryAgainIn', { time: pages.formats.timeLeft(wait * SECOND, locale) })}</p>
        )}
        <p class="actions">
          <LinkButton
            {...(isKnown
              ? backFrom(pages, say, error, request.params)
              : { href: `${pages.base}/console`, label: say('signIn') })}
            go
          />
        </p>
        <p class="small soft">
          <span safe>{say('requestNumber')}</span> <code safe>{request.id}</code>
        </p>
      </section>
    ),
  })
}

/** The button leads to the payment or user that the refused request was about, else to the inbox. */
function backFrom({ base }: ConsolePages, say: SayConsole, { code }: BillingError, params: unknown) {
  const { payment_id: payment, user_id: user } = (params ?? {}) as Partial<Record<string, string>>
  if (code !== 'not_found' && payment !== undefined)
    return { href: addressOf(base, 'payments', payment), label: say('backToPayment') }
  if (code !== 'not_found' && user !== undefined)
    return { href: addressOf(base, 'users', user), label: say('backToUser') }
  return { href: `${base}/console`, label: say('backToInbox') }
}

function textOf(pages: ConsolePages, error: BillingError, locale: Locale, say: SayConsole): string {
  const { code, extra, problems } = error
  const text = pages.signIn.refusalText(error, say)
  if (text !== null) return text
  if (code === 'forbidden') return say('staleForm')
  if (problems.length > 0)
    return problems.map((one) => `${one.pointer.slice(1)}: ${problemInWords(one, locale)}`).join(' ')
  if (code === 'not_found') return say('nothingHere')
  if (code !== 'role_not_allowed' || !Array.isArray(extra.roles)) return CATALOGS[locale].error[code].detail
  const roles = extra.roles.filter(isRole).map((role) => say(`role_${role}`))
  return say('roleNotAllowedText', { roles: inList(roles, locale) })
}
