// The mails before paid time ends, at its end, and after grace. One that is no longer true is not sent.
import type { MailTo, MailWriter } from '../acts/mail-writer.js'
import { BOUNDARIES, isReminderTrue, REMINDER_LIFETIME_MS } from '../core/announcement.js'
import { balanceIn } from '../core/balance.js'
import { DAY, type Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { Offer } from '../core/plan.js'
import { renewalOffers } from '../core/quote.js'
import { endsWithTrial, graceEndsAt, lastPlan } from '../core/subscription.js'
import { type Formats, inList, termInWords } from '../i18n/formats.js'
import { type MessageKey, planName } from '../i18n/messages.js'
import type { CommonParts } from '../ledger/parts.js'

export type ReminderDeps = Pick<CommonParts, 'clock' | 'rules' | 'catalogue' | 'formats'>

export function reminderMails(deps: ReminderDeps): readonly MailWriter[] {
  return BOUNDARIES.map((kind) => {
    // The three reminders before the end have the same text.
    const theme = kind === 'past_due' || kind === 'expired' ? kind : 'expiring'
    return {
      kind,
      lifetimeMs: REMINDER_LIFETIME_MS,
      isStillTrue: (mail, now) => isReminderTrue(mail, mail.user.subscription, now, deps.rules),
      write: async (mail, { locale, say }) => {
        const now = deps.clock.now()
        const data = dataOf(deps, mail, locale, now)
        const subject = theme === 'expiring' ? lastDaysKey(mail, now, deps.formats) : null
        const isTrial = theme === 'expired' && endsWithTrial(mail.user.subscription.periods)
        const what = isTrial ? 'mail_trial_expired_what' : (`mail_${theme}_what` as const)
        const paragraphs = [say(what, data), say(`mail_${theme}_next`, data)]
        const others = data.otherTerms === '' ? [] : [say('mail_otherTerms', data)]
        const missing = missingFor(deps, mail, locale)
        const toPayIn = missing === null ? [] : [say('mail_balanceMissing', missing)]
        return {
          subject: say(subject ?? `mail_${theme}_subject`, data),
          paragraphs: [...toPayIn, ...paragraphs, ...others],
          button: say('mail_renewButton'),
        }
      },
    }
  })
}

/** On the last two days the subject says today or tomorrow; before, it gives the number of days. */
function lastDaysKey({ user }: MailTo, now: Instant, { isoDay }: Formats): MessageKey | null {
  const { paidUntil } = user.subscription
  if (paidUntil === null) return null
  const days = (Date.parse(isoDay(paidUntil)) - Date.parse(isoDay(now))) / DAY
  if (days === 0) return 'mail_expiring_today_subject'
  return days === 1 ? 'mail_expiring_tomorrow_subject' : null
}

/** What the balance lacks for the standing order. Null: there is no order. */
function missingFor({ formats }: ReminderDeps, { user: { subscription } }: MailTo, locale: Locale) {
  const order = subscription.balance?.order
  if (!order) return null
  const missing = order.price - balanceIn(subscription)
  return { missing: formats.money(missing, locale), price: formats.money(order.price, locale) }
}

function dataOf(
  { rules, catalogue, formats }: ReminderDeps,
  { user: { subscription } }: MailTo,
  locale: Locale,
  now: Instant,
) {
  const end = subscription.paidUntil ?? now
  const [usual, ...others] = renewalOffers(subscription, catalogue)
  return {
    plan: planName(lastPlan(subscription)?.name ?? '', locale),
    end: formats.moment(end, locale),
    graceEnd: formats.moment(graceEndsAt(end, subscription.periods, rules), locale),
    time: formats.timeLeft(end - now, locale),
    amount: formats.money(usual?.price.amount ?? 0, locale),
    term: termInWords(usual?.months ?? 1, locale),
    otherTerms: offersInWords(others, formats, locale),
  }
}

/** `6 months (11 000 DA), 12 months (20 000 DA)` */
function offersInWords(offers: readonly Offer[], formats: Formats, locale: Locale): string {
  const words = offers.map(({ months, price }) => {
    return `${termInWords(months, locale)} (${formats.money(price.amount, locale)})`
  })
  return inList(words, locale)
}
