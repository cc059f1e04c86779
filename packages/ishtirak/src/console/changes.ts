// What an act changes, in words: the status of a payment, and the access of its user.
import type { Subscription } from '../core/subscription.js'
import { planName } from '../i18n/messages.js'
import type { Look } from '../operator/look.js'
import type { Change } from './act-page.js'
import type { ConsolePages, View } from './frame.js'

export function statusChange({ say }: View, { before, after }: Look['status']): Change {
  return { name: say('status'), before: say(statusKey(before)), after: say(statusKey(after)) }
}

export function accessChange(pages: ConsolePages, view: View, { before, after }: Look['access']): Change {
  const words = (subscription: Subscription) => accessInWords(pages, view, subscription)
  return { name: view.say('access'), before: words(before), after: words(after) }
}

/** `pro until 21 December 2026`. */
function accessInWords(
  { formats }: ConsolePages,
  { locale, say }: View,
  { plan, currentPeriodEnd: end }: Subscription,
): string {
  const name = planName(plan.name, locale)
  return end === null ? name : say('accessUntil', { plan: name, end: formats.moment(end, locale) })
}

/** A provider's `processing` and what it may say besides are open. */
export function statusKey(status: string) {
  const known = ['paid', 'failed', 'canceled', 'expired', 'review', 'refunded'] as const
  return `status_${known.find((one) => one === status) ?? 'pending'}` as const
}
