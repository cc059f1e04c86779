// Mail about a standing order: what it will buy in a week, another price, or that its plan is not sold now.
import type { MailTo, MailWriter } from '../acts/mail-writer.js'
import { balanceIn } from '../core/balance.js'
import { DAY, toTimestamp } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { renewsAt } from '../core/subscription.js'
import { planAndTerm } from '../i18n/formats.js'
import type { CommonParts } from '../ledger/parts.js'
import { queueRenewalsAhead } from './balance.sql.js'

export type RenewalMailDeps = Pick<CommonParts, 'database' | 'formats'>

const AHEAD_MS = 7 * DAY
const LIFETIME_MS = 3 * DAY

export function renewalMails(deps: RenewalMailDeps): readonly MailWriter[] {
  const orderOf = ({ user }: MailTo) => user.subscription.balance?.order ?? null
  return [
    {
      ...mailOf(deps, 'renewal_ahead'),
      queueDue: (now) => queueRenewalsAhead(deps.database, now, AHEAD_MS),
      isStillTrue: ({ user, about }) => {
        const at = renewsAt(user.subscription)
        return at !== null && toTimestamp(at) === about
      },
    },
    {
      ...mailOf(deps, 'order_offered'),
      isStillTrue: (mail) => (orderOf(mail)?.offered ?? null) !== null,
    },
    {
      ...mailOf(deps, 'order_ended'),
      isStillTrue: (mail) => orderOf(mail) === null,
    },
  ]
}

function mailOf(deps: RenewalMailDeps, kind: 'renewal_ahead' | 'order_offered' | 'order_ended'): MailWriter {
  return {
    kind,
    lifetimeMs: LIFETIME_MS,
    write: async (mail, { locale, say }) => {
      const data = dataOf(deps, mail, locale)
      return {
        subject: say(`mail_${kind}_subject`, data),
        paragraphs: [say(`mail_${kind}_what`, data), say(`mail_${kind}_next`, data)],
        button: say('openPortal'),
      }
    },
  }
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
