// Brings the written events to the platform's address or to the host: at least once, for each user in order.
// No transaction is open while they are awaited; what holds a user's place is a lease that ends by itself.
import { renderEvent } from '../core/event.js'
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../core/instant.js'
import type { CommonParts } from '../ledger/parts.js'
import { inBatches } from '../runtime/async.js'
import type { Random } from '../runtime/random.js'
import {
  claimUsersWithEvents,
  type Lease,
  nextEventOf,
  type OutgoingEvent,
  passOverEvents,
  saveDelivered,
  saveFailed,
  wakeUsers,
} from './deliver-events.sql.js'
import {
  disableEndpoint,
  introduceEndpoint,
  loadEventEndpoint,
  noteEndpointFailure,
  noteEndpointSuccess,
} from './event-history.sql.js'
import type { EventSender, SentEvent } from './event-sender.js'

export interface DeliveryDeps extends Pick<CommonParts, 'database' | 'clock' | 'log' | 'count'> {
  readonly wait: (ms: number) => Promise<void>
  /** Absent: events are written and not sent. */
  readonly outgoing?: Outgoing
}

interface Outgoing {
  readonly sender: EventSender
  /** Spreads the attempts that failed together. */
  readonly random: Random
  /** Users whose events this process sends now. */
  readonly lanes: Set<Promise<void>>
}

type SendingDeps = DeliveryDeps & { readonly outgoing: Outgoing }

const sends = (deps: DeliveryDeps): deps is SendingDeps => deps.outgoing !== undefined

/** Users at a time, in one process. A platform that takes a second for each gets 16 events a second. */
const LANES = 16
/** Four times the longest request (15 s): a request that still waits has long been cut off. */
export const DELIVERY_LEASE_MS = MINUTE
/** With less left of the lease nothing is sent: another process might send it at the same time. */
const LEASE_LEFT_MIN = 20 * SECOND
const ROUND_MS = 1 * SECOND
/** A platform that connects for the first time gets the events of the last days only. */
const FIRST_DAYS = 5 * DAY
/** After an outage this long all waiting events are tried at once; a shorter one the retries cover. */
const OUTAGE_MIN = 5 * MINUTE
const WOKEN_AT_ONCE = 1_000

/** For a second at most; what is slower goes on in its lane. Gives how many users were begun. */
export async function deliverEvents(deps: DeliveryDeps): Promise<number> {
  if (!sends(deps)) return 0
  const { lanes } = deps.outgoing
  let over: Promise<true> | undefined
  for (let begun = 0; ; ) {
    begun += await beginLanes(deps)
    if (lanes.size === 0) return begun
    over ??= deps.wait(ROUND_MS).then(() => true)
    if (await Promise.race([over, Promise.race(lanes).then(() => false)])) return begun
  }
}

/** Waits for the deliveries under way. */
export async function drainDeliveries({ outgoing }: Pick<DeliveryDeps, 'outgoing'>): Promise<void> {
  if (outgoing) await Promise.all(outgoing.lanes)
}

async function beginLanes(deps: SendingDeps): Promise<number> {
  const { lanes } = deps.outgoing
  const free = LANES - lanes.size
  if (free === 0) return 0
  const now = deps.clock.now()
  const { url } = deps.outgoing.sender
  const leases = await claimUsersWithEvents(deps.database, {
    now,
    limit: free,
    until: now + DELIVERY_LEASE_MS,
    url,
  })
  for (const lease of leases) {
    const lane = deliverInOrder(deps, lease).finally(() => lanes.delete(lane))
    lanes.add(lane)
  }
  return leases.length
}

/** At the start: from now on events go to this address, whatever it was before. */
export async function beginDelivery(deps: DeliveryDeps): Promise<void> {
  if (!sends(deps)) return
  const { url } = deps.outgoing.sender
  const now = deps.clock.now()
  const isNew = await introduceEndpoint(deps.database, { url, deliverFrom: now - FIRST_DAYS })
  if (isNew) return wakeAll(deps)
  const endpoint = await loadEventEndpoint(deps.database)
  if (endpoint?.disabledAt) tellOfDisabled(deps, endpoint.disabledBecause ?? '')
}

