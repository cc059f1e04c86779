// Delivers the written events to the platform's address or to the host: at least once, and in order for each
// user. No transaction is open while a receiver is awaited. A lease that ends by itself reserves the user.
import { renderEvent } from '../core/event.js'
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import { inBatches } from '../runtime/async.js'
import type { Random } from '../runtime/random.js'
import type { Tracing } from '../runtime/tracing.js'
import {
  claimUsersWithEvents,
  type Lease,
  nextEventOf,
  type OutgoingEvent,
  passOverEvents,
  retryWaiting,
  saveAttempt,
} from './deliver-events.sql.js'
import {
  introduceEndpoint,
  loadEventEndpoint,
  noteEndpointFailure,
  noteEndpointSuccess,
} from './event-history.sql.js'
import { type EventSender, isAccepted } from './event-sender.js'

export interface DeliveryDeps extends Pick<CommonParts, 'database' | 'clock' | 'log' | 'count'> {
  readonly tracing?: Tracing
  readonly wait: (ms: number) => Promise<void>
  /** Absent: there is no receiver, and events are only stored. */
  readonly outgoing?: Outgoing
}

interface Outgoing {
  readonly sender: EventSender
  /** Spreads the next attempts of events that failed together. */
  readonly random: Random
  /** The deliveries under way in this process, one for each user. */
  readonly lanes: Set<Promise<void>>
}

type SendingDeps = DeliveryDeps & { readonly outgoing: Outgoing }

const hasReceiver = (deps: DeliveryDeps): deps is SendingDeps => deps.outgoing !== undefined

/** Users at a time in one process. A platform that answers within a second gets 16 events a second. */
const LANES = 16
/** Four times the longest request (15 s), so no request is under way when the lease ends. */
export const DELIVERY_LEASE_MS = MINUTE
/** With less of the lease left, nothing is sent: another process might send the same event meanwhile. */
const LEASE_LEFT_MIN = 20 * SECOND
const ROUND_MS = 1 * SECOND
/** A platform that connects for the first time gets the events of the last five days. */
const FIRST_DAYS = 5 * DAY
/** After an outage of this length all waiting events are sent at once. */
const OUTAGE_MIN = 5 * MINUTE
const WOKEN_AT_ONCE = 1_000

/** Takes a second at most; slower deliveries go on afterwards. Returns for how many users it began. */
export async function deliverEvents(deps: DeliveryDeps): Promise<number> {
  if (!hasReceiver(deps)) return 0
  const { lanes } = deps.outgoing
  let over: Promise<true> | undefined
  for (let begun = 0; ; ) {
    begun += await beginLanes(deps)
    if (lanes.size === 0) return begun
    over ??= deps.wait(ROUND_MS).then(() => true)
    if (await Promise.race([over, Promise.race(lanes).then(() => false)])) return begun
  }
}

export async function drainDeliveries({ outgoing }: Pick<DeliveryDeps, 'outgoing'>): Promise<void> {
  if (outgoing) await Promise.all(outgoing.lanes)
}

async function beginLanes(deps: SendingDeps): Promise<number> {
  const { lanes } = deps.outgoing
  const free = LANES - lanes.size
  if (free === 0) return 0
  const now = deps.clock.now()
  const { url } = deps.outgoing.sender
  const claim = { now, limit: free, until: now + DELIVERY_LEASE_MS, url }
  const leases = await claimUsersWithEvents(deps.database, claim)
  for (const lease of leases) {
    const lane = deliverInOrder(deps, lease).finally(() => lanes.delete(lane))
    lanes.add(lane)
  }
  return leases.length
}

/** Called at the start: from now on events go to this address, whatever the address was before. */
export async function beginDelivery(deps: DeliveryDeps): Promise<void> {
  if (!hasReceiver(deps)) return
  const { url } = deps.outgoing.sender
  const now = deps.clock.now()
  const isNew = await introduceEndpoint(deps.database, { url, deliverFrom: now - FIRST_DAYS })
  if (isNew) return wakeAll(deps)
  const endpoint = await loadEventEndpoint(deps.database)
  if (endpoint?.disabled_because) logDisabled(deps, endpoint.disabled_because)
}

