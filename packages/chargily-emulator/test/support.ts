// Shared by the tests: an emulator on a free port, a merchant that records what it receives, and a clock that
// stands still until it is moved. Everything is closed after each test.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../../../test/support/listen.js'
import { type Emulator, type EmulatorOptions, startEmulator } from '../src/emulator.js'

export const KEY = 'test_sk_emulator0000000000000000000000000000000'
/** 2023-11-14T22:13:20Z */
export const START_MS = 1_700_000_000_000

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

export async function emulator(options: Partial<EmulatorOptions> = {}): Promise<Emulator> {
  const started = await startEmulator({ secretKeys: [KEY], ...options })
  closers.push(() => started.close())
  return started
}

export class ManualClock {
  constructor(private atMs = START_MS) {}
  now = () => this.atMs
  advance(ms: number): void {
    this.atMs += ms
  }
}

interface ReceivedEvent {
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: string
}

export interface Merchant {
  readonly url: string
  readonly received: ReceivedEvent[]
  /** The status of its answers; `silent` never answers. */
  respondWith: number | 'silent'
}

export async function merchant(): Promise<Merchant> {
  const received: ReceivedEvent[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null)
    // The sender hung up.
    if (body === null) return
    received.push({ headers: request.headers, rawHeaders: request.rawHeaders, body })
    if (self.respondWith !== 'silent') response.writeHead(self.respondWith).end('{}')
  })
  const listening = await listen(server)
  closers.push(() => listening[Symbol.asyncDispose]())
  const self: Merchant = { url: `${listening.url}/webhook`, received, respondWith: 200 }
  return self
}

/** A merchant, and an emulator that sends its events there. */
export async function withMerchant(options: Partial<EmulatorOptions> = {}) {
  const shop = await merchant()
  return { shop, emu: await emulator({ webhookEndpoint: shop.url, ...options }) }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Null unless it was JSON. */
  readonly body: unknown
}

/** One call of the test-mode API. */
export async function call(
  { url }: Emulator,
  method: string,
  path: string,
  body?: unknown,
  key = KEY,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${url}/test/api/v2${path}`, { method, headers, ...sent })
  return answerOf(response)
}

export async function sandbox({ url }: Emulator, method: string, path: string, body?: unknown) {
  const headers = { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers }
  return answerOf(await fetch(`${url}/_sandbox${path}`, { method, ...sent }))
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null }
}

export const ORDER = { amount: 2000, currency: 'dzd', success_url: 'https://app.example.dz/ok' }

export async function newCheckout(emu: Emulator, more: Record<string, unknown> = {}) {
  return made(await call(emu, 'POST', '/checkouts', { ...ORDER, ...more }))
}

/** Creates a checkout, pays it, and waits for its deliveries. */
export async function payNew(emu: Emulator, more: Record<string, unknown> = {}) {
  const checkout = await newCheckout(emu, more)
  await emu.pay(checkout.id, 'paid')
  await emu.settled()
  return checkout
}

/** The two fields of a created resource that tests use. */
export function made(answer: Answer): { id: string; checkout_url: string } {
  expect(answer, answer.text).toMatchObject({ status: 200, body: { id: expect.any(String) } })
  // Checked in the line above; `checkout_url` is there for checkouts, and no other test asks for it.
  return answer.body as { id: string; checkout_url: string }
}

/** What a script does at the payment page. */
export async function payAtPage(checkoutUrl: string, fields: Record<string, string>): Promise<Answer> {
  const body = new URLSearchParams(fields)
  return answerOf(await fetch(checkoutUrl, { method: 'POST', body, redirect: 'manual' }))
}
