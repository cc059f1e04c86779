// What one caller can cost everybody else: each call that proves nothing is counted by its address, and what
// is dear waits its turn.
import { cookiesFor } from '../../packages/ishtirak/src/pages/reader.js'
import { databaseWith } from '../support/database-with.js'
import { describeScenario } from '../support/databases.js'
import { createWorld, type World } from '../support/world.js'

const QUOTA = 20

describeScenario('a caller who is not known', ({ database }) => {
  let world: World
  afterEach(() => world.stop())

  /** With a small quota, and a count of the queries that reach the database. */
  async function open(env: Record<string, string> = {}) {
    const counted = { queries: 0 }
    const counting = databaseWith(database, {
      query: (...asked) => {
        counted.queries += 1
        return database().query(...asked)
      },
    })
    world = await createWorld(counting, {
      env: { RATE_LIMIT_PER_MINUTE: String(QUOTA), ...env },
      isNew: true,
    })
    return counted
  }
  /** The quota of calls has this status, and each one after it 429. */
  const expectCounted = async (status: number, call: (index: number) => Promise<{ status: number }>) => {
    const statuses: number[] = []
    for (let index = 0; index < QUOTA + 5; index++) statuses.push((await call(index)).status)
    expect(statuses).toEqual([...Array(QUOTA).fill(status), ...Array(5).fill(429)])
  }

  it('with a made-up cookie is counted before the database is asked', async () => {
    const counted = await open()
    const name = cookiesFor(world.url).cookie.session
    const before = counted.queries
    await expectCounted(401, (index) => {
      const cookie = `${name}=${`made-up-${index}`.padEnd(43, 'x')}`
      return world.call('GET', '/portal', { headers: { cookie } })
    })
    expect(counted.queries - before).toBe(QUOTA)
  })

  it('is counted on addresses that lead nowhere, and takes nothing from a user with a session', async () => {
    await open()
    const { body } = await world.as('user-1').post('/api/v1/billing/portal-sessions', {})
    const entered = await world.call('GET', body.url.slice(world.url.length))
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    const own = async () => (await world.call('GET', '/portal', { headers: { cookie } })).status
    expect(await own()).toBe(200)
    world.clock.advance(60_000)
    await expectCounted(404, () => world.call('GET', '/nowhere'))
    for (const path of ['/docs', '/docs/swagger-ui.css', '/openapi.json', '/docs/errors', '/portal'])
      expect([path, (await world.call('GET', path)).status]).toEqual([path, 429])
    expect((await world.call('POST', '/nowhere', { body: 'x'.repeat(60_000) })).status).toBe(429)
    expect((await world.call('GET', '/healthz')).status).toBe(200)
    expect(await own()).toBe(200)
  })

  it('asks /readyz as often as wished, for one look at the database a second', async () => {
    const counted = await open()
    const now = vi.spyOn(performance, 'now')
    onTestFinished(() => now.mockRestore())
    const looksAt = async (ms: number) => {
      now.mockReturnValue(ms)
      const before = counted.queries
      const answers = await Promise.all(Array.from({ length: 50 }, () => world.call('GET', '/readyz')))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      return counted.queries - before
    }
    const start = performance.now() + 10_000
    const one = await looksAt(start)
    expect([await looksAt(start + 999), await looksAt(start + 1_000), one > 0]).toEqual([0, one, true])
  })

  it('forging webhooks is counted, and the provider’s own are taken all the same', async () => {
    await open()
    await expectCounted(401, (index) =>
      world.call('POST', '/api/v1/billing/webhook', {
        body: JSON.stringify({ id: String(index), padding: 'x'.repeat(60_000) }),
        headers: { signature: 'a'.repeat(64) },
      }),
    )
    // The emulator calls from the same address.
    const user = world.as('user-1')
    await user.buy()
    expect((await user.get('/api/v1/billing/status')).body.plan).toBe('pro')
  })
})
