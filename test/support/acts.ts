// The acts of operators on a payment and on a user, as the console and the API know them.

import { verbOf } from '../../packages/ishtirak/src/acts/act.js'
import { actsOf } from '../../packages/ishtirak/src/acts/capability.js'
import { USER_ACTS } from '../../packages/ishtirak/src/console/user-acts.js'
import type { Act, Permission } from '../../packages/ishtirak/src/core/role.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'

interface KnownAct {
  /** In the audit trail. */
  readonly name: string
  readonly permission: Act | Permission
  /** Stands before the name of an operation; absent: it stands alone. */
  readonly key?: string
}

/** By the end of their addresses. */
export const PAYMENT_ACTS_BY_VERB = byVerb('payment', {})
export const USER_ACTS_BY_VERB = byVerb('user', USER_ACTS)
export const PAYMENT_VERBS = Object.keys(PAYMENT_ACTS_BY_VERB)
export const USER_VERBS = Object.keys(USER_ACTS_BY_VERB)

function byVerb(subject: string, others: Readonly<Record<string, { readonly act: Act }>>) {
  const acts = actsOf<never>(CAPABILITIES).filter(({ on }) => on.name === subject)
  const known: Record<string, KnownAct> = {}
  for (const act of acts) known[verbOf(act)] = { name: act.name, permission: act, key: act.name }
  for (const [verb, { act }] of Object.entries(others)) known[verb] = { name: act, permission: act }
  return known
}
