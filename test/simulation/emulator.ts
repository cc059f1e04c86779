// Without sockets and timers: calls run in the process and can fail on the way.

import { ApiKeys } from '../../packages/chargily-emulator/src/api-keys.js'
import { CheckoutService } from '../../packages/chargily-emulator/src/checkout-service.js'
import { SandboxClock } from '../../packages/chargily-emulator/src/clock.js'
import type { EmulatorContext } from '../../packages/chargily-emulator/src/context.js'
import { FaultSwitches, type Faults } from '../../packages/chargily-emulator/src/faults.js'
import type * as records from '../../packages/chargily-emulator/src/records.js'
import { buildServer } from '../../packages/chargily-emulator/src/server.js'
import { Store } from '../../packages/chargily-emulator/src/store.js'
import { WebhookSender } from '../../packages/chargily-emulator/src/webhook-sender.js'
import type { MovableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import type { AnswerHeaders, Send, SentAnswer } from '../../packages/ishtirak/src/runtime/http-client.js'
import type { SeededRandom } from '../support/random.js'
import type { SimulationFigures } from './figures.js'
import type { Taking } from './model.js'
import { saleAt } from './sales.js'

export const PROVIDER_KEY = 'test_sk_simulation000000000000000000000000000'
export const PROVIDER_URL = 'http://provider.invalid'

export type SimulatedEmulator = ReturnType<typeof createEmulator>

export interface OddPayment {
  readonly faults?: Partial<Faults>
  /** Charged instead of the price; the provider reports it in its events and in its API. */
  readonly amount?: number
}

export function createEmulator(of: {
  clock: MovableClock
  random: SeededRandom
  figures: SimulationFigures
  note: (line: string) => void
}) {
  const { clock, figures } = of
  const context = openContext(clock, of.random)
  const checkoutService = new CheckoutService(context, new WebhookSender(context, 0))
  let seen = 0
  const way = of.random.stream('way to the provider')
  const { orders, inject } = openServer(context, checkoutService)
  const call = async (request: Parameters<Send>[0]): Promise<SentAnswer> => {
    const answer = await inject(request)
    return { status: answer.statusCode, headers: {}, body: [answer.rawPayload] }
  }
  return {
    /** For the provider adapter: `troubles` is the probability that one call fails. */
    send:
      (troubles: () => number): Send =>
      async (request) => {
        if (!way.boolean(troubles())) return call(request)
        const [name, trouble] = way.pick(TROUBLES)
        of.note(`      the provider: ${name}`)
        figures.count(`faults: provider ${name}`)
        return trouble(() => call(request))
      },
    /** What a payer does on the page. False: the checkout cannot be paid any more. */
    pay: (
      checkoutId: string,
      outcome: records.Outcome,
      method: records.PaymentMethod,
      odd: OddPayment = {},
    ): boolean => {
      const { faults = {}, amount } = odd
      const checkout = context.store.checkouts.get(checkoutId)
      if (!checkout) return false
      context.faults.set(faults)
      const { ok } = checkoutService.pay({ ...checkout, amount: amount ?? checkout.amount }, outcome, method)
      context.faults.clear()
      return ok
    },
    /** A gateway repeats the request that made it: the provider makes another one for the same payment. */
    repeat: async (checkoutId: string): Promise<string> => {
      const order = orders.get(checkoutId)
      if (!order) throw new Error(`${checkoutId} was made by no request`)
      return (await inject(order.request)).json().id
    },
    checkout: (id: string) => context.store.checkouts.get(id),
    checkouts: (): readonly records.CheckoutRecord[] => [...context.store.checkouts.values()],
    priceOf: (checkoutId: string) => orders.get(checkoutId)?.price,
    takings: (): readonly Taking[] =>
      [...context.store.checkouts.values()].flatMap((checkout) =>
        takingOf(checkout, orders.get(checkout.id)?.price ?? checkout.amount),
      ),
    newEvents: (): readonly records.DeliveryRecord[] => {
      const all = [...context.store.deliveries.values()]
      const fresh = all.slice(seen)
      seen = all.length
      return fresh
    },
    endDue: () => checkoutService.endDue(),
  }
}

function openServer(context: EmulatorContext, checkoutService: CheckoutService) {
  const server = buildServer({ ...context, checkoutService, advance: async () => undefined })
  const orders = new Map<string, { request: Parameters<Send>[0]; price: number }>()
  const inject = async (request: Parameters<Send>[0]) => {
    const { url, method, headers, body } = request
    const payload = body === undefined ? {} : { payload: body }
    const answer = await server.inject({ method, url: url.slice(PROVIDER_URL.length), headers, ...payload })
    const isOrder = method === 'POST' && url.endsWith('/checkouts') && answer.statusCode === 200
    if (isOrder) orders.set(answer.json().id, { request, price: answer.json().amount })
    return answer
  }
  return { orders, inject }
}

function openContext(clock: MovableClock, random: SeededRandom): EmulatorContext {
  const numbers = random.stream('provider')
  return {
    clock: new SandboxClock(clock),
    random: (size) => numbers.bytes(size),
    store: new Store(),
    faults: new FaultSwitches(),
    keys: new ApiKeys([PROVIDER_KEY]),
    dialect: numbers.boolean(0.7) ? 'wire-2026' : 'docs',
    merchantName: 'Simulation',
    webhookEndpoint: null,
    publicUrl: () => PROVIDER_URL,
    log: () => undefined,
  }
}

type Trouble = (call: () => Promise<SentAnswer>) => Promise<SentAnswer>

const answers =
  (status: number, text: string, headers: AnswerHeaders = {}): Trouble =>
  async () => ({ status, headers, body: [Buffer.from(text)] })

const fails =
  (message: string, properties: Readonly<Record<string, string>>): Trouble =>
  async () => {
    throw Object.assign(new Error(message), properties)
  }

const hungUp = fails('socket hang up', { code: 'ECONNRESET' })

const afterIt =
  (trouble: Trouble): Trouble =>
  async (call) => {
    await call()
    return trouble(call)
  }

/** What a caller sees of a failed call. Two of the seven execute the call all the same. */
const TROUBLES = [
  ['unreachable', fails('connect ECONNREFUSED', { code: 'ECONNREFUSED', syscall: 'connect' })],
  ['lost on the way', hungUp],
  ['answer lost', afterIt(hungUp)],
  ['429', answers(429, '{"message":"Too Many Attempts."}', { 'retry-after': '15' })],
  ['500', answers(500, '{"message":"Server Error"}')],
  ['502 after it was done', afterIt(answers(502, '<html>Bad Gateway</html>'))],
  ['a page', answers(200, '<html>Be right back</html>', { 'content-type': 'text/html' })],
] as const

function takingOf(checkout: records.CheckoutRecord, price: number): Taking[] {
  const { id, status, amount, payment_method, paid_at, metadata } = checkout
  if (status !== 'paid' || paid_at === null) return []
  const { plan = 'unknown', months = 0, single = 0 } = saleAt(price) ?? {}
  const [userId, paymentId] = [metadataOf(metadata, 'user_id'), metadataOf(metadata, 'payment_id')]
  const came = { amount, method: payment_method ?? 'unknown', paidAt: paid_at * 1000 }
  return [{ checkoutId: id, userId, paymentId, plan, months, single, price, ...came }]
}

function metadataOf(metadata: unknown, key: string): string {
  const value: unknown =
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, key) : undefined
  return typeof value === 'string' ? value : ''
}
