// A check: one thing that can be wrong with the service, and what to do about it. The console shows its
// texts in the language of the operator, commands and the API in English.
import { type ConsoleKey, consoleSay } from '../i18n/messages.js'

export interface CheckResult {
  readonly subject: string
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** What to do; empty when all is well. */
  readonly remedy: string
}

type CodeBehind<Beginning extends string> = ConsoleKey extends infer Key
  ? Key extends `${Beginning}_${infer Code}`
    ? Code
    : never
  : never
type CheckCode = CodeBehind<'check'>
type CheckData = Readonly<Record<string, string>>

/** The texts are `check_<code>`, which says what was found, and `remedy_<code>`, which says what to do. */
export interface Check extends CheckResult {
  readonly subject: CodeBehind<'subject'>
  readonly code: CheckCode
  readonly data: CheckData
}

export interface BringsChecks<Config> {
  readonly name: string
  readonly checks?: (config: Config) => readonly Check[]
}

const english = consoleSay('en')

export function ok(subject: Check['subject'], code: CheckCode, data: CheckData = {}): Check {
  return { subject, verdict: 'ok', code, data, found: english(`check_${code}`, data), remedy: '' }
}

type RemedyCode = CodeBehind<'remedy'>

export function warn(subject: Check['subject'], code: RemedyCode, data: CheckData = {}): Check {
  return { ...ok(subject, code, data), verdict: 'warn', remedy: english(`remedy_${code}`, data) }
}

export function fail(subject: Check['subject'], code: RemedyCode, data: CheckData = {}): Check {
  return { ...warn(subject, code, data), verdict: 'fail' }
}
