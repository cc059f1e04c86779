// In by a link that works once, out by a button. The link is followed by GET, as people expect of a link; a browser that
// only fetches ahead says so and uses nothing up, and a HEAD is not taken. A link never replaces another user's session by
// itself: anybody can send a link to their own account, and who follows it would pay for them.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import { linkOverPage, switchPage } from './message-pages.js'
import type { Pages } from './pages.js'
import { enterPortal, findLink } from './portal-sessions.js'
import { fieldOf, queryOf, type Session } from './reader.js'

export function linkRoutes(app: App, pages: Pages): void {
  const { reader, users, limitAnonymous } = pages
  const hidden = { schema: { hide: true } }
  const enter = async (reply: FastifyReply, linkToken: string): Promise<boolean> => {
    const sessionToken = await enterPortal(pages, linkToken)
    if (sessionToken !== null) reader.begin(reply, sessionToken)
    return sessionToken !== null
  }

  app.get('/portal/open', { ...hidden, exposeHeadRoute: false }, async (request, reply) => {
    limitAnonymous(request, reply)
    // 503: a browser throws away what it fetched ahead and got no good answer to, and asks again when it is meant.
    if (isFetchedAhead(request)) return reply.code(503).headers(pages.headers).send('')
    const { token } = queryOf(request)
    const session = await reader.session(request)
    const link = typeof token === 'string' ? await findLink(pages, token) : null
    if (session && link && link.userId !== session.userId) {
      const locale = reader.language(request, reply, session)
      return reply
        .headers(pages.headers)
        .send(switchPage(pages, { session, link, token: String(token), locale }))
    }
    const hasEntered = typeof token === 'string' && (await enter(reply, token))
    // With a session: the second click on a link that has already let this browser in.
    if (hasEntered || session) return reply.headers(pages.headers).redirect(`${pages.base}/portal`, 303)
    const locale = reader.language(request, reply, session)
    return reply.code(410).headers(pages.headers).send(linkOverPage(pages, locale))
  })

  // The answer to the question. Browsers send the session's cookie with no form of another site (SameSite=Lax), and the
  // form's token is of the session that is given up.
  app.post('/portal/open', { ...hidden, onRequest: users.onRequest }, async (request, reply) => {
    const session = users.of(request)
    requireOwnForm(pages, request, session)
    if (await enter(reply, fieldOf(request, 'token'))) {
      await reader.forget(request)
      return reply.headers(pages.headers).redirect(`${pages.base}/portal`, 303)
    }
    const locale = reader.language(request, reply, session)
    return reply.code(410).headers(pages.headers).send(linkOverPage(pages, locale))
  })

  app.post('/portal/leave', { ...hidden, onRequest: users.onRequest }, async (request, reply) => {
    const session = users.of(request)
    requireOwnForm(pages, request, session)
    await reader.end(request, reply)
    return reply.headers(pages.headers).redirect(pages.backUrl(session), 303)
  })
}

/** What changes something must come from a page of this very session. */
export function requireOwnForm({ reader }: Pages, request: FastifyRequest, session: Session): void {
  if (!reader.isOwnForm(request, session)) throw new BillingError('forbidden')
}

/** `Sec-Purpose: prefetch` in current browsers, `Purpose` and `X-Moz` in older ones. */
function isFetchedAhead({ headers }: FastifyRequest): boolean {
  return [headers['sec-purpose'], headers.purpose, headers['x-moz']].some((value) =>
    String(value ?? '').includes('prefetch'),
  )
}
