// What an act changes, in words: the status of a payment, and the access of its user.

import type { Instant } from '../core/instant.js'
import { type DocumentSnapshot, totalOf } from '../core/receipt.js'
import type { Subscription } from '../core/subscription.js'
import { stretchesAt } from '../core/time-list.js'
import { isConsoleKey } from '../i18n/console.js'
import { planName } from '../i18n/messages.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { ChangeInWords } from './act-page.js'
import { type Change as Decided, isAccess } from './preview.js'

/** The words of a key of the console's texts; what is none stands as it is. */
function wordsOf({ say }: View, key: string | null): string {
  if (key === null) return ''
  return isConsoleKey(key) ? say(key) : key
}

export function changesInWords(
  pages: Pick<ConsolePages, 'formats' | 'clock'>,
  view: View,
  changes: readonly Decided[],
): readonly ChangeInWords[] {
  return changes.map((change) => {
    if (isAccess(change)) return accessChange(pages, view, change)
    const { what, before, after } = change
    const words = (key: string | null) => wordsOf(view, what === 'status' ? statusKey(key ?? '') : key)
    return { name: wordsOf(view, what), before: words(before), after: words(after) }
  })
}

function accessChange(
  pages: Pick<ConsolePages, 'formats' | 'clock'>,
  view: View,
  { before, after }: { readonly before: Subscription; readonly after: Subscription },
): ChangeInWords {
  const words = (subscription: Subscription) => accessInWords(pages, view, subscription)
  return { name: view.say('access'), before: words(before), after: words(after) }
}

/**
 * `Pro until 6 January 2027, then Business until 6 February 2027`, `Free (Pro ended on 21 December 2026)`.
 */
export function accessInWords(
  { formats, clock }: Pick<ConsolePages, 'formats' | 'clock'>,
  { locale, say }: View,
  subscription: Subscription,
): string {
  const { plan, status, currentPeriodEnd, endedPlan } = subscription
  const name = planName(plan.name, locale)
  if (currentPeriodEnd === null) return name
  const moment = (instant: Instant) => formats.moment(instant, locale)
  const end = moment(currentPeriodEnd)
  const [now, ...later] = stretchesAt(subscription, clock.now())
  if (now) {
    const first = say('accessUntil', { plan: name, end: moment(now.end) })
    const then = later.map((next) =>
      say('accessThen', { plan: planName(next.plan.name, locale), end: moment(next.end) }),
    )
    return [first, ...then].join(locale === 'ar' ? '، ' : ', ')
  }
  if (status === 'past_due') return say('accessUntil', { plan: name, end })
  if (endedPlan === null) return say('accessOver', { plan: name, end })
  return say('accessEnded', { plan: name, ended: planName(endedPlan.name, locale), end })
}

/** A provider's `processing` and what it may say besides are open. */
export function statusKey(status: string) {
  const known = ['paid', 'failed', 'canceled', 'expired', 'review', 'refunded'] as const
  return `status_${known.find((one) => one === status) ?? 'pending'}` as const
}

/** What the receipt would say, and that there is none. */
export function receiptInWords(
  { formats }: ConsolePages,
  { say, locale }: View,
  receipt: DocumentSnapshot | null,
): string {
  if (receipt === null) return say('receiptNone')
  const { split, asked } = receipt
  const words = say('receiptSays', {
    total: formats.centimes(totalOf(receipt), locale),
    ht: formats.centimes(split.netCentimes, locale),
    tva: formats.centimes(split.taxCentimes, locale),
  })
  if (asked === undefined) return words
  return `${words} · ${say('amountAsked')} ${formats.money(asked, locale)}`
}
