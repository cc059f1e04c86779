import { verbOf } from '../../packages/ishtirak/src/acts/act.js'
import { actsOf } from '../../packages/ishtirak/src/acts/capability.js'
import type { Permission } from '../../packages/ishtirak/src/core/role.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'

type KnownAct = { name: string; permission: Permission }

export const PAYMENT_ACTS_BY_VERB = byVerb('payment')
export const USER_ACTS_BY_VERB = byVerb('user')
export const PAYMENT_VERBS = Object.keys(PAYMENT_ACTS_BY_VERB)
export const USER_VERBS = Object.keys(USER_ACTS_BY_VERB)

export const USER_QUESTIONS: Readonly<Record<string, string>> = {
  grant: '?days=14',
  'correct-address': '?email=right@example.dz',
  correct: '?amount=100',
  'pay-out': '?amount=100',
  record: '?offer=1+pro&method=cheque&reference=BNA+1234567',
}

function byVerb(subject: string): Readonly<Record<string, KnownAct>> {
  const acts = actsOf<never>(CAPABILITIES).filter(({ on }) => on.name === subject)
  return Object.fromEntries(acts.map((act) => [verbOf(act), { name: act.name, permission: act }]))
}
