// On every route the caller is identified and counted before parameters, query and body are read.
import { emptyDatabase } from '../../../../test/support/databases.js'
import { captureLog, expectProblem } from '../../../../test/support/example-app.js'
import { followToAnswer } from '../../../../test/support/portal.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import type { Database } from '../database/database.js'
import { movableClock } from '../runtime/clock.js'
import { createLog } from '../runtime/log.js'
import { type App, createApp } from './app.js'
import { createRateLimit, networkOf } from './callers.js'

/** Routes that need no caller: public ones, and the address that contains its own proof. */
const PUBLIC = [
  '/',
  '/api/v1/billing/plans',
  '/api/v1/billing/offers',
  // Identified by its signature, which covers the body.
  '/api/v1/billing/webhook',
  '/portal/return/:payment_id',
  '/healthz',
  '/readyz',
  '/metrics',
  '/console/sign-in',
  '/openapi.json',
]
const isPublic = (method: string, url: string) =>
  PUBLIC.includes(url) || url.startsWith('/docs') || (method === 'GET' && url === '/portal/open')

let database: Database
let world: World
beforeAll(async () => {
  database = await emptyDatabase('pglite')
  const env = { RATE_LIMIT_PER_MINUTE: '100000' }
  world = await createWorld(database, { env })
})
afterAll(() => world.stop())

const routes = () => world.service.app.knownRoutes()

describe('a caller who is not known', () => {
  it('is refused on every route that is not public, whatever else is wrong, and is counted', async () => {
    const kept = routes().filter(({ method, url }) => !isPublic(method, url))
    // At least one route of each part: the five of the document, the platform's, the operator's, the
    // portal's.
    expect(kept.length).toBeGreaterThan(40)
    const token = { authorization: 'Bearer nothing', cookie: 'ishtirak=nothing' }
    const wrong = [
      ['a wrong token and broken JSON', { ...token, 'content-type': 'application/json' }, '{"'],
      ['70 kB of an unknown type', { 'content-type': 'text/nothing' }, 'x'.repeat(70_000)],
    ] as const
    for (const { method, url } of kept) {
      // An invalid month, an invalid limit and an id that is too long.
      const path = `${url.replaceAll(/:\w+/g, 'x'.repeat(300))}?limit=none&month=none`
      // A page of the console leads to the sign-in, and what a form led to back to the portal.
      const isPage =
        (url.startsWith('/console') && ['GET', 'HEAD'].includes(method)) || url === '/portal/answer'
      const withoutBody = [
        ['a wrong token', token],
        ['nothing more', {}],
      ] as const
      const asked = ['GET', 'HEAD'].includes(method) ? withoutBody : wrong
      for (const [what, headers, body] of asked) {
        const called = await world.call(method, path, { headers, body })
        const answer = await followToAnswer(world, called)
        expect([answer.status, called.headers.has('ratelimit')], `${method} ${url} with ${what}`).toEqual([
          isPage ? 303 : 401,
          true,
        ])
      }
    }
  })
})

describe('the quota over HTTP', () => {
  const clock = movableClock(Date.UTC(2026, 10, 21))
  let app: App
  let base = ''

  beforeAll(async () => {
    app = createApp({ log: captureLog().log, publicUrl: 'https://billing.example' })
    const three = createRateLimit({ clock, quota: 3 })
    const small = createRateLimit({ clock, quota: 1, keysMax: 2 })
    const limits = { three, small }
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

  it('each call counts down, and one too many is 429 with the time to come back', async () => {
    const seen: (string | null)[] = []
    for (let calls = 0; calls < 3; calls++) seen.push((await call('/three', 'a')).headers.get('ratelimit'))
    expect(seen).toEqual(['"default";r=2;t=60', '"default";r=1;t=60', '"default";r=0;t=60'])
    clock.advance(20_500)
    const refused = await call('/three', 'a')
    await expectProblem(refused, 429, 'rate_limited')
    // 60 - 20.5 = 39.5 seconds, rounded up: a call made then is accepted.
    expect(refused.headers.get('retry-after')).toBe('40')
    expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=40')
    expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=3;w=60')
    clock.advance(39_499)
    expect((await call('/three', 'a')).status).toBe(429)
    clock.advance(1)
    expect((await call('/three', 'a')).headers.get('ratelimit')).toBe('"default";r=2;t=60')
  })

  it('more callers than it may remember push out the oldest, and no caller takes from another', async () => {
    for (const user of ['one', 'two', 'three']) expect((await call('/small', user)).status).toBe(200)
    expect((await call('/small', 'three')).status).toBe(429)
    expect((await call('/small', 'one')).status).toBe(200) // forgotten: 'three' took its place
  })
})

it('an address counts as its network: of the sixth version as its /64', () => {
  const NETWORKS = {
    '2001:db8:1:2::1': '2001:db8:1:2::/64',
    '2001:db8:1:2:ffff:ffff:ffff:ffff': '2001:db8:1:2::/64',
    '2001:0DB8:0001:0002::5': '2001:db8:1:2::/64',
    '2001::7:8:9:10': '2001:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '::1': '0:0:0:0::/64',
    '64:ff9b::192.0.2.1': '64:ff9b:0:0::/64',
    '192.0.2.1': '192.0.2.1',
    '::ffff:192.0.2.1': '192.0.2.1',
    'no address': 'no address',
  }
  const found = Object.keys(NETWORKS).map((address) => [address, networkOf(address)])
  expect(Object.fromEntries(found)).toEqual(NETWORKS)
})

it('a caller’s own X-Forwarded-For is not believed, that of a trusted proxy is', async () => {
  const addressSeen = async (trustedProxies: readonly string[]) => {
    const app = createApp({ log: createLog({ level: 'silent' }), publicUrl: 'http://x', trustedProxies })
    onTestFinished(() => app.close())
    app.get('/who', (request) => ({ ip: request.ip }))
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    return (await (await fetch(`${url}/who`, { headers: { 'x-forwarded-for': '203.0.113.9' } })).json()).ip
  }
  expect(await addressSeen([])).toBe('127.0.0.1')
  expect(await addressSeen(['127.0.0.0/8'])).toBe('203.0.113.9')
})
