// Forgets the operations on usage that are old enough: nobody sends a deploy of two days ago once more. A sweep, bounded
// in each round, safe to kill at any line and to run in any number of processes.
import { HOUR } from '../core/instant.js'
import type { Parts } from '../payments/parts.js'
import { forgetUsageOperations } from './usage.sql.js'

/** How long a repeated operation is told what it was told the first time. Promised in the documentation. */
export const OPERATIONS_REMEMBERED_MS = 48 * HOUR

/** Few enough that the embedded database holds nobody up for more than some milliseconds. */
const FORGOTTEN_AT_ONCE = 1_000

/** Gives how many were forgotten, at most about `limit`. */
export async function forgetOperations(parts: Parts, limit: number): Promise<number> {
  const before = parts.clock.now() - OPERATIONS_REMEMBERED_MS
  let forgotten = 0
  while (forgotten < limit) {
    const count = await forgetUsageOperations(parts.database, before, FORGOTTEN_AT_ONCE)
    forgotten += count
    if (count < FORGOTTEN_AT_ONCE) break
  }
  return forgotten
}
