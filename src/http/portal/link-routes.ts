// In by a link that works once, out by a button. The link is followed by GET, as people expect of a link; a browser that
// only fetches ahead says so and uses nothing up, and a HEAD finds nothing here.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.js'
import { linkOverPage, noSessionPage, staleFormPage } from './message-pages.js'
import type { Pages } from './portal.js'
import { queryOf, type Session } from './reader.js'

export function linkRoutes(app: App, pages: Pages): void {
  const { billing, reader, admitStranger } = pages
  const hidden = { schema: { hide: true } }

  app.get('/portal/open', { ...hidden, exposeHeadRoute: false }, async (request, reply) => {
    admitStranger(request, reply)
    // 503: a browser throws away what it fetched ahead and got no good answer to, and asks again when it is meant.
    if (isFetchedAhead(request)) return reply.code(503).headers(pages.headers).send('')
    const { token } = queryOf(request)
    const sessionToken = typeof token === 'string' ? await billing.portal.enter(token) : null
    if (sessionToken !== null) {
      reader.begin(reply, sessionToken)
      return reply.headers(pages.headers).redirect(`${pages.base}/portal`, 303)
    }
    const session = await reader.session(request)
    // The second click on a link that has already let this browser in.
    if (session) return reply.headers(pages.headers).redirect(`${pages.base}/portal`, 303)
    const locale = reader.language(request, reply, session)
    return reply.code(410).headers(pages.headers).send(linkOverPage(pages, locale))
  })

  app.post('/portal/leave', hidden, async (request, reply) => {
    const session = await requireSession(pages, request, reply, { form: true })
    if (!session) return reply
    await reader.end(request, reply)
    return reply.headers(pages.headers).redirect(pages.backUrl(session), 303)
  })
}

/**
 * The session of whoever asks, counted against his quota. Null: the answer has been given, a page that says how to come
 * in. `form`: what is asked for changes something, so it must come from a page of this very session.
 */
export async function requireSession(
  pages: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  { form = false } = {},
): Promise<Session | null> {
  const { reader, admitStranger, admitUser } = pages
  const session = await reader.session(request)
  if (session) admitUser(session.userId, reply)
  else admitStranger(request, reply)
  if (session && (!form || reader.isOwnForm(request, session))) return session
  const locale = reader.language(request, reply, session)
  reply.headers(pages.headers)
  if (session) reply.code(403).send(staleFormPage(pages, locale))
  else reply.code(401).send(noSessionPage(pages, locale))
  return null
}

/** `Sec-Purpose: prefetch` in current browsers, `Purpose` and `X-Moz` in older ones. */
function isFetchedAhead({ headers }: FastifyRequest): boolean {
  return [headers['sec-purpose'], headers.purpose, headers['x-moz']].some((value) =>
    String(value ?? '').includes('prefetch'),
  )
}
