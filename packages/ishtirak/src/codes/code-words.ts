// The worth and validity of codes in words.
import type { Static } from 'typebox'
import { planById } from '../core/plan.js'
import { inParts, termInWords } from '../i18n/formats.js'
import { planName } from '../i18n/messages.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { CodeBatchSchema } from './code-schemas.js'

type Reader = Pick<View, 'locale' | 'say' | 'money' | 'day'>

export type Worth = Pick<Static<typeof CodeBatchSchema>, 'plan' | 'months' | 'percent' | 'amount'>

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
  ].filter((part) => part !== null)
  return inParts(parts, locale)
}

export type Validity = Pick<Static<typeof CodeBatchSchema>, 'from' | 'until'>

export function validInWords({ locale, say, day }: Reader, { from, until }: Validity): string | null {
  const parts = [
    from === null ? null : say('validFrom', { day: day(from) }),
    // The last day on which it is valid.
    until === null ? null : say('validUntil', { day: day(Date.parse(until) - 1) }),
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : inParts(parts, locale)
}
