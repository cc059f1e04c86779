// The acts on a payment that are not one object yet.

import { mayDo } from '../core/role.js'
import type { PaymentFile } from '../overview/acts.js'
import type { AllPages } from '../overview/all-pages.js'
import type { PaymentAct } from '../overview/payment-act.js'
import type { View } from '../pages/console-frame.js'
import { TRANSFER_ACTS } from '../transfers/transfer-acts.js'

export const PAYMENT_ACTS = {
  ...TRANSFER_ACTS,
} as const satisfies Readonly<Record<string, PaymentAct>>

export type PaymentActName = keyof typeof PAYMENT_ACTS
export const PAYMENT_ACT_NAMES = Object.keys(PAYMENT_ACTS).filter(isActName)

function isActName(name: string): name is PaymentActName {
  return Object.hasOwn(PAYMENT_ACTS, name)
}

/** By the state of the payment, to this role, and where the service can do it. */
export function actsOffered(
  pages: AllPages,
  { session }: View,
  file: PaymentFile,
): readonly PaymentActName[] {
  return PAYMENT_ACT_NAMES.filter((name) => {
    const { act, isOffered, isPossible }: PaymentAct = PAYMENT_ACTS[name]
    return mayDo(session.operator, act) && isOffered(file) && isPossible?.(pages) !== false
  })
}
