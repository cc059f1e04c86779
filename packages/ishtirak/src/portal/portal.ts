// What people see: the portal, the way into it, the page after paying. A floor of its own in spirit (it translates between
// people and billing, as the JSON routes do between programs and billing), it lives in a folder of http, because it stands
// on http's app, its refusals and its rate limit. Nothing here decides about money.
import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BillingError, ERRORS } from '../core/error.js'
import type { Seller } from '../core/receipt.js'
import type { Terms } from '../core/subscription.js'
import type { App } from '../http/app.js'
import { isStorable } from '../http/body.js'
import type { CallerChecks } from '../http/callers.js'
import { type Callers, callersBy } from '../http/callers.js'
import type { RefusalPages } from '../http/failures.js'
import type { Formats } from '../i18n/formats.js'
import type { Billing } from '../main/billing.js'
import { frontRoute } from './front-page.js'
import { linkRoutes } from './link.route.js'
import { refusalPage } from './message-pages.js'
import { portalRoutes } from './portal.route.js'
import { createReader, type Reader, type Session } from './reader.js'
import { returnRoutes } from './return.route.js'
import { signInRoutes } from './sign-in.route.js'
import { askForLinkPage } from './sign-in-pages.js'
import { pageHeaders, styleWith } from './style.js'

export interface PagesParts extends CallerChecks {
  readonly billing: Billing
  readonly publicUrl: string
  readonly platformUrl: string
  readonly frameAncestors: string
  readonly formats: Formats
  readonly terms: Terms
  readonly seller: Seller
  /** The platform's page that opens the portal for a user who is logged in there; null: it has none. */
  readonly platformPortalUrl: string | null
  /** There is a mail server, so users can be sent a link into the portal. */
  readonly mailsLinks: boolean
  /** Counts a request for such a link, by address. */
  admitLinkRequest(request: FastifyRequest, reply: FastifyReply): void
}

/** What the routes of the pages share. */
export interface Pages extends PagesParts {
  readonly reader: Reader
  /** Those with a session, each counted against the quota of its user. */
  readonly users: Callers<Session>
  readonly headers: Readonly<Record<string, string>>
  /** The style sheet with the seller's color. */
  readonly style: string
  /** The path under which a proxy may have put us, as in PUBLIC_URL; empty at the root of a host. */
  readonly base: string
  /** The platform, at the page where this session came from. */
  backUrl(session: Session | null): string
}

export function pages(parts: PagesParts) {
  const reader = createReader(parts.billing.portal, parts.publicUrl)
  const style = styleWith(parts.seller.shop.color)
  const shared: Pages = {
    ...parts,
    reader,
    users: callersBySession(parts, reader),
    base: new URL(parts.publicUrl).pathname.replace(/\/$/, ''),
    style,
    headers: pageHeaders(style, parts.frameAncestors),
    backUrl: (session) => `${parts.platformUrl}${session?.returnPath ?? ''}`,
  }
  return async (app: App): Promise<void> => {
    await app.register(fastifyCookie)
    acceptForms(app)
    app.refuseWithPages(refusalPages(shared))
    frontRoute(app, shared)
    linkRoutes(app, shared)
    portalRoutes(app, shared)
    returnRoutes(app, shared)
    if (shared.mailsLinks) signInRoutes(app, shared)
  }
}

function callersBySession({ limitAnonymous, limitUser }: PagesParts, reader: Reader): Callers<Session> {
  return callersBy(async (request, reply) => {
    // Anybody can make up a cookie, and each costs a look at the database: the first one is the address's to pay.
    if (!reader.hasSeen(request)) limitAnonymous(request, reply)
    const session = await reader.session(request)
    if (!session) throw new BillingError('unauthenticated')
    limitUser(session.userId, reply)
    return session
  })
}

/** Forms of our pages, and JSON, which the app reads already. */
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
        .send(
          error.code === 'unauthenticated' && pages.mailsLinks
            ? askForLinkPage(pages, locale)
            : refusalPage(pages, { error, session, locale, requestId: request.id }),
        )
    },
  }
}
