// The worth and validity of codes in words.
import type { CodeBatch } from '../core/code.js'
import type { Locale } from '../core/locale.js'
import { planById } from '../core/plan.js'
import { consoleSay } from '../i18n/console.js'
import { inParts, termInWords } from '../i18n/formats.js'
import { planName } from '../i18n/messages.js'
import type { ConsolePages } from '../pages/console-frame.js'

type Worth = Pick<CodeBatch, 'kind' | 'planId' | 'months' | 'percent' | 'amount'>
type Validity = Pick<CodeBatch, 'from' | 'until'>
interface Reader {
  readonly locale: Locale
}

/** `Pro · 3 months`, `15% off · Pro`, `500 DA off`. */
export function givesInWords(
  { catalogue, formats }: Pick<ConsolePages, 'catalogue' | 'formats'>,
  { locale }: Reader,
  { planId, months, percent, amount }: Worth,
): string {
  const say = consoleSay(locale)
  const plan = planId === null ? null : planName(planById(catalogue, planId)?.name ?? planId, locale)
  const parts = [
    percent === null ? null : say('percentOff', { percent: String(percent) }),
    amount === null ? null : say('amountOff', { amount: formats.money(amount, locale) }),
    plan,
    months === null ? null : termInWords(months, locale),
  ]
  return inParts(
    parts.filter((part) => part !== null),
    locale,
  )
}

/** Null: always valid. */
export function validInWords(
  { formats }: Pick<ConsolePages, 'formats'>,
  { locale }: Reader,
  { from, until }: Validity,
): string | null {
  const say = consoleSay(locale)
  const parts = [
    from === null ? null : say('validFrom', { day: formats.day(from, locale) }),
    // The last day on which it is valid.
    until === null ? null : say('validUntil', { day: formats.day(until - 1, locale) }),
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : inParts(parts, locale)
}
