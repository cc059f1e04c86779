// A stub of the provider over real HTTP, for answers that the emulator never gives.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import {
  type ChargilyOptions,
  createChargily,
} from '../../packages/ishtirak/src/checkout/gateways/chargily/chargily.js'
import type { CheckoutOrder } from '../../packages/ishtirak/src/core/checkout.js'
import { listen } from './listen.js'

export interface StubRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Reply =
  | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string | Buffer }
  /** Reads the request and never answers. */
  | 'no_answer'
  /** Reads the request and closes the connection. */
  | 'cut'
  /** Closes the connection in the middle of the answer. */
  | 'partial'

export const KEY = 'test_sk_7Qb3Kx9pLm2Zt5Rw8Yv1Nc4Hd6Gf0Js'

export const ORDER: CheckoutOrder = {
  ...{ paymentId: 'pay_01hf7yat0000000000000000p1', kind: 'purchase', planId: 'pro', months: 12 },
  ...{ userId: 'user_42', price: { amount: 2000, currency: 'DZD' }, description: 'Pro, un mois' },
  locale: 'fr',
  successUrl: 'https://billing.example.dz/return/ok',
  failureUrl: 'https://billing.example.dz/return/ko',
  webhookUrl: 'https://billing.example.dz/api/v1/billing/webhook',
}

/** A checkout as the API reference shows it (Chargily API reference, checkout-object). */
export const CHECKOUT = {
  ...{ id: '01hf7yat00000000000000chk1', entity: 'checkout', livemode: false, amount: 2000 },
  ...{ currency: 'dzd', status: 'pending', locale: 'fr', payment_method: null },
  ...{ created_at: 1_700_000_000, updated_at: 1_700_000_000 },
  metadata: { user_id: 'user_42', payment_id: 'pay_01hf7yat0000000000000000p1' },
  checkout_url: 'https://pay.chargily.dz/test/checkouts/01hf7yat00000000000000chk1/pay',
}

async function stubServer(answer: (asked: StubRequest) => Reply) {
  const asked: StubRequest[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const one: StubRequest = { method, path, headers, body: await text(request) }
    asked.push(one)
    const reply = answer(one)
    if (reply === 'no_answer') return
    if (reply === 'cut') return void response.socket?.destroy()
    if (reply === 'partial') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      return void response.write('{"id":', () => response.socket?.destroy())
    }
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
    response.end(reply.text ?? JSON.stringify(reply.json ?? {}))
  })
  const listening = await listen(server)
  onTestFinished(() => listening[Symbol.asyncDispose]())
  return { url: listening.url, asked }
}

export async function chargilyWithStub(
  answer: (asked: StubRequest) => Reply,
  options: Partial<ChargilyOptions> = {},
) {
  const { url, asked } = await stubServer(answer)
  const lines: Readonly<Record<string, unknown>>[] = []
  const chargily = createChargily({
    secretKey: KEY,
    apiUrl: url,
    timeouts: { writeMs: 5_000, readMs: 5_000 },
    log: (line) => lines.push(line),
    ...options,
  })
  return { chargily, asked, lines }
}
