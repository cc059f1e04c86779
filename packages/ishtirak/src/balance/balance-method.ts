// The balance as a way to pay: it pays at once, so nothing is opened, looked at or ended.
import { DAY } from '../core/instant.js'
import { BY_BALANCE } from '../core/subscription.js'
import type { PaymentMethod } from '../ledger/method.js'

export function createBalanceMethod({ live }: Pick<PaymentMethod, 'live'>): PaymentMethod {
  return {
    name: BY_BALANCE,
    live,
    // Nothing of it can be begun and left open, by whoever.
    begunBy: 'operator',
    settledBy: 'operator',
    bearsStampDuty: false,
    accounts: [],
    instruments: [BY_BALANCE],
    leastAmount: 0,
    checkoutLifetimeMs: 0,
    looksAfterMs: [DAY],
    acknowledgeWithinMs: null,
    list: null,
    webhook: null,
    createCheckout: async () => ({
      ok: false,
      failure: { kind: 'rejected', status: 422, detail: 'a balance pays at once', errors: {} },
    }),
    getCheckout: async () => ({ ok: true, value: null }),
    expireCheckout: async () => ({ ok: true, value: null }),
    checkKey: async () => ({ ok: true, value: true }),
  }
}
