import { actsOf } from '../acts/capability.js'
import type { Check } from '../acts/check.js'
import type { judgeMail } from '../core/announcement.js'
import type { ReportSource } from '../core/checkout.js'
import type { Differing } from '../core/difference.js'
import type { EventType } from '../core/event-types.js'
import type { PublicMethod } from '../core/payment.js'
import type { DISABLED_BECAUSE } from '../events/event-history.sql.js'
import { type ConsoleKey, consoleSay, isConsoleKey } from '../i18n/messages.js'
import type { SettlementResult } from '../ledger/settle.js'
import { CAPABILITIES } from '../main/capabilities.js'
import { codeInWords } from './console-words.js'

const fr = { say: consoleSay('fr') }

interface Codes {
  readonly source: ReportSource
  readonly outcome: SettlementResult | 'reported' | 'not_about_a_checkout'
  readonly event: EventType
  readonly mailed: Exclude<ReturnType<typeof judgeMail>, 'send'> | 'sent' | 'refused' | 'failed'
  readonly differing: Differing
  readonly disabled: keyof typeof DISABLED_BECAUSE
  readonly method: PublicMethod
  readonly subject: Check['subject']
}
type CodeKey = { readonly [Each in keyof Codes]: `${Each}_${Codes[Each]}` }[keyof Codes]

it('every code has words, and every word a code', () => {
  expectTypeOf<Extract<ConsoleKey, `${keyof Codes}_${string}`>>().toEqualTypeOf<CodeKey>()
})

it('a code stands in the language of the reader, one without words as it is', () => {
  expect(codeInWords(fr, 'did', 'payment.refund')).toBe('Remboursement enregistré')
  expect(codeInWords(fr, 'did', 'payment.of_an_older_program')).toBe('payment.of_an_older_program')
})

it('every act has a title, a sentence, and words for the audit trail', () => {
  const acts = actsOf<never>(CAPABILITIES).map(({ name }) => name)
  const others = ['user.look', 'operator.sign_in', 'operator.sign_out', 'operator.refused']
  expect([...acts, ...others].filter((act) => !isConsoleKey(`did_${act}`))).toEqual([])
  const named = acts.flatMap((act) => [`act_${act}`, `text_${act}`])
  expect(named.filter((key) => !isConsoleKey(key))).toEqual([])
})

it('an act that was refused is named as an action, not as something done', () => {
  expect(codeInWords(fr, 'act', 'payment.refund')).toBe('Enregistrer un remboursement')
  expect(codeInWords(fr, 'act', 'user.grant_long')).toBe('Accorder plus de 30\u00a0jours')
  expect(codeInWords(fr, 'act', 'payment.of_an_older_program')).toBe('payment.of_an_older_program')
})
