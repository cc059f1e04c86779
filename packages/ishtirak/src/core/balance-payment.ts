// A payment that a balance makes: written down paid, with what it bought. Pure.
import type { TakenOff } from './code.js'
import type { Instant } from './instant.js'
import type { Payment } from './payment.js'
import type { Offer } from './plan.js'
import { type AddedTime, BY_BALANCE } from './subscription.js'

export function paidByBalance(of: {
  readonly id: string
  readonly userId: string
  /** At the price that is paid. */
  readonly offer: Offer
  readonly code?: TakenOff | undefined
  readonly added: Pick<AddedTime, 'period'>
  readonly at: Instant
  /** Whether real money moves. */
  readonly live: boolean
}): Payment {
  const { id, userId, offer, code, added, at, live } = of
  return {
    kind: 'purchase',
    change: null,
    ...{ id, userId, ...offer, live },
    amountAsked: null,
    codeHash: code?.hash ?? null,
    discount: code?.discount ?? 0,
    method: BY_BALANCE,
    status: 'paid',
    checkoutId: null,
    checkoutUrl: null,
    instrument: BY_BALANCE,
    ...{ createdAt: at, expiresAt: at, attemptEndsAt: at, paidAt: at },
    periodStart: added.period.start,
    periodEnd: added.period.end,
    secondOf: null,
    review: null,
    nextCheckAt: null,
  }
}
