// Faults of the provider's events: one payment under two event ids, an old failure after the success, another
// amount, a slow bank. The API keeps reporting the truth, so the sweep corrects all of them.
import type { Faults } from '../../packages/chargily-emulator/src/faults.js'
import type { SeededRandom } from '../support/random.js'

export function faultsOfEvents(random: SeededRandom): Partial<Faults> {
  const kinds = { none: 12, twice: 3, stale: 2, amount: 1, mode: 1, currency: 1, slow: 2, unsigned: 1 }
  switch (random.weighted(kinds)) {
    case 'twice':
      return { duplicate: { count: random.between(1, 2), new_event_id: true } }
    case 'stale':
      return { reorder: { order: 'failed_after_paid' } }
    case 'amount':
      return { wrong_amount: { amount: 50 } }
    case 'mode':
      return { wrong_mode: {} }
    case 'currency':
      return { wrong_currency: {} }
    case 'slow':
      return { processing: { seconds: random.pick([5, 100, 1200]) } }
    case 'unsigned':
      return { bad_signature: {} }
    default:
      return {}
  }
}
