// Brings the written events to the platform: at least once, for each user one after the other, users beside each other.
// No transaction is open while the platform is awaited; what holds a user's place is a lease that ends by itself.
import { DAY, MINUTE, SECOND } from '../core/instant.js'
import type { Outgoing, Parts } from '../payments/parts.js'
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
} from './event-endpoint.sql.js'
import { nextAttemptAt, reasonToDisable } from './retry-schedule.js'
import type { SentEvent } from './webhook-sender.js'

export interface EventDelivery {
  /** At the start: from now on events go to this address, whatever it was before. */
  introduce(): Promise<void>
  /** Sends what is due, for a second at most; what is slower goes on in its lane. Gives how many users were begun. */
  run(): Promise<number>
  /** Waits for those under way. */
  drain(): Promise<void>
}

/** Users at a time, in one process. A platform that takes a second for each gets 16 events a second. */
const LANES = 16
/** Four times the longest request (15 s): whoever still waits has long been cut off. */
export const LEASE_MS = MINUTE
/** With less left of the lease nothing is sent: somebody else might send it at the same time. */
const LEASE_LEFT_MIN = 20 * SECOND
const ROUND_MS = 1 * SECOND
/** The platform that connects for the first time hears of the last days, not of years. */
const FIRST_DAYS = 5 * DAY
/** After a failure this long everybody is tried at once when it is over; a shorter one the first steps bridge. */
const OUTAGE_MIN = 5 * MINUTE
const WOKEN_AT_ONCE = 1_000

export function createEventDelivery(parts: Parts): EventDelivery {
  const { outgoing } = parts
  if (!outgoing) return { introduce: async () => undefined, run: async () => 0, drain: async () => undefined }
  const underWay = new Set<Promise<void>>()

  const begin = async (): Promise<number> => {
    const free = LANES - underWay.size
    const leases = free > 0 ? await claim(parts, outgoing, free) : []
    for (const lease of leases) {
      const lane = deliverInOrder(parts, outgoing, lease).finally(() => underWay.delete(lane))
      underWay.add(lane)
    }
    return leases.length
  }
  return {
    introduce: () => introduce(parts, outgoing),
    run: async () => {
      let over: Promise<true> | undefined
      for (let begun = 0; ; ) {
        begun += await begin()
        if (underWay.size === 0) return begun
        over ??= parts.wait(ROUND_MS).then(() => true)
        if (await Promise.race([over, Promise.race(underWay).then(() => false)])) return begun
      }
    },
    drain: async () => {
      await Promise.all(underWay)
    },
  }
}

async function introduce(parts: Parts, { sender }: Outgoing): Promise<void> {
  const { url } = sender
  const now = parts.clock.now()
  const isNew = await introduceEndpoint(parts.database, { url, deliverFrom: now - FIRST_DAYS })
  if (isNew) return wakeAll(parts)
  const endpoint = await loadEventEndpoint(parts.database)
  if (endpoint?.disabledAt) tellOfDisabled(parts, endpoint.disabledBecause ?? '')
}

function claim(parts: Parts, { sender }: Outgoing, limit: number): Promise<readonly Lease[]> {
  const now = parts.clock.now()
  return claimUsersWithEvents(parts.database, { now, limit, until: now + LEASE_MS, url: sender.url })
}

/** One user's events, until there is none left or one is not accepted. */
async function deliverInOrder(parts: Parts, outgoing: Outgoing, claimed: Lease): Promise<void> {
  try {
    for (let lease: Lease | null = claimed; lease; ) {
      const event = await nextEventOf(parts.database, lease, parts.clock.now() - FIRST_DAYS)
      if (!event) return await passOverEvents(parts.database, lease, parts.clock.now())
      if (lease.until - parts.clock.now() < LEASE_LEFT_MIN) return
      lease = await deliver(parts, outgoing, lease, event)
    }
  } catch (error) {
    // A lane that fails has lost nothing: its lease runs out, and the event is due again.
    parts.log.error({ err: error, user_id: claimed.userId }, 'the delivery of events was cut off')
  }
}

async function deliver(
  parts: Parts,
  outgoing: Outgoing,
  lease: Lease,
  event: OutgoingEvent,
): Promise<Lease | null> {
  const sent = await outgoing.sender.send({ id: event.id, body: bodyOf(event) })
  const isAccepted = sent.kind === 'answer' && sent.status >= 200 && sent.status < 300
  parts.count({ name: 'event_delivery', outcome: isAccepted ? 'delivered' : 'failed' })
  if (!isAccepted) {
    await fail(parts, outgoing, lease, { event, sent })
    return null
  }
  const now = parts.clock.now()
  const saved = { event, answerStatus: sent.status, now, until: now + LEASE_MS }
  const next = await saveDelivered(parts.database, lease, saved)
  const failedSince = await noteEndpointSuccess(parts.database, outgoing.sender.url)
  if (failedSince !== null && now - failedSince >= OUTAGE_MIN) await wakeAll(parts)
  return next
}

async function fail(
  parts: Parts,
  { sender, random }: Outgoing,
  lease: Lease,
  { event, sent }: { readonly event: OutgoingEvent; readonly sent: SentEvent },
): Promise<void> {
  const now = parts.clock.now()
  const answerStatus = sent.kind === 'answer' ? sent.status : null
  const failure = sent.kind === 'answer' ? `answered ${sent.status}` : sent.detail
  const nextAt = nextAttemptAt(event.attempts + 1, now, random())
  await saveFailed(parts.database, lease, { event, answerStatus, failure, now, nextAt })
  const { id, userId, attempts } = event
  parts.log.warn(
    { event_id: id, user_id: userId, attempt: attempts + 1, failure },
    'an event was not accepted',
  )
  const failingSince = await noteEndpointFailure(parts.database, sender.url, now)
  const because = failingSince === null ? null : reasonToDisable(answerStatus, failingSince, now)
  if (because === null || !(await disableEndpoint(parts.database, sender.url, { now, because }))) return
  parts.count({ name: 'event_delivery', outcome: 'endpoint_disabled' })
  tellOfDisabled(parts, because)
}

/** The receiver is back (or new): those whose next step is hours away need not wait for it. */
async function wakeAll(parts: Parts): Promise<void> {
  const now = parts.clock.now()
  const of = { now, longestLease: now + LEASE_MS, limit: WOKEN_AT_ONCE }
  while ((await wakeUsers(parts.database, of)) === WOKEN_AT_ONCE);
}

function tellOfDisabled(parts: Parts, because: string): void {
  parts.log.error(
    { because, remedy: 'ishtirak events resend --all-undelivered' },
    'EVENTS_URL is switched off: no event is delivered',
  )
}

/** The stored payload. The database keeps no order of members; the first ones are put where a reader looks for them. */
function bodyOf({ payload: { type, timestamp, data } }: OutgoingEvent): string {
  return JSON.stringify({ type, timestamp, data })
}
