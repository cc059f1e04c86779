// A user's status: computed from stored facts and the clock at each read. Before, one bounded question to the
// provider about an open payment, for late webhooks; its failure fails no read.
import { SECOND } from '../core/instant.js'
import { isOpen, type Payment } from '../core/payment.js'
import { NEVER_PAID, type Subscription, statusAt } from '../core/subscription.js'
import type { SettleDeps } from '../ledger/settle.js'
import type { LoadUser } from '../ledger/users.sql.js'
import type { SingleFlight } from '../runtime/async.js'
import { askProvider } from './ask-provider.js'
import { claimLookAtProvider } from './sweep.sql.js'

export interface RefreshDeps extends SettleDeps {
  /** Readers who ask about one payment at once share one question. */
  readonly looks: SingleFlight<boolean>
  readonly wait: (ms: number) => Promise<void>
}

export interface StatusDeps extends RefreshDeps {
  readonly loadUser: LoadUser
}

/** A page that polls once a second should not cost the provider (about 60 calls a minute) a call a second. */
const PAUSE_BETWEEN_LOOKS = 10 * SECOND
/** What a reader is made to wait at most: `spec.md` section 1, GET /status. */
const LOOK_MS = 1_500

/** `requestId` is for the log, here and below: what a look at the provider books is found by it. */
export async function readStatus(
  deps: StatusDeps,
  userId: string,
  requestId?: string,
): Promise<Subscription> {
  let loaded = await deps.loadUser(userId)
  if (loaded && (await refreshOpen(deps, loaded.open, requestId))) loaded = await deps.loadUser(userId)
  return statusAt(loaded?.user.subscription ?? NEVER_PAID, deps.clock.now(), deps.rules)
}

/** Asks the provider about an open payment. True: something may have changed, so read again. */
export async function refreshOpen(
  deps: RefreshDeps,
  open: Payment | null,
  requestId?: string,
): Promise<boolean> {
  if (!open || !isOpen(open) || open.checkoutId === null) return false
  if (deps.methods.of(open.method).settledBy === 'operator') return false
  return deps.looks(open.id, () =>
    Promise.race([look(deps, open, requestId), deps.wait(LOOK_MS).then(() => false)]),
  )
}

async function look(deps: RefreshDeps, payment: Payment, requestId?: string): Promise<boolean> {
  const now = deps.clock.now()
  try {
    const when = { now, unlessSince: now - PAUSE_BETWEEN_LOOKS }
    if (!(await claimLookAtProvider(deps.database, payment, when))) return false
    const lookup = await askProvider(deps, payment, { source: 'read', requestId })
    return lookup.ok && lookup.value.length > 0
  } catch (error) {
    // The reader gets what is stored; the sweep asks again.
    deps.log.warn(
      { request_id: requestId, err: error, payment_id: payment.id },
      'the look at the provider failed',
    )
    return false
  }
}
