// The forms and links of the portal: a user's do something, and those that an operator is shown do nothing.
import type { PropsWithChildren } from '@kitajs/html'
import { FormToken } from './portal-frame.js'
import type { ReadOnlySession, Session } from './reader.js'

/**
 * With the proof that the page is ours. To an operator who views the portal it is no form: its controls do
 * nothing.
 */
export function OwnForm(
  of: PropsWithChildren<{ session: Session | ReadOnlySession; action: string; enctype?: string | undefined }>,
) {
  const { session, action, enctype, children } = of
  if (session.formToken === null) return <fieldset disabled>{children}</fieldset>
  return (
    <form method="post" action={action} enctype={enctype}>
      <FormToken session={session} />
      {children}
    </form>
  )
}

/** Where a link of the portal leads; to an operator who views it, nowhere. */
export function hrefIn({ formToken }: Session | ReadOnlySession, href: string): string | undefined {
  return formToken === null ? undefined : href
}
