// The provider's webhook: bytes and a signature come in, and what they say is booked before anyone is told "received".
import { BillingError } from '../core/error.js'
import { MINUTE } from '../core/instant.js'
import { throttled } from '../runtime/log.js'
import type { Parts } from './parts.js'
import { settlePayment } from './settle.js'
import { saveForeignEvent } from './settle.sql.js'
import type { ReceivedEvent } from './settle-changes.sql.js'

export type ReceiveEvent = (
  body: Uint8Array,
  signature: string | undefined,
  requestId?: string,
) => Promise<{ readonly duplicate: boolean }>

/** A forged event costs its sender nothing, so it gets no line of its own. */
const FORGED_LINE_EVERY_MS = MINUTE

/**
 * Verifies the raw bytes, then commits the event with its whole effect. Throws `invalid_signature` (nothing is stored but
 * a counter and, once in a minute, a log line), `malformed_json`, or `DatabaseUnavailable`; only a return may be answered
 * with 200.
 */
export function createReceiveEvent(parts: Parts): ReceiveEvent {
  const logForged = throttled(parts.clock, FORGED_LINE_EVERY_MS, (about: object, leftOut) =>
    parts.log.warn({ ...about, left_out_since: leftOut }, 'webhook with a wrong signature'),
  )
  return async (body, signature, requestId) => {
    if (parts.provider.verifySignature(body, signature)) return bookEvent(parts, body, requestId)
    parts.count({ name: 'provider_event', result: 'invalid_signature' })
    logForged({ request_id: requestId, bytes: body.length, signed: signature !== undefined })
    throw new BillingError('invalid_signature')
  }
}

async function bookEvent(
  parts: Parts,
  body: Uint8Array,
  requestId: string | undefined,
): Promise<{ readonly duplicate: boolean }> {
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
