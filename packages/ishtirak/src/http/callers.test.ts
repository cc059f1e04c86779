// One way to know the caller, on every route there is: before parameters, query and body are read, and counted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../../test/support/databases.js'
import { OPERATOR_ENV } from '../../../../test/support/operator.js'
import { WITH_PLATFORM } from '../../../../test/support/platform.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import type { Database } from '../database/database.js'

/** Whose caller need not be known: what is public, and the address that holds its own proof. */
const PUBLIC = [
  '/',
  '/api/v1/billing/plans',
  // Known by its signature, which is over the body.
  '/api/v1/billing/webhook',
  '/billing/return/:payment_id',
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
]
const isPublic = (method: string, url: string) =>
  PUBLIC.includes(url) || url.startsWith('/docs') || (method === 'GET' && url === '/portal/open')

let database: Database
let world: World
beforeAll(async () => {
  database = await freshDatabase('pglite')
  const env = { ...WITH_PLATFORM, ...OPERATOR_ENV, RATE_LIMIT_PER_MINUTE: '100000' }
  world = await createWorld(database, { env })
})
afterAll(async () => {
  await world.stop()
  await database.close()
})

const routes = () => world.service.app.knownRoutes()

describe('a caller who is not known', () => {
  it('is refused on every route that is not public, whatever is wrong with the rest, and is counted', async () => {
    const kept = routes().filter(({ method, url }) => !isPublic(method, url))
    // Of each part there is one: the five of the document, the platform's, the operator's, the portal's.
    expect(kept.length).toBeGreaterThan(40)
    const json = { 'content-type': 'application/json' }
    const wrong: readonly (readonly [string, Record<string, string>, string | undefined])[] = [
      ['nothing more', {}, undefined],
      ['broken JSON', json, '{"'],
      ['a body of 70 kB', json, 'x'.repeat(70_000)],
      ['an unknown type', { 'content-type': 'text/nothing' }, 'x'],
      ['a wrong token', { authorization: 'Bearer nothing', cookie: 'ishtirak=nothing' }, undefined],
    ]
    for (const { method, url } of kept) {
      // A month that is none, a limit that is none, an id that is too long.
      const path = `${url.replaceAll(/:\w+/g, 'x'.repeat(300))}?limit=none&month=none`
      for (const [what, headers, body] of wrong) {
        const isBare = body === undefined || method === 'GET' || method === 'HEAD'
        const answer = await world.call(method, path, isBare ? { headers } : { headers, body })
        expect([answer.status, answer.headers.has('ratelimit')], `${method} ${url} with ${what}`).toEqual([
          401,
          true,
        ])
      }
    }
  })

  it('of a part that is switched off finds nothing there', async () => {
    const off = await createWorld(database, { clock: world.clock, emulator: world.emulator })
    const parts = routes().filter(({ url }) => /^\/api\/v1\/(platform|operator)\//.test(url))
    for (const { method, url } of parts) {
      const { status } = await off.call(method, url.replaceAll(':', ''), {
        headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
        ...(method === 'GET' || method === 'HEAD' ? {} : { body: '{"' }),
      })
      expect(status, `${method} ${url}`).toBe(404)
    }
    await off.stop()
  })
})
