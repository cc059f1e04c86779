// Payments at the seller's desk, in cash or by cheque. An operator records one when the money is there, so
// nothing is opened, looked up or ended: our row is the only record.
import { type PaymentMethod, paidWhenWritten } from '../ledger/method.js'

/** The names of the methods on the wire. */
export const DESK_METHODS = ['cash', 'cheque'] as const
export type DeskMethod = (typeof DESK_METHODS)[number]

/** Cash is accepted if the stamp duty on it is configured. */
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
  const method = paidWhenWritten({ name, ...traits }, 'an operator records these payments')
  return { ...method, checkoutName: 'deskReference' }
}
