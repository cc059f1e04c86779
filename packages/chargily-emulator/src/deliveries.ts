// From a changed checkout to the deliveries of its event. The faults of events apply here: an event may be
// lost, late, duplicated, out of order, wrongly signed or false.
import { sign } from './api-keys.js'
import { type EmulatorContext, newId } from './context.js'
import { type CheckoutEvent, encodeEvent, eventData } from './event.js'
import type { CheckoutRecord, DeliveryRecord, EventType } from './records.js'

/**
 * The deliveries for the checkout's new state, in the order of sending; none without an endpoint.
 * With `staleFailure` the event of an earlier, failed card follows the one that says paid.
 */
export function deliveriesFor(
  context: EmulatorContext,
  checkout: CheckoutRecord,
  staleFailure = false,
): DeliveryRecord[] {
  const { id: checkout_id, livemode, status } = checkout
  const url = checkout.webhook_endpoint ?? context.webhookEndpoint
  if (url === null || status === 'pending' || status === 'processing') return []
  const event = eventOf(context, checkout, `checkout.${status}`)
  const stale =
    staleFailure && status === 'paid'
      ? [eventOf(context, { ...checkout, status: 'failed' }, 'checkout.failed')]
      : []
  const events = [...copiesOf(context, event), ...stale]
  const firstId = newId(context)
  const schedule = scheduleOf(context)
  return signed(context, events, livemode).map(({ id: event_id, type, body, signature }, index) => ({
    id: index === 0 ? firstId : newId(context),
    livemode,
    event_id,
    type,
    checkout_id,
    url,
    body,
    signature,
    attempts: [],
    tries: 0,
    // Copies are sent together, to arrive at the same time; only the stale event must come second.
    after_id: type === event.type ? null : firstId,
    ...schedule,
  }))
}

function scheduleOf({
  faults,
  clock,
}: EmulatorContext): Pick<DeliveryRecord, 'state' | 'next_attempt_at_ms'> {
  const delaySeconds = faults.use('delay')?.seconds ?? 0
  if (faults.use('drop')) return { state: 'dropped', next_attempt_at_ms: null }
  return { state: 'pending', next_attempt_at_ms: clock.now() + delaySeconds * 1000 }
}

function eventOf(context: EmulatorContext, checkout: CheckoutRecord, type: EventType): CheckoutEvent {
  const { faults, clock } = context
  const isWrongMode = faults.use('wrong_mode') !== null
  const livemode = isWrongMode !== checkout.livemode
  // False but rightly signed: only a comparison with the merchant's own records finds it.
  const falsified = {
    ...eventData(context, checkout),
    ...faults.use('wrong_amount'),
    ...faults.use('wrong_currency'),
  }
  const data = 'livemode' in falsified ? { ...falsified, livemode } : falsified
  return { id: newId(context), type, at: clock.nowSeconds(), livemode, data }
}

function copiesOf(context: EmulatorContext, event: CheckoutEvent): CheckoutEvent[] {
  const fault = context.faults.use('duplicate')
  const copies = Array.from({ length: fault?.count ?? 0 }, () =>
    fault?.new_event_id ? { ...event, id: newId(context) } : event,
  )
  return [event, ...copies]
}

/** Adds bytes and signature. A fault of them is drawn once and is the same in every copy. */
function signed(context: EmulatorContext, events: readonly CheckoutEvent[], livemode: boolean) {
  const { faults, keys } = context
  const key = faults.use('old_key') ? keys.retiredKey(livemode) : keys.signingKey(livemode)
  const reserialised = faults.use('reserialised_body') !== null
  const truncated = faults.use('truncated_body')
  const badSignature = faults.use('bad_signature')?.kind
  return events.map(({ id, type, ...event }) => {
    const whole = encodeEvent(context, { id, type, ...event })
    const cut = truncated ? whole.slice(0, whole.length >> 1) : whole
    const body = reserialised ? JSON.stringify(JSON.parse(whole)) : cut
    const right = sign(truncated?.signed ? cut : whole, key)
    return { id, type, body, signature: badSignature ? wrongSignature(badSignature, whole) : right }
  })
}

function wrongSignature(kind: 'wrong' | 'missing' | 'garbage', body: string): string | null {
  if (kind === 'missing') return null
  return kind === 'garbage' ? 'not-a-signature' : sign(body, 'a key that is not the account’s')
}
