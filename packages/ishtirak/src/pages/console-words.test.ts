// What the pages say of codes, and of texts that are kept in English.

import { expect, expectTypeOf, it } from 'vitest'
import { actsOf } from '../acts/capability.js'
import type { Check } from '../acts/check.js'
import type { MailVerdict } from '../core/announcement.js'
import type { ReportSource } from '../core/checkout.js'
import type { Differing } from '../core/difference.js'
import type { EventType } from '../core/event.js'
import type { PaymentKind } from '../core/payment.js'
import { DISABLED_BECAUSE } from '../events/deliver-events.js'
import { disabledInWords } from '../events/disabled-words.js'
import { type ConsoleKey, consoleSay, isConsoleKey } from '../i18n/console.js'
import type { SettlementResult } from '../ledger/settle.js'
import { CAPABILITIES } from '../main/capabilities.js'
import { actionInWords, codeInWords, failureInWords, mailedInWords } from './console-words.js'

const titles = new Map<string, string>(
  actsOf<never>(CAPABILITIES).map(({ name, texts }) => [name, texts.title.fr]),
)
const fr = { say: consoleSay('fr'), titleOfAct: (name: string) => titles.get(name) }

/** By the beginning of their keys. */
interface Codes {
  readonly source: ReportSource
  readonly outcome: SettlementResult | 'reported' | 'not_about_a_checkout'
  readonly event: EventType
  readonly mailed: Exclude<MailVerdict, 'send'> | 'sent' | 'refused' | 'failed'
  readonly differing: Differing
  readonly disabled: keyof typeof DISABLED_BECAUSE
  readonly way: PaymentKind
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

it('every act has words for the audit trail', () => {
  const acts = actsOf<never>(CAPABILITIES).map(({ name }) => name)
  const others = ['user.look', 'operator.sign_in', 'operator.sign_out', 'operator.refused']
  expect([...acts, ...others].filter((act) => !isConsoleKey(`did_${act}`))).toEqual([])
})

it('an act that was refused is named as an action, not as something done', () => {
  expect(actionInWords(fr, 'payment.refund')).toBe('Enregistrer un remboursement')
  expect(actionInWords(fr, 'user.grant_long')).toBe('Accorder plus de 30\u00a0jours')
  expect(actionInWords(fr, 'payment.of_an_older_program')).toBe('payment.of_an_older_program')
})

it('what became of a mail is said with the answer of the mail server', () => {
  expect(mailedInWords(fr, 'sent')).toBe('envoyé')
  expect(mailedInWords(fr, 'refused: 550 no such user')).toBe(
    'refusé par le serveur de messagerie\u00a0: 550 no such user',
  )
})

it('why an event was not accepted, and why the address is switched off', () => {
  expect(failureInWords(fr, 'answered 503')).toBe('a répondu avec le code 503')
  expect(failureInWords(fr, 'no answer within 15000 ms')).toBe('aucune réponse en 15\u00a0s')
  expect(failureInWords(fr, 'ECONNREFUSED')).toBe('ECONNREFUSED')
  expect(disabledInWords(fr, DISABLED_BECAUSE.failing)).toBe('aucune tentative n’a abouti depuis cinq jours')
  expect(disabledInWords(fr, 'of an older program')).toBe('of an older program')
})
