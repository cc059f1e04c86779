// The emulator does not know of the payment, so its signed event is the only way to learn of it.
import { createHmac } from 'node:crypto'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { call } from '../process/calls.js'
import { CHARGILY_KEY, checkoutIdOf, tokenOf } from '../support/world.js'

export interface Sale {
  readonly userId: string
  readonly token: string
  readonly paymentId: string
  readonly checkoutId: string
  /** Money for a balance that renews by itself: it buys the first month at once. */
  readonly topsUp: boolean
  readonly body: string
  readonly signature: string
}

export const TOP_UP = { amount: 5_000, left: 3_000 } as const

/** One process saturates with about this many connections (measured; see `PostgresOptions`). */
const UPGRADES_AT_ONCE = 8

/** Every `topUpEvery`th user tops up a balance. Throws when one is refused: no fault has begun yet. */
export async function openSales(options: {
  readonly serviceUrl: string
  readonly emulator: Emulator
  readonly userIds: readonly string[]
  readonly topUpEvery?: number
}): Promise<Sale[]> {
  const { serviceUrl, emulator, userIds, topUpEvery = Number.POSITIVE_INFINITY } = options
  const buyers = userIds.map((userId, index) => ({ userId, topsUp: index % topUpEvery === topUpEvery - 1 }))
  const opened = await inParallel(buyers, UPGRADES_AT_ONCE, (buyer) => open(serviceUrl, buyer))
  const checkouts = new Map(emulator.checkouts().map((checkout) => [checkout.id, checkout]))
  return opened.map((sale) => {
    const checkout = checkouts.get(sale.checkoutId)
    if (!checkout) throw new Error(`the emulator knows no checkout ${sale.checkoutId}`)
    const body = paidEvent(`evt_${sale.checkoutId}`, checkout)
    return { ...sale, body, signature: createHmac('sha256', CHARGILY_KEY).update(body).digest('hex') }
  })
}

const ASKED_MAX = 5

async function open(url: string, { userId, topsUp }: Pick<Sale, 'userId' | 'topsUp'>) {
  const token = await tokenOf({ sub: userId })
  const ask = async (path: string, body: object, method = 'POST') => {
    let answer = await call({ url }, token, `/billing${path}`, body, method)
    // A machine that is busy: the answer says that it may be asked again.
    for (let times = 1; answer.status === 503 && times < ASKED_MAX; times += 1)
      answer = await call({ url }, token, `/billing${path}`, body, method)
    if (answer.status !== 200 && answer.status !== 201)
      throw new Error(`${path} of ${userId} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  if (topsUp) await ask('/balance/renewal', { plan: 'pro', months: 1 }, 'PUT')
  const { id, payment_id, checkout_url } = topsUp
    ? await ask('/balance/top-ups', { amount: TOP_UP.amount })
    : await ask('/upgrade', { plan: 'pro' })
  const [paymentId, checkoutId] = [String(id ?? payment_id), checkoutIdOf(String(checkout_url))]
  return { userId, token, topsUp, paymentId, checkoutId }
}

/** The fields that Chargily's events carry and we read (chargily docs, webhooks). */
function paidEvent(id: string, checkout: ReturnType<Emulator['checkouts']>[number]): string {
  const { amount, currency, livemode, metadata, created_at } = checkout
  const data = {
    ...{ id: checkout.id, entity: 'checkout', status: 'paid', amount, currency, livemode, metadata },
    // The period begins at the instant of payment, so it must differ from the checkout's creation.
    ...{ payment_method: 'edahabia', created_at, updated_at: created_at + 1 },
  }
  return JSON.stringify({ id, entity: 'event', type: 'checkout.paid', livemode, data })
}

export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  const worker = async () => {
    for (const [index, item] of waiting) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}
