// Carries out the faults of the API: slow, throttled, broken, silent. Everything waits in real time, because what
// is tried here is the patience of a real client.
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Desk } from './desk.js'
import { ApiRefusal } from './emulator-error.js'

/** Before anything is made. */
export async function holdUp(desk: Desk, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const creates = request.method === 'POST' && /\/checkouts\/?(\?|$)/.test(request.url)
  const slow = desk.faults.useWithin('api_slow', creates)
  if (slow) await wait(slow.ms, undefined, { ref: false })
  const throttled = desk.faults.useWithin('api_429', creates)
  if (throttled)
    throw new ApiRefusal(
      429,
      { message: 'Too Many Attempts.' },
      { 'Retry-After': String(throttled.retry_after) },
    )
  const broken = desk.faults.useWithin('api_5xx', creates)
  if (broken) throw new ApiRefusal(broken.status, { message: 'Server Error' })
  const silent = desk.faults.useWithin('api_timeout_before', creates)
  if (silent) await breakOff(reply, silent.hang_ms)
}

/** After the checkout was made: its answer gets lost on the way. Returns whether it was. */
export async function loseAnswer(desk: Desk, reply: FastifyReply): Promise<boolean> {
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
