// Payments at the seller's desk, in cash or by cheque. An operator records one when the money is there, so
// nothing is opened, looked up or ended: our row is the only record.
import { type PaymentMethod, paidWhenWritten } from '../ledger/method.js'

export const DESK_METHODS = ['cash', 'cheque'] as const
export type DeskMethod = (typeof DESK_METHODS)[number]

/** Cash is accepted if the stamp duty on it is configured. `live`: real money moves. */
export function createDesk({ live, takesCash }: { readonly live: boolean; readonly takesCash: boolean }) {
  const methods = takesCash ? DESK_METHODS : (['cheque'] as const)
  return methods.map((name): PaymentMethod => {
    const traits = { name, live, bearsStampDuty: name === 'cash' }
    const method = paidWhenWritten(traits, 'an operator records these payments')
    return { ...method, checkoutName: 'deskReference' }
  })
}
