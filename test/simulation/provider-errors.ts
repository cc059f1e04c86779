// What the provider gets wrong when it tells of a payment: told twice under two ids, an old failure after the success,
// another amount, a bank that takes its time. The API goes on telling the truth, so the sweep puts all of it right.
import type { Faults } from '../../packages/chargily-emulator/src/faults.js'
import type { Dice } from './random.js'

export function faultsOfEvents(dice: Dice): Partial<Faults> {
  const kinds = { none: 12, twice: 3, stale: 2, amount: 1, mode: 1, currency: 1, slow: 2, unsigned: 1 }
  switch (dice.weighed(kinds)) {
    case 'twice':
      return { duplicate: { count: dice.between(1, 2), new_event_id: true } }
    case 'stale':
      return { reorder: { order: 'failed_after_paid' } }
    case 'amount':
      return { wrong_amount: { amount: 50 } }
    case 'mode':
      return { wrong_mode: {} }
    case 'currency':
      return { wrong_currency: {} }
    case 'slow':
      return { processing: { seconds: dice.pick([5, 100, 1200]) } }
    case 'unsigned':
      return { bad_signature: {} }
    default:
      return {}
  }
}
