// The provider's webhook: bytes and a signature come in, and what they say is booked before anyone is told "received".
import { BillingError } from '../domain/error.js'
import type { ReceivedEvent } from '../store/settlement-changes.js'
import { saveForeignEvent } from '../store/settlements.js'
import type { Parts } from './parts.js'
import { settlePayment } from './settle-payment.js'

/**
 * Verifies the raw bytes, then commits the event with its whole effect. Throws `invalid_signature` (nothing is stored but
 * a counter and a log line), `malformed_json`, or `DatabaseUnavailable`; only a return may be answered with 200.
 */
export async function receiveEvent(
  parts: Parts,
  body: Uint8Array,
  signature: string | undefined,
  requestId?: string,
): Promise<{ readonly duplicate: boolean }> {
  if (!parts.provider.verifySignature(body, signature)) {
    parts.count({ name: 'provider_event', result: 'invalid_signature' })
    parts.log.warn(
      { request_id: requestId, bytes: body.length, signed: signature !== undefined },
      'webhook with a wrong signature',
    )
    throw new BillingError('invalid_signature')
  }
  const event = parts.provider.readEvent(body)
  if (!event) {
    parts.count({ name: 'provider_event', result: 'malformed' })
    throw new BillingError('malformed_json')
  }
  const { id, type, report } = event
  parts.log.info(
    {
      request_id: requestId,
      event_id: id,
      type,
      checkout_id: report?.checkoutId,
      payment_id: report?.paymentId,
    },
    'event received',
  )
  const result = report
    ? await settlePayment(parts, { report, event: { id, type }, source: 'webhook', requestId })
    : await saveForeignEvent(parts.database, aboutNothing(parts, { id, type }))
  const duplicate = result === 'duplicate'
  parts.count({ name: 'provider_event', result: duplicate ? 'duplicate' : 'accepted' })
  return { duplicate }
}

function aboutNothing(parts: Parts, event: { readonly id: string; readonly type: string }): ReceivedEvent {
  return { ...event, outcome: 'not_about_a_checkout', report: null, receivedAt: parts.clock.now() }
}
