// Carries out the faults of the API: slow, throttled, broken, silent. Everything waits in real time, because what
// is tried here is the patience of a real client.
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EmulatorContext } from './context.js'
import { ApiRefusal } from './errors.js'
import type { CallScope } from './faults.js'
import type { JsonObject } from './php-json.js'
import type { CheckoutRecord } from './records.js'

/** Before anything is made. */
export async function holdUp(
  desk: EmulatorContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const scope = scopeOf(request)
  const slow = desk.faults.useWithin('api_slow', scope)
  if (slow) await wait(slow.ms, undefined, { ref: false })
  const throttled = desk.faults.useWithin('api_429', scope)
  if (throttled)
    throw new ApiRefusal(
      429,
      { message: 'Too Many Attempts.' },
      { 'Retry-After': String(throttled.retry_after) },
    )
  const broken = desk.faults.useWithin('api_5xx', scope)
  if (broken) throw new ApiRefusal(broken.status, { message: 'Server Error' })
  const silent = desk.faults.useWithin('api_timeout_before', scope)
  if (silent) await breakOff(reply, silent.hang_ms)
}

function scopeOf({ method, url }: FastifyRequest): CallScope {
  if (method !== 'POST') return 'any'
  if (/\/checkouts\/?(\?|$)/.test(url)) return 'create_checkout'
  return /\/expire\/?(\?|$)/.test(url) ? 'expire_checkout' : 'any'
}

/** The new checkout, with something in it that was not ordered. */
export function falsify(desk: EmulatorContext, checkout: CheckoutRecord): CheckoutRecord {
  const lie = desk.faults.use('false_checkout')
  if (!lie) return checkout
  if (lie.what === 'another_checkout') {
    return desk.store.checkouts.newestFirst(checkout.livemode)[0] ?? checkout
  }
  const said: Record<string, JsonObject> = {
    amount: { amount: lie.amount },
    currency: { currency: 'eur' },
    mode: { livemode: !checkout.livemode },
    payment_id: { metadata: { payment_id: 'pay_of_another' } },
    no_metadata: { metadata: null },
    no_address: { checkout_url: null },
    script_address: { checkout_url: 'javascript:alert(1)' },
  }
  return { ...checkout, said: said[lie.what] ?? {} }
}

/** After the checkout was made: its answer gets lost on the way. Returns whether it was. */
export async function loseAnswer(desk: EmulatorContext, reply: FastifyReply): Promise<boolean> {
  const lost = desk.faults.use('api_timeout_after')
  if (lost) await breakOff(reply, lost.hang_ms)
  return lost !== null
}

async function breakOff(reply: FastifyReply, hangMs: number): Promise<void> {
  // Fastify must not answer any more, whatever the handler does next.
  reply.hijack()
  await wait(hangMs, undefined, { ref: false })
  reply.raw.destroy()
}
