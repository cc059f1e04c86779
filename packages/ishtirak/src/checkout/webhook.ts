// The webhook of a payment method: verifies the signature, and books what the event says before it answers.
import { BillingError } from '../core/error.js'
import { MINUTE } from '../core/instant.js'
import type { NoEvent, ProviderEvent } from '../ledger/method.js'
import type { CommonParts } from '../ledger/parts.js'
import { type SettleDeps, settlePayment, storeForeignEvent } from '../ledger/settle.js'
import { throttled } from '../runtime/log.js'

export interface WebhookDeps extends SettleDeps {
  readonly logForgery: ReturnType<typeof createForgeryLog>
}

/**
 * Commits the event with its whole effect. Throws `invalid_signature` (nothing is stored), `malformed_json`,
 * `event_without_checkout`, `not_found` if the method has no webhook, or `DatabaseUnavailable`. Only a return
 * is answered with 200.
 */
export async function receiveEvent(
  deps: WebhookDeps,
  method: string,
  { body, signature }: { readonly body: Uint8Array; readonly signature: string | undefined },
  requestId?: string,
): Promise<{ readonly duplicate: boolean }> {
  const { webhook } = deps.methods.of(method)
  if (!webhook) throw new BillingError('not_found')
  if (webhook.verifySignature(body, signature))
    return bookEvent(deps, method, webhook.readEvent(body), requestId)
  deps.count({ name: 'provider_event', result: 'invalid_signature' })
  deps.logForgery({ request_id: requestId, bytes: body.length, signed: signature !== undefined })
  throw new BillingError('invalid_signature')
}

/** Forged events cost their sender nothing, so not each of them is logged. */
const FORGED_LINE_EVERY_MS = MINUTE

export function createForgeryLog({ clock, log }: Pick<CommonParts, 'clock' | 'log'>) {
  return throttled(clock, FORGED_LINE_EVERY_MS, (about: object, leftOut) =>
    log.warn({ ...about, left_out_since: leftOut }, 'a webhook has a wrong signature'),
  )
}

async function bookEvent(
  deps: WebhookDeps,
  method: string,
  event: ProviderEvent | NoEvent,
  requestId: string | undefined,
): Promise<{ readonly duplicate: boolean }> {
  if (typeof event === 'string') {
    deps.count({ name: 'provider_event', result: 'malformed' })
    deps.log.warn({ request_id: requestId, code: event }, 'a signed webhook is not an event')
    throw new BillingError(event)
  }
  const { id, type, report } = event
  const about = { checkout_id: report?.checkoutId, payment_id: report?.paymentId }
  deps.log.info({ request_id: requestId, event_id: id, type, ...about }, 'event received')
  const result = report
    ? await settlePayment(deps, { report, event: { id, type }, source: 'webhook', requestId })
    : await storeForeignEvent(deps, { method, id, type, outcome: 'not_about_a_checkout', report: null })
  const duplicate = result === 'duplicate'
  deps.count({ name: 'provider_event', result: duplicate ? 'duplicate' : 'accepted' })
  return { duplicate }
}
