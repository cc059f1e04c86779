// What users see: the portal, the way into it, the page after paying. Nothing here decides about money.
import type { FastifyInstance } from 'fastify'
import { BillingError, ERRORS } from '../core/error.js'
import type { App } from '../http/app.js'
import { isStorable } from '../http/body.js'
import { type CallerChecks, type Callers, callersBy } from '../http/callers.js'
import type { RefusalPages } from '../http/failures.js'
import { withoutSlash } from '../runtime/http-client.js'
import { linkRoutes, mailedLinkRoutes } from './link.route.js'
import { refusalPage } from './message-pages.js'
import type { Pages, PagesDeps } from './pages.js'
import { portalRoutes } from './portal.route.js'
import { createReader, type Reader, type Session } from './reader.js'
import { returnRoutes } from './return.route.js'
import { pageHeaders, styleWith } from './style.js'

export function pages(deps: PagesDeps) {
  const reader = createReader(deps, deps.publicUrl)
  const style = styleWith(deps.seller.shop.color)
  const shared: Pages = {
    ...deps,
    reader,
    users: callersBySession(deps, reader),
    base: withoutSlash(new URL(deps.publicUrl).pathname),
    style,
    headers: pageHeaders(style, deps.frameAncestors),
    backUrl: (session) => `${deps.platformUrl}${session?.returnPath ?? ''}`,
  }
  return async (app: App): Promise<void> => {
    acceptForms(app)
    app.refuseWithPages(refusalPages(shared))
    linkRoutes(app, shared)
    portalRoutes(app, shared)
    returnRoutes(app, shared)
    if (shared.mailsLinks) mailedLinkRoutes(app, shared)
  }
}

function callersBySession({ limitAnonymous, limitUser }: CallerChecks, reader: Reader): Callers<Session> {
  return callersBy(async (request, reply) => {
    // Anyone can make up a cookie, and each costs a look at the database: the first one counts against the address.
    if (!reader.hasSeen(request)) limitAnonymous(request, reply)
    const session = await reader.session(request)
    if (!session) throw new BillingError('unauthenticated')
    limitUser(session.userId, reply)
    return session
  })
}

/** Forms of the pages, and JSON, which the app reads already. */
function acceptForms(app: FastifyInstance): void {
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

/** A refusal as a page in the reader's language, with a way on. */
function refusalPages(pages: Pages): RefusalPages {
  return {
    // A broken escape may follow the name.
    isPage: (path) => /^\/(portal|billing\/return)(?![\w.-])/.test(path),
    send: (request, reply, error) => {
      const session = pages.users.find(request)
      const locale = pages.reader.languageOfRefusal(request, session)
      if (error.code === 'unauthenticated' && request.method === 'GET' && pages.platformPortalUrl !== null)
        return reply.headers(pages.headers).redirect(pages.platformPortalUrl, 303)
      if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds))
      return reply
        .code(ERRORS[error.code].status)
        .headers(pages.headers)
        .send(refusalPage(pages, { error, session, locale, requestId: request.id }))
    },
  }
}
