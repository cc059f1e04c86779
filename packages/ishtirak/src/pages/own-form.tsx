// The forms and links of the portal: a user's do something, and those that an operator is shown do nothing.
import type { PropsWithChildren } from '@kitajs/html'
import type { FastifyRequest } from 'fastify'
import { mayOrder } from '../core/person.js'
import { FormToken, type Pages } from './portal-frame.js'
import type { ReadOnlySession, Session } from './reader.js'

/**
 * With the proof that the page is ours. To an operator who views the portal it is no form: its controls do
 * nothing.
 */
export function OwnForm(
  of: PropsWithChildren<{
    session: Session | ReadOnlySession
    action: string
    enctype?: string | undefined
    /** It orders nothing. Readers are shown no other. */
    forReaders?: boolean
  }>,
) {
  const { session, action, enctype, forReaders = false, children } = of
  if (!forReaders && !mayOrder(session)) return null
  if (session.formToken === null) return <fieldset disabled>{children}</fieldset>
  return (
    <form method="post" action={action} enctype={enctype}>
      <FormToken session={session} />
      {children}
    </form>
  )
}

/** Of a form that was sent. Throws `forbidden` where it is from no page of this session. */
export function senderOf({ reader, users }: Pages, request: FastifyRequest): Session {
  const session = users.of(request)
  reader.requireOwnForm(request, session)
  return session
}

/** Where a link of the portal leads; to an operator who views it, nowhere. */
export function hrefIn({ formToken }: Session | ReadOnlySession, href: string): string | undefined {
  return formToken === null ? undefined : href
}