/** One user's events, until there is none left or one is not accepted. */
async function deliverInOrder(deps: SendingDeps, claimed: Lease): Promise<void> {
  try {
    for (let lease: Lease | null = claimed; lease; ) {
      const event = await nextEventOf(deps.database, lease)
      if (!event) return await passOverEvents(deps.database, lease, deps.clock.now())
      if (lease.until - deps.clock.now() < LEASE_LEFT_MIN) return
      lease = await deliver(deps, lease, event)
    }
  } catch (error) {
    // A lane that fails has lost nothing: its lease runs out, and the event is due again.
    deps.log.error({ err: error, user_id: claimed.userId }, 'the delivery of events failed')
  }
}

async function deliver(deps: SendingDeps, lease: Lease, event: OutgoingEvent): Promise<Lease | null> {
  const { sender } = deps.outgoing
  const { id, traceparent } = event
  const sent = await sender.send({
    ...{ id, body: renderEvent(event) },
    ...(traceparent !== null && { traceparent }),
  })
  const isAccepted = sent.kind === 'answer' && sent.status >= 200 && sent.status < 300
  deps.count({ name: 'event_delivery', outcome: isAccepted ? 'delivered' : 'failed' })
  if (!isAccepted) {
    await fail(deps, lease, { event, sent })
    return null
  }
  const now = deps.clock.now()
  const saved = { event, answerStatus: sent.status, now, until: now + DELIVERY_LEASE_MS }
  const next = await saveDelivered(deps.database, lease, saved)
  const failedSince = await noteEndpointSuccess(deps.database, sender.url)
  if (failedSince !== null && now - failedSince >= OUTAGE_MIN) await wakeAll(deps)
  return next
}

async function fail(
  deps: SendingDeps,
  lease: Lease,
  { event, sent }: { readonly event: OutgoingEvent; readonly sent: SentEvent },
): Promise<void> {
  const { sender, random } = deps.outgoing
  const now = deps.clock.now()
  const answerStatus = sent.kind === 'answer' ? sent.status : null
  const failure = sent.kind === 'answer' ? `answered ${sent.status}` : sent.detail
  const nextAt = nextAttemptAt(event.attempts + 1, now, random())
  await saveFailed(deps.database, lease, { event, answerStatus, failure, now, nextAt })
  const { id, userId, attempts } = event
  deps.log.warn(
    { event_id: id, user_id: userId, attempt: attempts + 1, failure },
    'an event was not accepted',
  )
  const failingSince = await noteEndpointFailure(deps.database, sender.url, now)
  const because = failingSince === null ? null : reasonToDisable(answerStatus, failingSince, now)
  if (because === null || !(await disableEndpoint(deps.database, sender.url, { now, because }))) return
  deps.count({ name: 'event_delivery', outcome: 'endpoint_disabled' })
  tellOfDisabled(deps, because)
}

/** The receiver is back (or new): those whose next step is hours away need not wait for it. */
async function wakeAll(deps: DeliveryDeps): Promise<void> {
  const now = deps.clock.now()
  await inBatches(Number.POSITIVE_INFINITY, WOKEN_AT_ONCE, (limit) =>
    wakeUsers(deps.database, { now, longestLease: now + DELIVERY_LEASE_MS, limit }),
  )
}

function tellOfDisabled(deps: DeliveryDeps, because: string): void {
  deps.log.error(
    { because, remedy: 'ishtirak events resend-waiting' },
    'the platform’s address is switched off: no event is delivered',
  )
}

/** The wait before each attempt, the first at once. Ten attempts in three days and three hours. */
export const ATTEMPT_WAITS: readonly Instant[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** An address where nothing succeeded for so long is switched off, and the log says so. */
const GIVE_UP_AFTER = 5 * DAY

/** A tenth on top at most: spreads what failed together, and keeps the steps recognisable. */
const JITTER_SHARE = 0.1

/** After `attempts` failed ones. `random` is drawn by the caller, from 0 up to but not including 1. */
export function nextAttemptAt(attempts: number, now: Instant, random: number): Instant {
  const wait = ATTEMPT_WAITS[attempts] ?? DAY
  return now + Math.round(wait * (1 + JITTER_SHARE * random))
}

/** As it is stored, in English. */
export const DISABLED_BECAUSE = {
  gone: 'it answered 410 Gone',
  failing: 'no attempt has succeeded for five days',
} as const

/** Why an address is switched off after an attempt that failed, or null while there is hope. */
export function reasonToDisable(
  answerStatus: number | null,
  failingSince: Instant,
  now: Instant,
): string | null {
  if (answerStatus === 410) return DISABLED_BECAUSE.gone
  return now - failingSince >= GIVE_UP_AFTER ? DISABLED_BECAUSE.failing : null
}
