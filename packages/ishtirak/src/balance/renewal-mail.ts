// Mail about a standing order: what it will buy in a week, that another price is offered, or that it has
// ended because its plan is no longer sold.
import type { MailTo, MailWriter } from '../acts/mail-writer.js'
import { balanceIn } from '../core/balance.js'
import { DAY, toTimestamp } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { renewsAt } from '../core/subscription.js'
import { planAndTerm } from '../i18n/formats.js'
import type { CommonParts } from '../ledger/parts.js'
import { oweRenewalsAhead } from './due-renewals.sql.js'

export type RenewalMailDeps = Pick<CommonParts, 'database' | 'formats'>

const AHEAD_MS = 7 * DAY
const LIFETIME_MS = 3 * DAY

export function renewalMails(deps: RenewalMailDeps): readonly MailWriter[] {
  return [
    {
      kind: 'renewal_ahead',
      lifetimeMs: LIFETIME_MS,
      owe: (now) => oweRenewalsAhead(deps.database, now, AHEAD_MS),
      isStillTrue: ({ user, about }) => {
        const at = renewsAt(user.subscription)
        return at !== null && toTimestamp(at) === about
      },
      write: async (mail, { locale, say }) => {
        const data = dataOf(deps, mail, locale)
        return {
          subject: say('mail_renewal_ahead_subject', data),
          paragraphs: [say('mail_renewal_ahead_what', data), say('mail_renewal_ahead_next')],
          button: say('openPortal'),
        }
      },
    },
    {
      kind: 'order_offered',
      lifetimeMs: LIFETIME_MS,
      isStillTrue: ({ user }) => (user.subscription.balance?.order?.offered ?? null) !== null,
      write: async (mail, { locale, say }) => {
        const data = dataOf(deps, mail, locale)
        return {
          subject: say('mail_order_offered_subject', data),
          paragraphs: [say('mail_order_offered_what', data), say('mail_order_offered_next', data)],
          button: say('openPortal'),
        }
      },
    },
    {
      kind: 'order_ended',
      lifetimeMs: LIFETIME_MS,
      isStillTrue: ({ user }) => (user.subscription.balance?.order ?? null) === null,
      write: async (mail, { locale, say }) => {
        const data = dataOf(deps, mail, locale)
        return {
          subject: say('mail_order_ended_subject'),
          paragraphs: [say('mail_order_ended_what'), say('mail_order_ended_next', data)],
          button: say('openPortal'),
        }
      },
    },
  ]
}

/** The user has this much time to agree to another price. */
const NOTICE_MS = 30 * DAY

function dataOf({ formats }: RenewalMailDeps, { user: { subscription } }: MailTo, locale: Locale) {
  const order = subscription.balance?.order ?? null
  const money = (amount: number) => formats.money(amount, locale)
  return {
    what: order ? planAndTerm(order.plan, order.months, locale) : '',
    price: money(order?.price ?? 0),
    offered: money(order?.offered?.price ?? 0),
    amount: money(balanceIn(subscription)),
    date: formats.day(renewsAt(subscription) ?? (order?.offered?.at ?? 0) + NOTICE_MS, locale),
    until: formats.day((order?.offered?.at ?? 0) + NOTICE_MS, locale),
  }
}
