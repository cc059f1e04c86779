// What is owed to users: what came to their balances in a month, what was earned of it, and what else left.
// The three agree, because they are sums of one chain of entries. An entry belongs to the month of its date:
// a renewal to the month in which it was due, as its sale does, even if the job booked it later.
import type { EntryKind } from '../core/balance.js'
import type { Queryable } from '../database/database.js'
import type { Clock } from '../runtime/clock.js'
import type { ClosedSpan } from './figures.sql.js'
import { type Entered, enteredUntil, unbookedBefore } from './owed.sql.js'

const EARNED: readonly EntryKind[] = ['purchase', 'renewal']

/** In whole dinars. Null: nothing was on a balance by the end of the month. */
export async function readOwed(
  { database, clock }: { readonly database: Queryable; readonly clock: Clock },
  month: Pick<ClosedSpan, 'from' | 'to' | 'until'>,
) {
  const [all, unbooked] = await Promise.all([
    enteredUntil(database, month),
    unbookedBefore(database, Math.min(month.to, clock.now())),
  ])
  if (all.length === 0) return null
  const ofMonth = all.filter(({ isOfMonth }) => isOfMonth)
  const before = sum(all.filter(({ isOfMonth }) => !isOfMonth))
  const came = ofMonth.filter(({ amount }) => amount > 0)
  const went = ofMonth.filter(({ amount }) => amount < 0)
  const [cameIn, earned] = [sum(came), -sum(went, ...EARNED)]
  const [corrected, paid_out] = [-sum(went, 'correction'), -sum(went, 'paid_out')]
  return {
    owed_before: before,
    came_in: {
      top_ups: sum(came, 'top_up'),
      surplus: sum(came, 'surplus'),
      returned: sum(came, 'returned'),
      corrected: sum(came, 'correction'),
      total: cameIn,
    },
    ...{ earned, corrected, paid_out, owed: before + cameIn - earned - corrected - paid_out, unbooked },
  }
}

/** Sums all kinds if none is named. */
function sum(of: readonly Entered[], ...kinds: readonly EntryKind[]): number {
  const counted = kinds.length === 0 ? of : of.filter(({ kind }) => kinds.includes(kind))
  return counted.reduce((total, { amount }) => total + amount, 0)
}
