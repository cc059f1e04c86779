// A refusal in the console, with a way on.

import type { FastifyRequest } from 'fastify'
import type { BillingError } from '../core/error.js'
import { SECOND } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { isRole } from '../core/role.js'
import type { SayConsole } from '../i18n/console.js'
import { inList } from '../i18n/formats.js'
import { CATALOGS, sayFor } from '../i18n/messages.js'
import { addressOf, type ConsolePages, type ConsoleSession, renderConsole } from './console-frame.js'
import { heldInWords } from './console-words.js'
import { LinkButton } from './portal-frame.js'

export function consoleRefusalPage(
  pages: ConsolePages,
  view: { readonly session: ConsoleSession | null; readonly locale: Locale; readonly say: SayConsole },
  error: BillingError,
  request: Pick<FastifyRequest, 'id' | 'params'>,
): string {
  const { session, locale, say } = view
  const { title } = CATALOGS[locale].error[error.code]
  const sayAll = sayFor(pages.seller.identity, locale)
  const wait = error.retryAfterSeconds
  // An address that leads nowhere is refused before the session is read.
  const isKnown = session !== null || error.code === 'not_found'
  return renderConsole(pages, {
    locale,
    session,
    title,
    languagePath: `${pages.base}/console`,
    safeContent: (
      <section class="middle card">
        <h1 safe>{title}</h1>
        <p safe>{textOf(pages, error, locale, say)}</p>
        {wait === undefined ? null : (
          <p safe>{sayAll('tryAgainIn', { time: pages.formats.timeLeft(wait * SECOND, locale) })}</p>
        )}
        <p class="actions">
          <LinkButton
            {...(isKnown
              ? backFrom(pages, say, error, request.params)
              : { href: `${pages.base}/console`, label: say('signIn') })}
            go
          />
        </p>
        <p class="small soft">
          <span safe>{say('requestNumber')}</span> <code safe>{request.id}</code>
        </p>
      </section>
    ),
  })
}

/** To the payment or user that it was about, where there is one. */
function backFrom({ base }: ConsolePages, say: SayConsole, { code }: BillingError, params: unknown) {
  const { payment_id: payment, user_id: user } = (params ?? {}) as Partial<Record<string, string>>
  if (code !== 'not_found' && payment !== undefined)
    return { href: addressOf(base, 'payments', payment), label: say('backToPayment') }
  if (code !== 'not_found' && user !== undefined)
    return { href: addressOf(base, 'users', user), label: say('backToUser') }
  return { href: `${base}/console`, label: say('backToInbox') }
}

function textOf(pages: ConsolePages, error: BillingError, locale: Locale, say: SayConsole): string {
  const { code, extra } = error
  const text = pages.signIn.refusalText(error, say)
  if (text !== null) return text
  const held = heldInWords({ say, locale }, extra)
  if (held !== '') return held
  if (code === 'forbidden') return say('staleForm')
  if (code === 'not_found') return say('nothingHere')
  if (code !== 'role_not_allowed' || !Array.isArray(extra.roles)) return CATALOGS[locale].error[code].detail
  const roles = extra.roles.filter(isRole).map((role) => say(`role_${role}`))
  return say('roleNotAllowedText', { roles: inList(roles, locale) })
}
