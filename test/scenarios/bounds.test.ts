// What one caller can cost everybody else: each call that proves nothing is counted by its address, and what
// is dear waits its turn.
import { afterEach, expect, it } from 'vitest'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { cookiesFor } from '../../packages/ishtirak/src/pages/reader.js'
import { describeScenario } from '../support/databases.js'
import { createWorld, type World } from '../support/world.js'

const QUOTA = 20
const WEBHOOK = '/api/v1/billing/webhook'

describeScenario('a caller who is not known', ({ database }) => {
  let world: World
  afterEach(() => world.stop())

  /** With a small quota, and a count of the statements that reach the database. */
  async function open(env: Record<string, string> = {}) {
    const counted = { statements: 0 }
    const real = database()
    const counting: Database = {
      kind: real.kind,
      query: (...asked) => {
        counted.statements += 1
        return real.query(...asked)
      },
      transaction: (work) => real.transaction(work),
      script: (sql) => real.script(sql),
      close: () => real.close(),
    }
    world = await createWorld(counting, { env: { RATE_LIMIT_PER_MINUTE: String(QUOTA), ...env } })
    return counted
  }

  const statusesOf = async (times: number, call: (index: number) => Promise<{ status: number }>) => {
    const statuses: number[] = []
    for (let index = 0; index < times; index++) statuses.push((await call(index)).status)
    return statuses
  }
  const quotaOf = (status: number, times: number) => [
    ...Array<number>(QUOTA).fill(status),
    ...Array<number>(times - QUOTA).fill(429),
  ]

  it('with a made-up cookie is counted before the database is asked', async () => {
    const counted = await open()
    const cookie = (index: number) => ({
      cookie: `${cookiesFor(world.url).cookie.session}=${`made-up-${index}`.padEnd(43, 'x')}`,
    })
    const before = counted.statements
    const statuses = await statusesOf(3 * QUOTA, (index) =>
      world.call('GET', '/portal', { headers: cookie(index) }),
    )
    expect(statuses).toEqual(quotaOf(401, 3 * QUOTA))
    expect(counted.statements - before).toBe(QUOTA)
  })

  it('takes nothing from a user of the same address who has a session', async () => {
    await open()
    const { body } = await world.as('user-1').post('/api/v1/billing/portal-sessions', {})
    const entered = await world.call('GET', new URL(body.url).pathname + new URL(body.url).search)
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    const own = () => world.call('GET', '/portal', { headers: { cookie } })
    expect((await own()).status).toBe(200)
    await statusesOf(QUOTA + 1, () => world.call('GET', '/nowhere'))
    expect((await world.call('GET', '/portal')).status).toBe(429)
    expect((await own()).status).toBe(200)
  })

  it('is counted on addresses that lead nowhere, and on the documents', async () => {
    await open()
    expect(await statusesOf(QUOTA + 5, () => world.call('GET', '/nowhere'))).toEqual(quotaOf(404, QUOTA + 5))
    for (const path of ['/docs', '/docs/swagger-ui.css', '/openapi.json', '/docs/errors']) {
      expect([path, (await world.call('GET', path)).status]).toEqual([path, 429])
    }
    expect((await world.call('POST', '/nowhere', { body: 'x'.repeat(60_000) })).status).toBe(429)
    expect((await world.call('GET', '/healthz')).status).toBe(200)
  })

  it('asks /readyz as often as wished, for one look at the database a second', async () => {
    const counted = await open()
    const before = counted.statements
    const startedAt = performance.now()
    const answers = await Promise.all(Array.from({ length: 100 }, () => world.call('GET', '/readyz')))
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(counted.statements - before).toBeLessThanOrEqual(seconds + 1)
  })

  it('calls from any address of a /64 as one, and from another /64 as another', async () => {
    await open({ TRUSTED_PROXIES: '127.0.0.1' })
    const from = (address: string) =>
      world.call('GET', '/nowhere', { headers: { 'x-forwarded-for': address } })
    const statuses = await statusesOf(QUOTA + 5, (index) => from(`2001:db8:1:2::${(index + 1).toString(16)}`))
    expect(statuses).toEqual(quotaOf(404, QUOTA + 5))
    expect((await from('2001:db8:1:3::1')).status).toBe(404)
  })

  it('forging webhooks is counted, and the provider’s own are taken all the same', async () => {
    await open()
    const forged = (index: number) =>
      world.call('POST', WEBHOOK, {
        body: JSON.stringify({ id: String(index), padding: 'x'.repeat(60_000) }),
        headers: { signature: 'a'.repeat(64) },
      })
    expect(await statusesOf(QUOTA + 5, forged)).toEqual(quotaOf(401, QUOTA + 5))
    // The emulator calls from the same address.
    const user = world.as('user-1')
    await user.buy()
    expect((await user.get('/api/v1/billing/status')).body.plan).toBe('pro')
  })
})
