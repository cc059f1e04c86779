// The quota over real HTTP, with a clock of our own.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { captureLog, expectProblem } from '../../../../test/support/example-app.js'
import { movableClock } from '../runtime/clock.js'
import { type App, createApp } from './app.js'
import { createCallCount, limitBy } from './rate-limit.js'

const clock = movableClock(Date.UTC(2026, 10, 21))
let app: App
let base = ''

beforeAll(async () => {
  app = createApp({ log: captureLog().log, publicUrl: 'https://billing.example' })
  const three = limitBy(createCallCount({ clock, quota: 3 }))
  const usual = limitBy(createCallCount({ clock }))
  const small = limitBy(createCallCount({ clock, quota: 1, keysMax: 2 }))
  const limits = { three, usual, small }
  await app.register(async (routes) => {
    for (const [name, limit] of Object.entries(limits)) {
      routes.get(`/${name}`, (request, reply) => {
        limit(String(request.headers['x-user']), reply)
        return { allowed: true }
      })
    }
  })
  base = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

const call = (path: string, user: string) => fetch(base + path, { headers: { 'x-user': user } })

it('each call counts down, the one too many is 429 with the time to come back, and the next window is new', async () => {
  const seen: (string | null)[] = []
  for (let calls = 0; calls < 3; calls++) seen.push((await call('/three', 'a')).headers.get('ratelimit'))
  expect(seen).toEqual(['"default";r=2;t=60', '"default";r=1;t=60', '"default";r=0;t=60'])
  clock.advance(20_500)
  const refused = await call('/three', 'a')
  await expectProblem(refused, 429, 'rate_limited')
  // 60 - 20.5 = 39.5 seconds, rounded up: who comes back then is let in.
  expect(refused.headers.get('retry-after')).toBe('40')
  expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=40')
  expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=3;w=60')
  clock.advance(39_499)
  expect((await call('/three', 'a')).status).toBe(429)
  clock.advance(1)
  expect((await call('/three', 'a')).headers.get('ratelimit')).toBe('"default";r=2;t=60')
})

it('one caller’s calls take nothing from another', async () => {
  for (let calls = 0; calls < 4; calls++) await call('/three', 'greedy')
  expect((await call('/three', 'modest')).status).toBe(200)
})

it('without a number it is 300 in a minute', async () => {
  expect((await call('/usual', 'b')).headers.get('ratelimit-policy')).toBe('"default";q=300;w=60')
  for (let calls = 1; calls < 300; calls++) expect((await call('/usual', 'b')).status).toBe(200)
  expect((await call('/usual', 'b')).status).toBe(429)
})

it('more callers than it may remember push out the oldest, and memory stays bounded', async () => {
  for (const user of ['one', 'two', 'three']) expect((await call('/small', user)).status).toBe(200)
  expect((await call('/small', 'three')).status).toBe(429)
  expect((await call('/small', 'one')).status).toBe(200) // forgotten: 'three' took its place
})

it.each([
  ['400 days', 400 * 86_400_000],
  ['an hour', 3_600_000],
])('a window that began while the clock was %s ahead is over when the clock is right', (_name, ms) => {
  let now = ms
  const count = createCallCount({ clock: { now: () => now }, quota: 1 })
  count('user-1')
  expect(count('user-1')).toMatchObject({ isOver: true, secondsLeft: 60 })
  now = 0
  expect(count('user-1')).toMatchObject({ isOver: false, secondsLeft: 60 })
})
