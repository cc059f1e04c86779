// Users enter the portal by a link that works once, from the platform or by mail, and leave by a button. The
// platform's link is followed by GET; a browser that prefetches it says so and uses nothing up, and a HEAD is
// refused. A link never replaces another user's session by itself: anyone can send a link to their own
// account, and a user who follows it would pay for it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { EMAIL_MAX, isEmail, typedEmail } from '../core/email.js'
import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import { networkOf } from '../http/callers.js'
import { answerForm, noticePage, signInPage, switchPage } from '../pages/message-pages.js'
import { portalForm } from '../pages/portal-form.js'
import type { Pages } from '../pages/portal-frame.js'
import { fieldOf, type PortalSession, queryOf } from '../pages/reader.js'
import type { PortalPages } from './portal-pages.js'
import { askForPortalLink, enterPortal, findLink } from './portal-sessions.sql.js'

const hidden = { schema: { hide: true } }

export function linkRoutes(app: App, pages: Pages): void {
  const { reader, limitAnonymous } = pages

  app.get('/portal/open', { ...hidden, exposeHeadRoute: false }, async (request, reply) => {
    limitAnonymous(request, reply)
    // 503: a browser discards it, and asks again when the user follows the link.
    if (isPrefetch(request)) return reply.code(503).headers(pages.headers).send('')
    const token = tokenIn(request)
    const session = await reader.session(request)
    const link = await findLink(pages, token)
    if (session && link && !isSameActor(link, session)) {
      const locale = reader.language(request, reply, session)
      return reply.headers(pages.headers).send(switchPage(pages, { session, link, token, locale }))
    }
    // If there is a session, this is the second click on a link that began it.
    if ((await enter(pages, reply, token)) || session) return toPortal(pages, reply)
    const locale = reader.language(request, reply, session)
    const notice = queryOf(request, 'mailed') === undefined ? 'linkOver' : 'mailedLinkOver'
    return reply
      .code(410)
      .headers(pages.headers)
      .send(noticePage(pages, locale, notice))
  })

  // A form of another site comes without the cookie (SameSite=Lax), and its token belongs to this session.
  const open = { path: '/portal/open', forReaders: true }
  portalForm(app, pages, open, async ({ request, reply, session, field }) => {
    if (!(await enter(pages, reply, field('token'))))
      return answerForm(pages, reply, session, { page: 'linkOver' })
    await reader.forget(request)
    return '/portal'
  })

  const leave = { path: '/portal/leave', forReaders: true }
  portalForm(app, pages, leave, async ({ request, reply, session }) => {
    await reader.end(request, reply)
    return pages.backUrl(session)
  })
}

function isSameActor(one: PortalSession, other: PortalSession): boolean {
  return one.userId === other.userId && one.personId === other.personId
}

/**
 * Users who are not logged in, such as after a button in a mail, enter their e-mail address and get a link by
 * mail. Each address is noted by one row, known or not, so neither the answer nor its time tells which it is.
 */
export function mailedLinkRoutes(app: App, pages: PortalPages): void {
  const { reader, database, clock, ids } = pages

  app.post('/portal/link', hidden, async (request, reply) => {
    pages.admitLinkRequest(networkOf(request.ip), reply)
    // Otherwise the visitors of another site could make us send mail.
    if (!reader.isFromHere(request)) throw new BillingError('forbidden')
    // The form's address names the language of its page.
    reader.language(request, reply, null)
    const email = typedEmail(fieldOf(request, 'email'))
    if (!isEmail(email)) return answerForm(pages, reply, null, { email: email.slice(0, EMAIL_MAX) })
    await askForPortalLink(database, ids.next('lnk', clock.now()), email)
    return answerForm(pages, reply, null, { page: 'linkSent' })
  })

  // Programs that check mail follow each link in it, so the page has a button that leads to `/portal/open`.
  app.get('/portal/sign-in', { ...hidden, exposeHeadRoute: false }, async (request, reply) => {
    pages.limitAnonymous(request, reply)
    const locale = reader.language(request, reply, null)
    return reply.headers(pages.headers).send(signInPage(pages, locale, tokenIn(request)))
  })
}

async function enter(pages: Pages, reply: FastifyReply, linkToken: string): Promise<boolean> {
  const sessionToken = await enterPortal(pages, linkToken)
  if (sessionToken !== null) pages.reader.begin(reply, sessionToken)
  return sessionToken !== null
}

function toPortal({ base, headers }: Pages, reply: FastifyReply): FastifyReply {
  return reply.headers(headers).redirect(`${base}/portal`, 303)
}

/** Empty if it is missing, which is the secret of no link. */
const tokenIn = (request: FastifyRequest) => queryOf(request, 'token') ?? ''

/** `Sec-Purpose: prefetch` in current browsers, `Purpose` and `X-Moz` in older ones. */
function isPrefetch({ headers }: FastifyRequest): boolean {
  return [headers['sec-purpose'], headers.purpose, headers['x-moz']].some((value) =>
    String(value ?? '').includes('prefetch'),
  )
}
