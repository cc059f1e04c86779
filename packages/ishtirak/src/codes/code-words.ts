// The worth and validity of codes in words.
import { planById } from '../core/plan.js'
import { inParts, termInWords } from '../i18n/formats.js'
import { planName } from '../i18n/messages.js'
import type { ConsolePages, View } from '../pages/console-frame.js'

/** The language in which they are written. */
type Reader = Pick<View, 'locale' | 'say' | 'money' | 'day'>

export interface Worth {
  /** The id of a plan; null: any plan. */
  readonly plan: string | null
  readonly months: number | null
  readonly percent: number | null
  readonly amount: number | null
}

/** `Pro · 3 months`, `15% off · Pro`, `500 DA off`. */
export function givesInWords(
  { catalogue }: Pick<ConsolePages, 'catalogue'>,
  { locale, say, money }: Reader,
  { plan, months, percent, amount }: Worth,
): string {
  const parts = [
    percent === null ? null : say('percentOff', { percent: String(percent) }),
    amount === null ? null : say('amountOff', { amount: money(amount) }),
    plan === null ? null : planName(planById(catalogue, plan)?.name ?? plan, locale),
    months === null ? null : termInWords(months, locale),
  ]
  return inParts(
    parts.filter((part) => part !== null),
    locale,
  )
}

/** Timestamps; null: no bound. */
export interface Validity {
  readonly from: string | null
  readonly until: string | null
}

/** Null: always valid. */
export function validInWords({ locale, say, day }: Reader, { from, until }: Validity): string | null {
  const parts = [
    from === null ? null : say('validFrom', { day: day(from) }),
    // The last day on which it is valid.
    until === null ? null : say('validUntil', { day: day(Date.parse(until) - 1) }),
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : inParts(parts, locale)
}
