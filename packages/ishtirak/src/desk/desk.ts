// Payments at the seller's desk, in cash or by cheque. An operator records one when the money is there, so
// nothing is opened, looked at or ended: our row is all that there is, and these methods know nothing beside
// it.
import { DAY } from '../core/instant.js'
import type { PaymentMethod } from '../ledger/method.js'
import './words.js'

/** As they are named on the wire. */
export const DESK_METHODS = ['cash', 'cheque'] as const
export type DeskMethod = (typeof DESK_METHODS)[number]

/** Cash is taken where the stamp duty on it is known. */
export function createDesk(of: {
  /** Whether real money moves. */
  readonly live: boolean
  readonly takesCash: boolean
}): readonly PaymentMethod[] {
  const { live, takesCash } = of
  const cheque = deskMethod('cheque', { live, bearsStampDuty: false })
  return takesCash ? [deskMethod('cash', { live, bearsStampDuty: true }), cheque] : [cheque]
}

function deskMethod(name: DeskMethod, traits: Pick<PaymentMethod, 'live' | 'bearsStampDuty'>): PaymentMethod {
  return {
    name,
    ...traits,
    checkoutName: 'deskReference',
    begunBy: 'operator',
    settledBy: 'operator',
    accounts: [],
    instruments: [name],
    leastAmount: 0,
    // It is paid when it is written.
    checkoutLifetimeMs: 0,
    looksAfterMs: [DAY],
    acknowledgeWithinMs: null,
    list: null,
    webhook: null,
    createCheckout: async () => ({
      ok: false,
      failure: { kind: 'rejected', status: 422, detail: 'an operator records these payments', errors: {} },
    }),
    getCheckout: async () => ({ ok: true, value: null }),
    expireCheckout: async () => ({ ok: true, value: null }),
    checkKey: async () => ({ ok: true, value: true }),
  }
}
