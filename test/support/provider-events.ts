// Signed events in any order and with any content, which the emulator does not send.
import { createHmac } from 'node:crypto'
import type { Answer, World } from './world.js'
import { CHARGILY_KEY } from './world.js'

export type EventStatus = 'paid' | 'failed' | 'canceled' | 'expired'

/** Ids of one length, since tests read them in the order of their text. */
let made = 0

export function anEvent(
  world: World,
  checkoutId: string,
  status: EventStatus,
  changes: Readonly<Record<string, unknown>> = {},
): string {
  const checkout = world.emulator.checkouts().find(({ id }) => id === checkoutId)
  if (!checkout) throw new Error(`there is no checkout ${checkoutId}`)
  const { amount, currency, livemode, metadata, payment_method, created_at } = checkout
  const at = Math.floor(world.clock.now() / 1_000)
  made += 1
  const times = { created_at: at, updated_at: at }
  const of = { id: checkoutId, entity: 'checkout', status, amount, currency, livemode, metadata }
  return JSON.stringify({
    ...{ id: `event-${String(made).padStart(6, '0')}`, entity: 'event', type: `checkout.${status}` },
    ...{ livemode, ...times },
    data: { ...of, payment_method: payment_method ?? 'edahabia', ...times, created_at, ...changes },
  })
}

export function postEvent(world: World, body: string, key = CHARGILY_KEY): Promise<Answer> {
  const signature = createHmac('sha256', key).update(body).digest('hex')
  return world.call('POST', '/api/v1/billing/webhook', {
    body,
    headers: { 'content-type': 'application/json', signature },
  })
}
