// Every kind of host over real HTTP, signed by the specification's own library.
import { once } from 'node:events'
import http, { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { fastify } from 'fastify'
import { Webhook } from 'standardwebhooks'
import { listen } from '../../../test/support/listen.js'
import { SECRET } from '../../../test/support/receiver.js'
import { type EventHandler, type EventHandlerOptions, eventHandler, type Seen } from './events.js'
import { inMemory } from './seen.js'
import type { BillingEvent } from './verify-event.js'

/** The package has no types. */
const express = createRequire(import.meta.url)('express')

const ADDRESS = 'http://platform.localhost/events'

function signed(event: { id?: string; type?: string; user?: string } = {}): RequestInit {
  const { id = 'evt_1', type = 'payment.paid', user = 'user-1' } = event
  const data = { user_id: user, sequence: 1, payment: { id: 'pay_1', amount: 2000 } }
  const body = JSON.stringify({ type, timestamp: '2026-11-21T12:00:00Z', data })
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(SECRET).sign(id, at, body),
  }
  return { method: 'POST', headers, body }
}

function recording(options: Partial<EventHandlerOptions> = {}) {
  const events: BillingEvent[] = []
  const errors: unknown[] = []
  const handler = eventHandler({
    // Two secrets, as during a rotation.
    secrets: [`whsec_${'C'.repeat(32)}`, SECRET],
    on: { 'payment.paid': (event) => void events.push(event) },
    onError: (error) => void errors.push(error),
    ...options,
  })
  const send = (init = signed()) => handler(new Request(ADDRESS, init))
  return { events, errors, handler, send }
}

const statusOf = async (answer: Promise<Response>) => (await answer).status

describe('eventHandler', () => {
  it('calls the function of a type once with the event, and answers 200 also to its repetition', async () => {
    const { events, send } = recording()
    expect([await statusOf(send()), await statusOf(send())]).toEqual([200, 200])
    const data = { user_id: 'user-1', sequence: 1, payment: { id: 'pay_1', amount: 2000 } }
    expect(events).toEqual([{ id: 'evt_1', type: 'payment.paid', timestamp: '2026-11-21T12:00:00Z', data }])
  })

  it('answers 401 to what is not signed with one of the secrets, and calls nothing', async () => {
    const { events, errors, send } = recording()
    const { body, ...rest } = signed()
    expect(await statusOf(send({ ...rest, body: `${body} ` }))).toBe(401)
    expect(await statusOf(send({ method: 'POST', body: '{}' }))).toBe(401)
    expect(await statusOf(send({ method: 'POST' }))).toBe(401)
    // A body of more than 64 KiB is not read.
    expect(await statusOf(send({ ...signed(), body: 'x'.repeat(65_536) }))).toBe(401)
    expect(await statusOf(send({ ...signed(), body: 'x'.repeat(65_537) }))).toBe(413)
    expect([events, errors]).toEqual([[], []])
  })

  it('answers 408 to a body that does not come within 10 s, and 400 to one that breaks off', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { errors, send } = recording()
    const sendStream = (source: UnderlyingDefaultSource, options = {}) => {
      const body = new ReadableStream(source, options)
      return statusOf(send({ ...signed(), body, duplex: 'half' } as RequestInit))
    }
    const pull = () => void vi.advanceTimersByTime(10_000)
    expect(await sendStream({ pull }, { highWaterMark: 0 })).toBe(408)
    expect(await sendStream({ start: (controller) => controller.error(new Error('gone')) })).toBe(400)
    expect(errors).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('answers 200 to types that nothing waits for; with `*` it is called for them', async () => {
    const { events, send } = recording()
    expect(await statusOf(send(signed({ type: 'payment.of_tomorrow' })))).toBe(200)
    expect(events).toEqual([])
    const types: string[] = []
    const all = recording({ on: { 'payment.paid': () => {}, '*': ({ type }) => void types.push(type) } })
    await all.send(signed({ id: 'evt_1', type: 'payment.of_tomorrow' }))
    await all.send(signed({ id: 'evt_2' }))
    expect(types).toEqual(['payment.of_tomorrow'])
  })

  it('answers 500 where the function throws, tells nobody why, and is called again', async () => {
    let isBroken = true
    const events: string[] = []
    const { errors, send } = recording({
      on: {
        'payment.paid': async ({ id }) => {
          events.push(id)
          if (isBroken) throw new Error('the password of the database is wrong')
        },
      },
    })
    const failed = await send()
    expect([failed.status, await failed.text()]).toEqual([500, 'the handler failed'])
    expect(errors).toEqual([new Error('the password of the database is wrong')])
    isBroken = false
    expect(await statusOf(send())).toBe(200)
    expect(await statusOf(send())).toBe(200)
    expect(events).toEqual(['evt_1', 'evt_1'])
  })

  it('is not made without a secret', () => {
    for (const secrets of [[], '', 'whsec_ü', 'whsec_abcde', 'whsec_AAA==', undefined as never])
      expect(() => eventHandler({ secrets, on: {} })).toThrow(TypeError)
  })
})

describe('a repeated event', () => {
  it('is known as long as it is among the last', async () => {
    const seen = inMemory<void>(2)
    const handled: string[] = []
    for (const id of ['one', 'two', 'one', 'three', 'two', 'one'])
      await seen(id, async () => void handled.push(id))
    expect(handled).toEqual(['one', 'two', 'three', 'one'])
  })

  it('that comes while the first is handled calls nothing, and fails where that fails', async () => {
    const ends: { succeed(): void; fail(error: Error): void }[] = []
    const call = () => new Promise<void>((succeed, fail) => void ends.push({ succeed, fail }))
    const { send } = recording({ on: { 'payment.paid': call } })
    const both = [send(), send()]
    await expect.poll(() => ends.length).toBe(1)
    ends[0]?.fail(new Error('failed'))
    expect(await Promise.all(both.map(statusOf))).toEqual([500, 500])
    const again = [send(), send()]
    await expect.poll(() => ends.length).toBe(2)
    ends[1]?.succeed()
    expect(await Promise.all(again.map(statusOf))).toEqual([200, 200])
    expect(ends).toHaveLength(2)
  })

  it('is known by a store of one’s own, which gives its transaction to the function', async () => {
    const stored = new Set<string>()
    const seen: Seen<{ readonly name: string }> = async (id, handle) => {
      if (stored.has(id)) return
      await handle({ name: 'transaction' })
      stored.add(id)
    }
    const contexts: unknown[] = []
    let isBroken = true
    const handle = (_event: BillingEvent, { name }: { readonly name: string }) => {
      contexts.push(name)
      if (isBroken) throw new Error('failed')
    }
    const make = () =>
      eventHandler({ secrets: SECRET, seen, onError: () => {}, on: { 'payment.paid': handle } })
    const send = () => statusOf(make()(new Request(ADDRESS, signed())))
    expect(await send()).toBe(500)
    isBroken = false
    // Each is received by another process.
    expect([await send(), await send()]).toEqual([200, 200])
    expect(contexts).toEqual(['transaction', 'transaction'])
  })

  it('answers 500 also where onError fails, and says both on the console', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => said.mockRestore())
    const broken = new Error('failed')
    const onError = () => Promise.reject(new Error('no log'))
    const { send } = recording({ on: { '*': () => Promise.reject(broken) }, onError })
    expect(await statusOf(send())).toBe(500)
    expect(said.mock.calls).toEqual([[broken, new Error('no log')]])
  })

  it('comes again where the store fails, or does not tell of the function’s failure', async () => {
    const down = recording({ seen: () => Promise.reject(new Error('no store')) })
    expect(await statusOf(down.send())).toBe(500)
    expect([down.events, down.errors]).toEqual([[], [new Error('no store')]])
    const careless = recording({
      seen: (_id, handle) => void handle().catch(() => {}),
      on: { 'payment.paid': () => Promise.reject(new Error('failed')) },
    })
    expect(await statusOf(careless.send())).toBe(500)
  })
})

