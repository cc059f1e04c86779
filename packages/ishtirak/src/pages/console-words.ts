// The codes of the API and of the audit trail in the reader's words. A code that has none, such as one that
// an older program wrote or that a provider chose, stands as it is.
import { NO_ADDRESS, readDifference } from '../core/difference.js'
import { DAY } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { consoleKeysWith, isConsoleKey } from '../i18n/console.js'
import { inList, termInWords } from '../i18n/formats.js'
import { planName } from '../i18n/messages.js'
import type { ConsolePages, View } from './console-frame.js'

/** By the beginning of their keys. Capabilities say which there are; a test holds them against the words. */
type Name =
  | 'act'
  | 'text'
  | 'kind'
  | 'next'
  | 'source'
  | 'outcome'
  | 'event'
  | 'mail'
  | 'mailed'
  | 'differing'
  | 'discrepancy'
  | 'disabled'
  | 'way'
  | 'subject'
  | 'job'
  | 'bulk'
  | 'did'
  | 'held'

export function codeInWords(
  { say }: Pick<View, 'say'>,
  name: Name,
  code: string,
  data?: Readonly<Record<string, string>>,
): string {
  const key = `${name}_${code}`
  return isConsoleKey(key) ? say(key, data) : code
}

/** What stands in the way, where a refusal names it; empty where it does not. */
export function heldInWords(
  view: Pick<View, 'say' | 'locale'>,
  { held_by: held }: { readonly held_by?: unknown },
): string {
  if (!Array.isArray(held)) return ''
  const words = held.map((code) => codeInWords(view, 'held', String(code)))
  return inList(words, view.locale)
}

/** All that the trail names. */
export const recordedActs = () => consoleKeysWith('did_')

/** Translates a text of `describeDifference`. */
function differenceInWords(pages: ConsolePages, view: View, text: string): string {
  const { say } = view
  if (text === NO_ADDRESS) return say('noPayAddress')
  const difference = readDifference(text)
  if (difference === null) return text
  const { name, by } = difference
  const [ours, theirs] = [difference.ours, difference.theirs].map((value) => figure(pages, view, name, value))
  return say(by === 'operator' ? 'saidByOperator' : 'saidByProvider', {
    what: codeInWords(view, 'differing', name),
    ours: ours ?? '',
    theirs: theirs ?? '',
  })
}

function figure(pages: ConsolePages, view: View, name: string, value: string): string {
  const { say, locale } = view
  if (value === 'null') return say('unsaid')
  if (name === 'live') return say(value === 'true' ? 'liveMode' : 'testMode')
  if (name === 'plan_id') return planInWords(pages, view, value)
  if (!/^\d+$/.test(value)) return value
  if (name === 'amount') return pages.formats.money(Number(value), locale)
  return name === 'months' ? termInWords(Number(value), locale) : value
}

/** Null: nothing is under review, or the row is broken and does not say what. */
export function reviewInWords(
  pages: ConsolePages,
  view: View,
  { review }: Pick<Payment, 'review'>,
): string | null {
  return review?.differences?.map((one) => differenceInWords(pages, view, one)).join(' · ') ?? null
}

/** Several, as the inbox joins them. */
export function differencesInWords(pages: ConsolePages, view: View, text: string): string {
  return text
    .split(/, (?=\w+: ours is |checkout_url: )/)
    .map((one) => differenceInWords(pages, view, one))
    .join(' · ')
}

export function planInWords({ catalogue }: ConsolePages, { locale }: View, planId: string): string {
  const plan = catalogue.plans.find(({ id }) => id === planId)
  return plan ? planName(plan.name, locale) : planId
}

/** `14 days`, `2 months`, as the timeline has the length of a grant. */
export function lengthInWords({ formats }: ConsolePages, { locale }: View, length: string): string {
  const count = Number.parseInt(length, 10)
  return length.endsWith('days') ? formats.timeLeft(count * DAY, locale) : termInWords(count, locale)
}

/** What became of a mail: a word, or one with what the mail server said. */
export function mailedInWords(view: Pick<View, 'say'>, outcome: string): string {
  const [, code = outcome, detail = ''] = /^(refused|failed): (.*)$/s.exec(outcome) ?? []
  return codeInWords(view, 'mailed', code, { detail })
}

/** Why an event was not accepted. */
export function failureInWords({ say }: Pick<View, 'say'>, failure: string): string {
  const [, status] = /^answered (\d+)$/.exec(failure) ?? []
  if (status !== undefined) return say('answered', { status })
  const [, ms] = /^no answer within (\d+) ms$/.exec(failure) ?? []
  return ms === undefined ? failure : say('noAnswer', { seconds: String(Number(ms) / 1_000) })
}
