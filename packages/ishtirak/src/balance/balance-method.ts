// The balance as a payment method: it pays at once.
import { BY_BALANCE } from '../core/subscription.js'
import { type PaymentMethod, paidWhenWritten } from '../ledger/method.js'

export function createBalanceMethod({ live }: Pick<PaymentMethod, 'live'>): PaymentMethod {
  return paidWhenWritten({ name: BY_BALANCE, live, bearsStampDuty: false }, 'a balance pays at once')
}
