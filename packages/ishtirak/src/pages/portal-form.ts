// The forms that users send from the portal.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Locale } from '../core/locale.js'
import type { Actor } from '../core/person.js'
import type { App } from '../http/app.js'
import type { Pages } from './portal-frame.js'
import { actorOf, fieldOf, type Session } from './reader.js'

interface PortalForm {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly session: Session
  /** The person who sent it, for what is ordered. */
  readonly by: { readonly user: Actor; readonly locale: Locale; readonly requestId: string }
  readonly params: Readonly<Record<string, string>>
  /** What was typed; empty where the field is missing. */
  field(name: string): string
}

/**
 * Serves a form of this session's pages. Throws `forbidden` for any other form. `act` returns where the
 * sender is led, a path of this service or an address, or answers itself.
 */
export function portalForm(
  app: App,
  pages: Pages,
  { path, forReaders = false }: { readonly path: string; readonly forReaders?: boolean },
  act: (form: PortalForm) => Promise<string | FastifyReply>,
): void {
  const options = { schema: { hide: true }, onRequest: pages.users.onRequest, config: { forReaders } }
  app.post<{ Params: Readonly<Record<string, string>> }>(path, options, async (request, reply) => {
    const session = pages.users.of(request)
    pages.reader.requireOwnForm(request, session)
    const locale = pages.reader.language(request, reply, session)
    const by = { user: actorOf(session), locale, requestId: request.id }
    const field = (name: string) => fieldOf(request, name)
    const next = await act({ request, reply, session, by, params: request.params, field })
    if (typeof next !== 'string') return next
    return reply.headers(pages.headers).redirect(next.startsWith('/') ? `${pages.base}${next}` : next, 303)
  })
}
