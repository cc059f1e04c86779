// The way into the portal for users who are not logged in, such as from a button in a mail: they give their e-mail address
// and get a link by mail. The answer is the same whether the address is known or not, and takes the same time.
import type { FastifyReply } from 'fastify'
import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import { askForLinkPage, linkSentPage, mailedLinkOverPage, signInPage } from './message-pages.js'
import type { Pages } from './pages.js'
import { enterPortal, mailPortalLink } from './portal-sessions.js'
import { fieldOf, queryOf } from './reader.js'

/** RFC 5321 allows no longer address; what has no @ is a slip that is worth a second try. */
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/

export function signInRoutes(app: App, pages: Pages): void {
  const { reader } = pages
  const hidden = { schema: { hide: true } }

  app.post('/portal/link', hidden, async (request, reply) => {
    pages.admitLinkRequest(request, reply)
    const locale = reader.language(request, reply, null)
    const email = fieldOf(request, 'email').trim()
    const isAddress = EMAIL.test(email)
    if (isAddress) await mailPortalLink(pages, email)
    reply.code(isAddress ? 200 : 422).headers(pages.headers)
    return reply.send(isAddress ? linkSentPage(pages, locale) : askForLinkPage(pages, locale, email))
  })

  // With a session the question may be whether to change it, which is for the link of the platform to ask.
  const openInstead = (reply: FastifyReply, token: string) =>
    reply.headers(pages.headers).redirect(`${pages.base}/portal/open?token=${encodeURIComponent(token)}`, 303)

  // Programs that check mail follow each link in it, so the link alone uses nothing up: the button does.
  app.get('/portal/sign-in', { ...hidden, exposeHeadRoute: false }, async (request, reply) => {
    pages.limitAnonymous(request, reply)
    const { token } = queryOf(request)
    const given = typeof token === 'string' ? token : ''
    if (await reader.session(request)) return openInstead(reply, given)
    const locale = reader.language(request, reply, null)
    return reply.headers(pages.headers).send(signInPage(pages, locale, given))
  })

  app.post('/portal/sign-in', hidden, async (request, reply) => {
    pages.limitAnonymous(request, reply)
    // A form of another site could sign a user in as somebody else, for whom they would then pay.
    if (!reader.isFromHere(request)) throw new BillingError('forbidden')
    const token = fieldOf(request, 'token')
    if (await reader.session(request)) return openInstead(reply, token)
    const sessionToken = await enterPortal(pages, token)
    if (sessionToken !== null) {
      reader.begin(reply, sessionToken)
      return reply.headers(pages.headers).redirect(`${pages.base}/portal`, 303)
    }
    const locale = reader.language(request, reply, null)
    return reply.code(410).headers(pages.headers).send(mailedLinkOverPage(pages, locale))
  })
}
