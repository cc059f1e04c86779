// The changes of an act, in words.

import { isErrorCode } from '../core/error.js'
import { plainName } from '../core/name.js'
import { type DocumentSnapshot, totalOf } from '../core/receipt.js'
import type { Subscription } from '../core/subscription.js'
import { stretchesAt } from '../core/time-list.js'
import { inList, termInWords } from '../i18n/formats.js'
import { CATALOGS, isConsoleKey, isMessageKey, planName, sayIn } from '../i18n/messages.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import { differencesInWords, failureInWords, mailedInWords } from '../pages/console-words.js'
import type { Change } from './act.js'

export type ChangeInWords = ReturnType<typeof changesInWords>[number]

export function changesInWords(pages: ConsolePages, view: View, changes: readonly Change[]) {
  return changes.map((change) => {
    const { what, of, name } = change
    return {
      name: wordsOf(view, what) + (of === null ? '' : ` · ${plainName(name ?? of)}`),
      before: sideInWords(pages, view, change, change.before),
      after: sideInWords(pages, view, change, change.after),
    }
  })
}

/** The console's text of a key, or the portal's; a name that is no key is shown unchanged. */
function wordsOf({ say, locale }: View, key: string): string {
  if (isConsoleKey(key)) return say(key)
  return isMessageKey(key) ? sayIn(locale)(key) : key
}

function sideInWords(
  pages: ConsolePages,
  view: View,
  { kind, what }: Change,
  value: Change['before'],
): string {
  const { say, locale } = view
  if (value === null) return kind === 'receipt' ? say('receiptNone') : ''
  if (typeof value === 'number') {
    if (kind === 'instant') return view.moment(value)
    if (what === 'differing_months') return termInWords(value, locale)
    return kind === 'dinars' ? view.centimes(Math.round(value * 100)) : view.number(value)
  }
  if (typeof value === 'string') {
    if (kind === 'status') return say(statusKey(value))
    if (what === 'refused' && isErrorCode(value)) return CATALOGS[locale].error[value].title
    if (what === 'method') return wordsOf(view, `method_${value}`)
    if (kind === 'mailed') return mailedInWords(view, value)
    if (kind === 'failure') return failureInWords(view, value)
    if (kind === 'differences') return differencesInWords(pages, view, value)
    return kind === 'state' ? wordsOf(view, value) : plainName(value)
  }
  if ('split' in value) return receiptInWords(view, value)
  if (!('start' in value)) return accessInWords(pages, view, value)
  return say('periodText', { start: view.moment(value.start), end: view.moment(value.end) })
}

/** `Pro until 6 January 2027, then Business until 6 February 2027`, `Free (Pro ended on 6 January)`. */
export function accessInWords(
  { clock }: Pick<ConsolePages, 'clock'>,
  { locale, say, moment }: View,
  subscription: Subscription,
): string {
  const { plan, status, currentPeriodEnd, endedPlan } = subscription
  const name = planName(plan.name, locale)
  if (currentPeriodEnd === null) return name
  const end = moment(currentPeriodEnd)
  const [now, ...later] = stretchesAt(subscription, clock.now())
  if (now) {
    const first = say('accessUntil', { plan: name, end: moment(now.end) })
    const then = later.map((next) =>
      say('accessThen', { plan: planName(next.plan.name, locale), end: moment(next.end) }),
    )
    return inList([first, ...then], locale)
  }
  if (status === 'past_due') return say('accessUntil', { plan: name, end })
  if (endedPlan === null) return say('accessOver', { plan: name, end })
  return say('accessEnded', { plan: name, ended: planName(endedPlan.name, locale), end })
}

/** The text for a status of ours or of a provider. Any other status, such as `processing`, is `pending`. */
export function statusKey(status: string) {
  const known = ['paid', 'failed', 'canceled', 'expired', 'review', 'refunded'] as const
  return `status_${known.find((one) => one === status) ?? 'pending'}` as const
}

function receiptInWords({ say, centimes, money }: View, receipt: DocumentSnapshot): string {
  const { split, asked } = receipt
  const words = say('receiptSays', {
    total: centimes(totalOf(receipt)),
    ht: centimes(split.netCentimes),
    tva: centimes(split.taxCentimes),
  })
  return asked === undefined ? words : `${words} · ${say('amountAsked')} ${money(asked)}`
}
