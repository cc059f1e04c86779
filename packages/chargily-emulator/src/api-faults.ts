// The faults of the API: slow, throttled, failing, without an answer. They wait in real time, because they
// test the timeouts of a real client.
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EmulatorContext } from './context.js'
import { ApiError } from './errors.js'
import type { CallScope } from './faults.js'
import type { JsonObject } from './php-json.js'
import type { CheckoutRecord } from './records.js'
import { newestFirst } from './store.js'

/** Applied before anything is done. */
export async function applyCallFaults(
  { faults }: EmulatorContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const scope = scopeOf(request)
  const slow = faults.useWithin('api_slow', scope)
  if (slow) await wait(slow.ms, undefined, { ref: false })
  const throttled = faults.useWithin('api_429', scope)
  const retryAfter = { 'Retry-After': String(throttled?.retry_after) }
  if (throttled) throw new ApiError(429, { message: 'Too Many Attempts.' }, retryAfter)
  const failing = faults.useWithin('api_5xx', scope)
  if (failing) throw new ApiError(failing.status, { message: 'Server Error' })
  const silent = faults.useWithin('api_timeout_before', scope)
  if (silent) await breakConnection(reply, silent.hang_ms)
}

function scopeOf({ method, url }: FastifyRequest): CallScope {
  if (method !== 'POST') return 'any'
  if (/\/checkouts\/?(\?|$)/.test(url)) return 'create_checkout'
  return /\/expire\/?(\?|$)/.test(url) ? 'expire_checkout' : 'any'
}

/** The new checkout, with one field that is not as ordered if the fault is on. */
export function falsifyCheckout(
  { faults, store }: EmulatorContext,
  checkout: CheckoutRecord,
): CheckoutRecord {
  const fault = faults.use('false_checkout')
  if (!fault) return checkout
  if (fault.what === 'another_checkout') return newestFirst(store.checkouts, checkout.livemode)[0] ?? checkout
  const overrides: Record<typeof fault.what, JsonObject> = {
    amount: { amount: fault.amount },
    currency: { currency: 'eur' },
    mode: { livemode: !checkout.livemode },
    payment_id: { metadata: { payment_id: 'pay_of_another' } },
    no_metadata: { metadata: null },
    no_address: { checkout_url: null },
    script_address: { checkout_url: 'javascript:alert(1)' },
  }
  return { ...checkout, said: overrides[fault.what] }
}

/** After the checkout was made: breaks the connection if the fault is on, and returns whether it did. */
export async function dropAnswer({ faults }: EmulatorContext, reply: FastifyReply): Promise<boolean> {
  const fault = faults.use('api_timeout_after')
  if (fault) await breakConnection(reply, fault.hang_ms)
  return fault !== null
}

async function breakConnection(reply: FastifyReply, hangMs: number): Promise<void> {
  // Fastify must not answer any more, whatever the handler does next.
  reply.hijack()
  await wait(hangMs, undefined, { ref: false })
  reply.raw.destroy()
}
