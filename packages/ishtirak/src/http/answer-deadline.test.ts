// Only the clock is moved. The bytes travel over a real connection.
import { EventEmitter, once } from 'node:events'
import { request } from 'node:http'
import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { captureLog, expectProblem, PUBLIC_URL } from '../../../../test/support/example-app.js'
import { type App, createApp } from './app.js'

let app: App
let base: string
/** `reached`: the work of a request has begun. `answered`: the instant of its answer, by the moved clock. */
const events = new EventEmitter<{ reached: []; answered: [at: number] }>()
let begun: PassThrough

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  app = createApp({ log: captureLog().log, publicUrl: PUBLIC_URL })
  app.addHook('onSend', async () => void events.emit('answered', performance.now()))
  const hang = (_request: FastifyRequest) => {
    events.emit('reached')
    return new Promise(() => undefined)
  }
  app.get('/hanging', hang)
  app.post('/hanging', hang)
  app.post('/slow', { config: { bodyTimeoutMs: 60_000 } }, hang)
  app.get('/begun', (_request, reply) => {
    begun = new PassThrough()
    begun.write('begun ')
    return reply.send(begun)
  })
  base = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  await app.close()
  vi.useRealTimers()
})

it('a request whose work hangs is answered 503 within 6 s, and may be repeated', async () => {
  const reached = once(events, 'reached')
  const answered = once(events, 'answered')
  const asked = fetch(`${base}/hanging`)
  await reached
  const reachedAt = performance.now()
  await vi.advanceTimersByTimeAsync(10_000)
  const [at] = await answered
  expect([at - reachedAt > 4_500, at - reachedAt < 6_000]).toEqual([true, true])
  const response = await asked
  await expectProblem(response, 503, 'took_too_long')
  expect(response.headers.get('retry-after')).toBe('5')
})

it('an answer that has begun is not cut off', async () => {
  const response = await fetch(`${base}/begun`)
  await vi.advanceTimersByTimeAsync(10_000)
  begun.end('ended')
  expect(await response.text()).toBe('begun ended')
})

async function sendHalf(path: string) {
  const headers = { 'content-type': 'application/json', 'content-length': 2 }
  const arrived = once(app.server, 'request')
  const call = request(`${base}${path}`, { method: 'POST', headers })
  const responded = once(call, 'response').then(([response]) => response.resume())
  call.write('{')
  await arrived
  return { call, responded }
}

it('the time in which the caller sends the body does not count', async () => {
  const [reached, answered] = [once(events, 'reached'), once(events, 'answered')]
  const { call, responded } = await sendHalf('/hanging')
  await vi.advanceTimersByTimeAsync(10_000)
  call.end('}')
  await reached
  const reachedAt = performance.now()
  await vi.advanceTimersByTimeAsync(10_000)
  const [at] = await answered
  expect([(await responded).statusCode, at - reachedAt > 4_500]).toEqual([503, true])
})

it.each([
  ['/hanging', 30_000],
  ['/slow', 60_000],
])('a body that stops coming to %s is answered 408 after %i ms', async (path, limitMs) => {
  const { responded } = await sendHalf(path)
  let isAnswered = false
  events.once('answered', () => {
    isAnswered = true
  })
  await vi.advanceTimersByTimeAsync(limitMs - 1_000)
  expect(isAnswered).toBe(false)
  await vi.advanceTimersByTimeAsync(2_000)
  const response = await responded
  expect([response.statusCode, response.headers.connection]).toEqual([408, 'close'])
})
