// The forms and links of the portal: a user's do something, and those that an operator is shown do nothing.
import type { PropsWithChildren } from '@kitajs/html'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Locale } from '../core/locale.js'
import { type Actor, mayOrder } from '../core/person.js'
import type { App } from '../http/app.js'
import { FormToken, type Pages } from './portal-frame.js'
import { actorOf, fieldOf, type ReadOnlySession, type Session } from './reader.js'

/** A form with the token of its session. An operator who views the portal gets controls that do nothing. */
export function OwnForm(
  of: PropsWithChildren<{
    session: Session | ReadOnlySession
    action: string
    enctype?: string | undefined
    /** Hidden fields, without those that are undefined. */
    kept?: Readonly<Record<string, string | undefined>>
    /** The form orders nothing, so a `billing_role` of `reader` sees it too. */
    forReaders?: boolean
  }>,
) {
  const { session, action, enctype, kept = {}, forReaders = false, children } = of
  if (!forReaders && !mayOrder(session)) return null
  if (session.formToken === null) return <fieldset disabled>{children}</fieldset>
  return (
    <form method="post" action={action} enctype={enctype}>
      <FormToken session={session} />
      {Object.entries(kept).map(([name, value]) =>
        value === undefined ? null : <input type="hidden" name={name} value={value} />,
      )}
      {children}
    </form>
  )
}

/** The session whose form was sent. Throws `forbidden` if the form is from no page of this session. */
export function senderOf({ reader, users }: Pages, request: FastifyRequest): Session {
  const session = users.of(request)
  reader.requireOwnForm(request, session)
  return session
}

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

/** `act` returns where the sender is led, a path of this service or an address, or answers itself. */
export function portalForm(
  app: App,
  pages: Pages,
  { path, forReaders = false }: { readonly path: string; readonly forReaders?: boolean },
  act: (form: PortalForm) => Promise<string | FastifyReply>,
): void {
  const options = { schema: { hide: true }, onRequest: pages.users.onRequest, config: { forReaders } }
  app.post<{ Params: Readonly<Record<string, string>> }>(path, options, async (request, reply) => {
    const session = senderOf(pages, request)
    const locale = pages.reader.language(request, reply, session)
    const by = { user: actorOf(session), locale, requestId: request.id }
    const field = (name: string) => fieldOf(request, name)
    const next = await act({ request, reply, session, by, params: request.params, field })
    if (typeof next !== 'string') return next
    return reply.headers(pages.headers).redirect(next.startsWith('/') ? `${pages.base}${next}` : next, 303)
  })
}

/** The address of a link; undefined for an operator who views the portal, so that it leads nowhere. */
export function hrefIn({ formToken }: Session | ReadOnlySession, href: string): string | undefined {
  return formToken === null ? undefined : href
}
