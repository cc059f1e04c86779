// Users with an open checkout each, and the signed event that reports it as paid. The emulator does not know
// of the payment, so the event is the only way to learn of it; the sweep finds nothing.
import { createHmac } from 'node:crypto'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { CHARGILY_KEY, checkoutIdOf, tokenOf } from '../support/world.js'

export interface Sale {
  readonly userId: string
  readonly token: string
  readonly paymentId: string
  readonly checkoutId: string
  readonly body: string
  readonly signature: string
}

export interface OpenOptions {
  readonly serviceUrl: string
  readonly emulator: Emulator
  readonly userIds: readonly string[]
}

const BILLING = '/api/v1/billing'
/** One process saturates with about this many connections (measured; see `PostgresOptions`). */
const UPGRADES_AT_ONCE = 8

/** Upgrades every user. Throws when one is refused: no fault has begun, so nothing may fail yet. */
export async function openSales({ serviceUrl, emulator, userIds }: OpenOptions): Promise<Sale[]> {
  const opened = await inParallel(userIds, UPGRADES_AT_ONCE, (userId) => upgrade(serviceUrl, userId))
  const checkouts = new Map(emulator.checkouts().map((checkout) => [checkout.id, checkout]))
  return opened.map((sale) => {
    const checkout = checkouts.get(sale.checkoutId)
    if (!checkout) throw new Error(`the emulator knows no checkout ${sale.checkoutId}`)
    const body = paidEvent(`evt_${sale.checkoutId}`, checkout)
    return { ...sale, body, signature: createHmac('sha256', CHARGILY_KEY).update(body).digest('hex') }
  })
}

async function upgrade(serviceUrl: string, userId: string) {
  const token = await tokenOf({ sub: userId })
  const response = await fetch(`${serviceUrl}${BILLING}/upgrade`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"plan":"pro"}',
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`upgrade of ${userId} answered ${response.status}: ${text}`)
  const { payment_id: paymentId, checkout_url: checkoutUrl } = JSON.parse(text)
  return { userId, token, paymentId: String(paymentId), checkoutId: checkoutIdOf(String(checkoutUrl)) }
}

/** The fields that Chargily's events carry and we read (chargily docs, webhooks). */
function paidEvent(id: string, checkout: ReturnType<Emulator['checkouts']>[number]): string {
  const { created_at } = checkout
  const data = {
    id: checkout.id,
    entity: 'checkout',
    status: 'paid',
    amount: checkout.amount,
    currency: checkout.currency,
    livemode: checkout.livemode,
    metadata: checkout.metadata,
    payment_method: 'edahabia',
    created_at,
    // The period begins at the instant of payment, so it must differ from the checkout's creation.
    updated_at: created_at + 1,
  }
  return JSON.stringify({ id, entity: 'event', type: 'checkout.paid', livemode: checkout.livemode, data })
}

/** Results in the order of the items, at most `atOnce` under way. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index]
      // Unreachable: the index is below the length.
      if (item === undefined) return
      results[index] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return results
}
