// From a change of a checkout to the deliveries that tell of it. Here the faults of events are carried out: what
// leaves may be lost, late, doubled, out of order, falsely signed or false, exactly as switched on.

import { sign } from './api-keys.js'
import { type EmulatorContext, newId } from './context.js'
import { type EventFacts, encodeEvent, eventData } from './event.js'
import type { JsonObject } from './php-json.js'
import type { CheckoutRecord, DeliveryRecord, EventType } from './records.js'

/**
 * The deliveries to be made for the checkout's new state, in the order of sending; none without an endpoint.
 * With `staleFailure` the event of an earlier, failed card follows the one that says paid.
 */
export function deliveriesFor(
  desk: EmulatorContext,
  checkout: CheckoutRecord,
  staleFailure = false,
): DeliveryRecord[] {
  const url = checkout.webhook_endpoint ?? desk.webhookEndpoint
  const type = eventTypeOf(checkout)
  if (url === null || type === null) return []
  const event = factsOf(desk, checkout, type)
  const stale = staleFailure && type === 'checkout.paid' ? [earlierFailure(desk, checkout)] : []
  const events = [...copiesOf(desk, event), ...stale]
  const firstId = newId(desk)
  const schedule = scheduleOf(desk)
  return sealed(desk, events, checkout.livemode).map((parcel, index) => ({
    id: index === 0 ? firstId : newId(desk),
    livemode: checkout.livemode,
    event_id: parcel.event.id,
    type: parcel.event.type,
    checkout_id: checkout.id,
    url,
    body: parcel.body,
    signature: parcel.signature,
    attempts: [],
    tries: 0,
    // Copies go out together, to meet at the merchant; only the stale event must come second.
    after_id: parcel.event.type === type ? null : firstId,
    ...schedule,
  }))
}

function scheduleOf(desk: EmulatorContext): Pick<DeliveryRecord, 'state' | 'next_attempt_at_ms'> {
  const delaySeconds = desk.faults.use('delay')?.seconds ?? 0
  if (desk.faults.use('drop')) return { state: 'dropped', next_attempt_at_ms: null }
  return { state: 'pending', next_attempt_at_ms: desk.clock.now() + delaySeconds * 1000 }
}

/** The card that was refused before the one that paid, told of too late. */
function earlierFailure(desk: EmulatorContext, checkout: CheckoutRecord): EventFacts {
  return factsOf(desk, { ...checkout, status: 'failed' }, 'checkout.failed')
}

function eventTypeOf({ status }: CheckoutRecord): EventType | null {
  return status === 'pending' || status === 'processing' ? null : `checkout.${status}`
}

function factsOf(desk: EmulatorContext, checkout: CheckoutRecord, type: EventType): EventFacts {
  const wrongMode = desk.faults.use('wrong_mode') !== null
  const livemode = wrongMode !== checkout.livemode
  const data = { ...eventData(desk, checkout), ...falsehoods(desk) }
  const told: JsonObject = 'livemode' in data ? { ...data, livemode } : data
  return { id: newId(desk), type, at: desk.clock.nowSeconds(), livemode, data: told }
}

/** Lies that are rightly signed: only a comparison with one's own books finds them. */
function falsehoods(desk: EmulatorContext): JsonObject {
  const amount = desk.faults.use('wrong_amount')
  const currency = desk.faults.use('wrong_currency')
  return { ...amount, ...currency }
}

function copiesOf(desk: EmulatorContext, event: EventFacts): EventFacts[] {
  const duplicate = desk.faults.use('duplicate')
  const further = Array.from({ length: duplicate?.count ?? 0 }, () =>
    duplicate?.new_event_id ? { ...event, id: newId(desk) } : event,
  )
  return [event, ...further]
}

interface Parcel {
  readonly event: EventFacts
  readonly body: string
  readonly signature: string | null
}

/** The bytes and signatures; a fault of them is drawn once and spoils every copy alike. */
function sealed(desk: EmulatorContext, events: readonly EventFacts[], livemode: boolean): Parcel[] {
  const key = signingKey(desk, livemode)
  const reserialised = desk.faults.use('reserialised_body') !== null
  const truncated = desk.faults.use('truncated_body')
  const badSignature = desk.faults.use('bad_signature')?.kind
  return events.map((event) => {
    const whole = encodeEvent(desk, event)
    const cut = truncated ? whole.slice(0, whole.length >> 1) : whole
    const body = reserialised ? JSON.stringify(JSON.parse(whole)) : cut
    const honest = sign(truncated?.signed ? cut : whole, key)
    return { event, body, signature: badSignature ? spoilt(badSignature, whole) : honest }
  })
}

function spoilt(kind: 'wrong' | 'missing' | 'garbage', body: string): string | null {
  if (kind === 'missing') return null
  return kind === 'garbage' ? 'not-a-signature' : sign(body, 'a key that is not the account’s')
}

function signingKey(desk: EmulatorContext, livemode: boolean): string {
  const retired = desk.faults.use('old_key') ? desk.keys.retiredKey(livemode) : null
  return retired ?? desk.keys.signingKey(livemode) ?? desk.keys.retiredKey(livemode)
}
