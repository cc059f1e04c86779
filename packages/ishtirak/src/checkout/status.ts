// A user's status, computed from stored facts and the clock at each read. Before that, one short lookup of an
// open payment, in case of a late webhook. Its failure does not fail the read.
import { SECOND } from '../core/instant.js'
import { isOpen, type Payment } from '../core/payment.js'
import { NEVER_PAID, statusAt } from '../core/subscription.js'
import type { SettleDeps } from '../ledger/settle.js'
import type { LoadUser } from '../ledger/users.sql.js'
import type { SingleFlight } from '../runtime/async.js'
import { askProvider } from './ask-provider.js'
import { claimLookup } from './sweep.sql.js'

export interface StatusDeps extends SettleDeps {
  /** Readers of one payment share one lookup. */
  readonly lookups: SingleFlight<boolean>
  readonly wait: (ms: number) => Promise<void>
  readonly loadUser: LoadUser
}

/** A page that polls every second must not cost the provider (about 60 calls a minute) a call a second. */
const LOOKUP_PAUSE_MS = 10 * SECOND
/** The longest that a reader of a status waits for the provider. */
const LOOKUP_MS = 1_500

/** `requestId` is for the log, here and below: it finds the lines of a lookup that booked something. */
export async function readStatus(deps: StatusDeps, userId: string, requestId?: string) {
  let loaded = await deps.loadUser(userId)
  if (loaded && (await refreshOpen(deps, loaded.open, requestId))) loaded = await deps.loadUser(userId)
  return statusAt(loaded?.user.subscription ?? NEVER_PAID, deps.clock.now(), deps.rules)
}

/** Asks the provider about an open payment. True: something may have changed, so read again. */
export async function refreshOpen(deps: StatusDeps, open: Payment | null, requestId?: string) {
  if (!open || !isOpen(open) || open.checkoutId === null) return false
  if (deps.methods.of(open.method).settledBy === 'operator') return false
  return deps.lookups(open.id, () =>
    Promise.race([lookUp(deps, open, requestId), deps.wait(LOOKUP_MS).then(() => false)]),
  )
}

async function lookUp(deps: StatusDeps, payment: Payment, requestId?: string): Promise<boolean> {
  const now = deps.clock.now()
  try {
    const when = { now, unlessSince: now - LOOKUP_PAUSE_MS }
    if (!(await claimLookup(deps.database, payment, when))) return false
    const lookup = await askProvider(deps, payment, { source: 'read', requestId })
    return lookup.ok && lookup.value.length > 0
  } catch (error) {
    // The reader gets the stored status. The sweep asks again.
    deps.log.warn(
      { request_id: requestId, err: error, payment_id: payment.id },
      'the provider could not be asked about an open payment; the stored status was shown',
    )
    return false
  }
}
