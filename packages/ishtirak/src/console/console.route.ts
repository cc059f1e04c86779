// The console: pages for operators, put together from what capabilities bring. A page decides nothing: what a
// role may do, and what an act changes, its act decides.
import type { FastifyRequest } from 'fastify'
import type { ActDeps } from '../acts/act.js'
import { actPages } from '../acts/act-console.js'
import { actsOf, type BroughtToConsole, type Capability } from '../acts/capability.js'
import { recordRefusals } from '../acts/refusals.js'
import { type BillingError, ERRORS } from '../core/error.js'
import type { App } from '../http/app.js'
import type { RefusalPages } from '../http/problem.js'
import { consoleSay } from '../i18n/console.js'
import type { OverviewDeps } from '../limits/overview.js'
import type { AllPages, ConsoleDeps } from '../overview/all-pages.js'
import type { ConsoleSignIn, View } from '../pages/console-frame.js'
import { pageHeaders, styleWith } from '../pages/portal-frame.js'
import type { ViewAsUser } from '../pages/portal-kinds.js'
import { acceptForms, callersBySession, cookiesFor, createSessionReader } from '../pages/reader.js'
import { consoleRefusalPage } from '../pages/refusal-page.js'
import { withoutSlash } from '../runtime/http-client.js'
import { paymentRoutes } from './payment-page.js'
import { userRoutes } from './user.route.js'

export function consoleRoutes<Deps extends ConsoleDeps & OverviewDeps & ActDeps>(
  deps: Deps & { readonly viewAsUser: ViewAsUser; readonly signIn: ConsoleSignIn },
  capabilities: readonly Capability<Deps>[],
) {
  const store = { ...deps.signIn, cookie: cookiesFor(deps.publicUrl).cookie.console }
  const reader = createSessionReader(store, deps.publicUrl)
  const style = styleWith(deps.seller.shop.color)
  const acts = actsOf(capabilities)
  const shared: AllPages & Deps & { readonly viewAsUser: ViewAsUser } & BroughtToConsole<Deps> = {
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
    recordRefusals(app, deps.recordRefusal, (request) => nameOf(shared, request))
    actPages(app, shared, acts)
    for (const { console } of capabilities) console?.(app, shared)
    paymentRoutes(app, shared)
    userRoutes(app, shared)
  }
}

function nameOf({ operatorsHere }: AllPages, request: FastifyRequest): string | null {
  return operatorsHere.find(request)?.operator.name ?? null
}

/** A refusal as a page. A reader who is not signed in is sent to the sign-in, and back from there. */
function refusalPages(pages: AllPages): RefusalPages {
  return {
    isPage: (path) => /^\/console(?![\w.-])/.test(path),
    send: (request, reply, error: BillingError) => {
      const session = pages.operatorsHere.find(request)
      const locale = pages.reader.language(request, null, null)
      if (error.code === 'unauthenticated' && request.method === 'GET')
        return reply.headers(pages.headers).redirect(pages.signIn.pathFor(pages.base, request.url), 303)
      if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds))
      const view = { session, locale, say: consoleSay(locale) }
      return reply
        .code(ERRORS[error.code])
        .headers(pages.headers)
        .send(consoleRefusalPage(pages, view, error, request))
    },
  }
}