/** Sends one user's events until none is left or one is not accepted. */
async function deliverInOrder(deps: SendingDeps, claimed: Lease): Promise<void> {
  try {
    for (let lease: Lease | null = claimed; lease; ) {
      const event = await nextEventOf(deps.database, lease)
      if (!event) return await passOverEvents(deps.database, lease, deps.clock.now())
      if (lease.until - deps.clock.now() < LEASE_LEFT_MIN) return
      lease = await deliver(deps, lease, event)
    }
  } catch (error) {
    // Nothing is lost: the lease ends, and the event is due again.
    const { userId } = claimed
    deps.log.error({ err: error, user_id: userId }, 'events could not be delivered: they are due in a minute')
  }
}

async function deliver(deps: SendingDeps, lease: Lease, event: OutgoingEvent): Promise<Lease | null> {
  const { database, clock, log, tracing } = deps
  const { sender, random } = deps.outgoing
  const { id, userId, sequence, attempts, traceparent } = event
  const send = () => sender.send({ id, body: renderEvent(event) })
  const sent = await (tracing ? tracing.span('event delivery', traceparent, send) : send())
  const isDelivered = isAccepted(sent)
  deps.count({ name: 'event_delivery', outcome: isDelivered ? 'delivered' : 'failed' })
  const now = clock.now()
  const answerStatus = sent.kind === 'answer' ? sent.status : null
  if (isDelivered) {
    const dueAt = sequence < lease.written ? now + DELIVERY_LEASE_MS : now
    const next = await saveAttempt(database, lease, { event, now, answerStatus, failure: null, dueAt })
    const failedSince = await noteEndpointSuccess(database, sender.url)
    if (failedSince !== null && now - failedSince >= OUTAGE_MIN) await wakeAll(deps)
    return next
  }
  const failure = sent.kind === 'answer' ? `answered ${sent.status}` : sent.detail
  const dueAt = nextAttemptAt(attempts + 1, now, random())
  await saveAttempt(database, lease, { event, now, answerStatus, failure, dueAt })
  const line = { event_id: id, user_id: userId, attempt: attempts + 1, failure }
  log.warn(line, 'the platform did not accept an event: it is sent again later')
  const because = await noteEndpointFailure(database, sender.url, { now, isGone: answerStatus === 410 })
  if (because !== null) {
    deps.count({ name: 'event_delivery', outcome: 'endpoint_disabled' })
    logDisabled(deps, because)
  }
  return null
}

/** No lease ends after `later`, so users whose events are being sent are left out. */
async function wakeAll({ database, clock }: DeliveryDeps): Promise<void> {
  const now = clock.now()
  await retryAll(database, { now, later: now + DELIVERY_LEASE_MS, isAfresh: false })
}

/** Makes all users due now whose next attempt is after `later`, and returns how many. */
export function retryAll(database: Queryable, of: Omit<Parameters<typeof retryWaiting>[1], 'limit'>) {
  return inBatches(Number.POSITIVE_INFINITY, WOKEN_AT_ONCE, (limit) =>
    retryWaiting(database, { ...of, limit }),
  )
}

function logDisabled(deps: DeliveryDeps, because: string): void {
  deps.log.error(
    { because, remedy: 'ishtirak events resend-waiting' },
    'the platform’s address is switched off: no event is delivered. Mend the receiver, then run the remedy',
  )
}

/** The wait before each attempt; the first has none. Ten attempts take three days and three hours. */
export const ATTEMPT_WAITS: readonly Instant[] = [
  ...[0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
]

/** Waits are at most a tenth longer: this spreads events that failed together. */
const JITTER_SHARE = 0.1

/** The next attempt after `attempts` failed ones. `random` is at least 0 and less than 1. */
export function nextAttemptAt(attempts: number, now: Instant, random: number): Instant {
  const wait = ATTEMPT_WAITS[attempts] ?? DAY
  return now + Math.round(wait * (1 + JITTER_SHARE * random))
}