type Host = { url: string; close: () => Promise<unknown> }

async function onServer(listener: RequestListener): Promise<Host> {
  const server = await listen(createServer(listener))
  return { url: `${server.url}/events`, close: () => server[Symbol.asyncDispose]() }
}

const keepRaw = (request: object, _response: object, bytes: Buffer) =>
  void Object.assign(request, { rawBody: bytes })
const behind =
  (parser: unknown) =>
  ({ listener }: EventHandler) =>
    onServer(express().use(parser).all('/events', listener))

const HOSTS: Record<string, (handler: EventHandler) => Promise<Host>> = {
  'node:http': ({ listener }) => onServer(listener),
  Express: ({ listener }) => onServer(express().all('/events', listener)),
  'Express behind a parser that keeps rawBody': behind(express.json({ verify: keepRaw })),
  'Express behind a parser of bytes': behind(express.raw({ type: '*/*' })),
  Fastify: async (handler) => {
    const app = fastify()
    await app.register(handler.fastify, { prefix: '/events' })
    // The host's own routes keep their parsers.
    app.post('/echo', (request) => request.body)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const headers = { 'content-type': 'application/json' }
    const echo = await fetch(`${url}/echo`, { method: 'POST', headers, body: '{"a":1}' })
    expect(await echo.json()).toEqual({ a: 1 })
    return { url: `${url}/events`, close: () => app.close() }
  },
}

describe.each(Object.entries(HOSTS))('in %s', (_name, open) => {
  it('takes a signed event once, refuses a forged one, and answers what it must', async () => {
    const { events, errors, handler } = recording()
    const { url, close } = await open(handler)
    onTestFinished(async () => void (await close()))
    const send = (init: RequestInit) => fetch(url, init)
    expect([await statusOf(send(signed())), await statusOf(send(signed()))]).toEqual([200, 200])
    expect(events.map(({ id, data }) => [id, data.user_id])).toEqual([['evt_1', 'user-1']])
    expect(await statusOf(send({ ...signed({ id: 'evt_2' }), body: '{"type":"payment.paid"}' }))).toBe(401)
    const other = await send({ method: 'PUT', body: 'x', headers: { 'content-type': 'text/plain' } })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await statusOf(send(signed({ id: 'evt_3', user: 'é'.repeat(20_000) })))).toBe(200)
    expect(errors).toEqual([])
  })
})

describe('at a server', () => {
  it('says why where a parser has left no bytes, and the event comes again', async () => {
    const { events, errors, handler } = recording()
    const { url, close } = await behind(express.json())(handler)
    onTestFinished(async () => void (await close()))
    const answer = await fetch(url, signed())
    const why = 'mount the handler before the parsers of bodies, or keep `rawBody`'
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining(why)])
    expect(events).toEqual([])
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining(why) })])
    const read = new Request(ADDRESS, signed())
    await read.text()
    expect(await statusOf(handler(read))).toBe(500)
  })

  it('answers 413 before the rest of a long body, and ends the connection', async () => {
    const { url, close } = await onServer(recording().handler.listener)
    onTestFinished(async () => void (await close()))
    const request = http.request(url, { method: 'POST', headers: { 'content-length': 10_000_000 } })
    request.on('error', () => {})
    request.write('x'.repeat(65_537))
    const [answer] = await once(request, 'response')
    expect([answer.statusCode, answer.headers.connection]).toEqual([413, 'close'])
    request.destroy()
  })
})
