// Translates codes of the API and of the audit trail. A code without a text, such as one of an older version
// or of the provider, is shown unchanged.
import { NO_ADDRESS, readDifference } from '../core/difference.js'
import { DAY } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { inList, termInWords } from '../i18n/formats.js'
import { type ConsoleKey, isConsoleKey, planName } from '../i18n/messages.js'
import { keysWith } from '../i18n/words.js'
import type { ConsolePages, View } from './console-frame.js'

/** The kinds of codes: the key of a text is `<kind>_<code>`. A test compares the codes with the texts. */
type KindOf<Key> = Key extends `${infer Kind}_${string}` ? Kind : never

export function codeInWords(
  { say }: Pick<View, 'say'>,
  name: KindOf<ConsoleKey>,
  code: string,
  data?: Readonly<Record<string, string>>,
): string {
  const key = `${name}_${code}`
  return isConsoleKey(key) ? say(key, data) : code
}

/** What a refusal says is in the way; empty if it says nothing. */
export function obstaclesInWords(
  view: Pick<View, 'say' | 'locale'>,
  { held_by: held }: { readonly held_by?: unknown },
): string {
  if (!Array.isArray(held)) return ''
  const words = held.map((code) => codeInWords(view, 'held', String(code)))
  return inList(words, view.locale)
}

export const recordedActs = () => keysWith('operator', 'did_')

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
  const { say } = view
  if (value === 'null') return say('unsaid')
  if (name === 'live') return say(value === 'true' ? 'liveMode' : 'testMode')
  if (name === 'plan_id') return planInWords(pages, view, value)
  if (!/^\d+$/.test(value)) return value
  if (name === 'amount') return view.money(Number(value))
  return name === 'months' ? termInWords(Number(value), view.locale) : value
}

/** Null: the payment is not under review, or its row is broken and has no reason. */
export function reviewInWords(
  pages: ConsolePages,
  view: View,
  { review }: Pick<Payment, 'review'>,
): string | null {
  return review?.differences?.map((one) => differenceInWords(pages, view, one)).join(' · ') ?? null
}

/** Translates several differences, which the inbox joins by commas. */
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

/** Translates the length of a grant: `14 days`, `2 months`. */
export function lengthInWords({ formats }: ConsolePages, { locale }: View, length: string): string {
  const count = Number.parseInt(length, 10)
  return length.endsWith('days') ? formats.timeLeft(count * DAY, locale) : termInWords(count, locale)
}

/** Translates the outcome of a mail, which may contain the answer of the mail server. */
export function mailedInWords(view: Pick<View, 'say'>, outcome: string): string {
  const [, code = outcome, detail = ''] = /^(refused|failed): (.*)$/s.exec(outcome) ?? []
  return codeInWords(view, 'mailed', code, { detail })
}

/** Translates the reason why the platform did not accept an event. */
export function failureInWords({ say }: Pick<View, 'say'>, failure: string): string {
  const [, status] = /^answered (\d+)$/.exec(failure) ?? []
  if (status !== undefined) return say('answered', { status })
  const [, ms] = /^no answer within (\d+) ms$/.exec(failure) ?? []
  return ms === undefined ? failure : say('noAnswer', { seconds: String(Number(ms) / 1_000) })
}
