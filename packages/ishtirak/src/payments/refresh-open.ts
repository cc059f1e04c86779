// The look before the reading: whoever returns from paying and asks for his status is not told "free" because a webhook
// is late. One bounded question to the provider, shared by all who ask at once; its failure never fails the read.

import { SECOND } from '../core/instant.js'
import { isOpen, type Payment } from '../core/payment.js'
import { singleFlight } from '../runtime/async.js'
import { lookUpPayment } from './look-up-payment.js'
import type { Parts } from './parts.js'
import { claimLookAtProvider } from './sweep.sql.js'

/** A page that polls once a second should not cost the provider (about 60 calls a minute) a call a second. */
const PAUSE_BETWEEN_LOOKS = 10 * SECOND
/** What a reader is made to wait at most: `spec.md` section 1, GET /status. */
const LOOK_MS = 1_500

export type RefreshOpen = (open: Payment | null, requestId?: string) => Promise<boolean>

/** Gives true when something may have changed, so that the caller reads again. */
export function createRefreshOpen(parts: Parts): RefreshOpen {
  const shared = singleFlight<boolean>()
  return async (open, requestId) => {
    if (!open || !isOpen(open) || open.checkoutId === null) return false
    return shared(open.id, () =>
      Promise.race([look(parts, open, requestId), parts.wait(LOOK_MS).then(() => false)]),
    )
  }
}

async function look(parts: Parts, payment: Payment, requestId?: string): Promise<boolean> {
  const now = parts.clock.now()
  try {
    const when = { now, unlessSince: now - PAUSE_BETWEEN_LOOKS }
    if (!(await claimLookAtProvider(parts.database, payment, when))) return false
    const lookup = await lookUpPayment(parts, payment, { source: 'read', timeoutMs: LOOK_MS, requestId })
    return lookup.kind === 'settled'
  } catch (error) {
    // The reader gets what is stored; the sweep will ask again.
    parts.log.warn(
      { request_id: requestId, err: error, payment_id: payment.id },
      'the look at the provider failed',
    )
    return false
  }
}
