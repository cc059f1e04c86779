// The console's sign-in by an issuer: the browser goes out with a ticket in a cookie, and comes back.

import { stringifySetCookie } from 'cookie'
import type { FastifyReply } from 'fastify'
import { BillingError } from '../core/error.js'
import { SECOND } from '../core/instant.js'
import type { App } from '../http/app.js'
import { createTryLimit, networkOf } from '../http/callers.js'
import { goTo, startFor } from '../pages/console-frame.js'
import { cookiesFor, cookiesOf, queryOf } from '../pages/reader.js'
import {
  type AccessPages,
  ISSUER_PATH,
  type Issuer,
  RETURN_PATH,
  signInByIssuer,
  TICKET_MS,
} from './issuer.js'
import { signInPath, targetOf } from './sign-in.route.js'

/** The refusals in a minute from one network, because each sign-in calls the issuer. */
const REFUSED_MOST = 10

const hidden = { schema: { hide: true } }

export function issuerRoutes(app: App, pages: AccessPages, issuer: Issuer): void {
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
    const { token, operator, to } = await signInByIssuer({ ...pages, issuer }, { ticket, query }).catch(
      (error: unknown) => {
        if (error instanceof BillingError) refused.count(network)
        throw error
      },
    )
    await reader.forget(request)
    reader.begin(reply, token)
    return goTo(pages, reply, await startFor(pages, operator, targetOf(to)))
  })
}
