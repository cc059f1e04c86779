import { databaseWith } from '../../../../test/support/database-with.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { waitFor } from '../../../../test/support/wait-for.js'
import { createWorld, START, type World } from '../../../../test/support/world.js'
import { DatabaseUnavailable, type Statement } from '../database/database.js'

/** A service with other capabilities, as another test may have built one, gives the statement a number. */
const isWaits = ({ name }: Statement) => /^inbox\.waits(_\d+)?$/.test(name)

const EVENTS = {
  EVENTS_ALLOW_PRIVATE: 'true',
  EVENTS_URL: 'http://127.0.0.1:9/events',
  EVENTS_SECRETS: `whsec_${'A'.repeat(32)}`,
}
const HOUR = 3_600
const countEvents = sql('select count(*)::int as n from outbox')

describeScenario('the figures', ({ database }) => {
  let world: World
  afterEach(() => world.stop())

  const read = async () => (await world.service.metrics.render()).text.split('\n')
  const figure = (lines: readonly string[], name: string) => {
    const line = lines.find((one) => one.startsWith(`${name} `))
    return line === undefined ? undefined : Number(line.slice(name.length + 1))
  }
  const transferOf = (userId: string) =>
    world.as(userId).post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })

  it('count checkouts at the provider, of both ways to buy, and no transfers', async () => {
    world = await createWorld(database(), { env: { TRANSFER_FILE }, isNew: true })
    expect((await transferOf('user-1')).status).toBe(201)
    expect(figure(await read(), 'ishtirak_checkouts_opened_total')).toBe(0)
    await world.as('card-1').upgrade()
    await world.as('card-2').post('/api/v1/billing/payments', { plan: 'pro' })
    expect(figure(await read(), 'ishtirak_checkouts_opened_total')).toBe(2)
  })

  it('say how many wait of each kind, and for how long the oldest does', async () => {
    world = await createWorld(database(), { env: { ...EVENTS, TRANSFER_FILE } })
    await transferOf('user-1')
    await world.advance(HOUR)
    await transferOf('user-2')
    await world.as('user-3').buy()
    await world.advance(72 * HOUR)
    const lines = await read()
    const inbox = (name: string, kind: string) => figure(lines, `ishtirak_inbox_${name}{kind="${kind}"}`)
    const figures = (kind: string) => [inbox('entries', kind), inbox('oldest_age_seconds', kind)]
    expect(figures('transfer_open')).toEqual([2, 73 * HOUR])
    expect(figures('discrepancy')).toEqual([0, 0])
    // What was asked for, opened and booked: the platform has confirmed none of it.
    const [waiting] = await database().query(countEvents)
    expect(Number(waiting?.n)).toBeGreaterThan(1)
    expect(figure(lines, 'ishtirak_events_waiting')).toBe(waiting?.n)
    expect(figure(lines, 'ishtirak_events_oldest_age_seconds')).toBeGreaterThanOrEqual(2 * HOUR)
  })

  it('say of each job when it had its last round, and whether that failed', async () => {
    world = await createWorld(database(), { isNew: true })
    const job = (lines: readonly string[], what: string, name: string) =>
      figure(lines, `ishtirak_job_${what}{name="${name}"}`)
    const first = await read()
    expect(job(first, 'last_round_timestamp_seconds', 'deliver-events')).toBe(START / 1_000)
    expect(job(first, 'interval_seconds', 'deliver-events')).toBe(1)
    await database().script('alter table portal_sessions rename to portal_sessions_gone')
    try {
      await world.advance(HOUR)
    } finally {
      await database().script('alter table portal_sessions_gone rename to portal_sessions')
    }
    const failed = await read()
    expect(job(failed, 'last_round_timestamp_seconds', 'deliver-events')).toBe(START / 1_000 + HOUR)
    expect(job(failed, 'failing', 'forget-portal-sessions')).toBe(1)
    expect(job(failed, 'failing', 'deliver-events')).toBe(0)
    await world.advance(HOUR)
    expect(job(await read(), 'failing', 'forget-portal-sessions')).toBe(0)
  })

  it('say whether the provider answers and takes the key, without waiting for it', async () => {
    for (const [env, up] of [
      [{}, 1],
      [{ CHARGILY_SECRET_KEY: 'test_sk_of_no_account' }, 0],
      [{ CHARGILY_API_URL: 'http://127.0.0.1:9' }, 0],
    ] as const) {
      world = await createWorld(database(), { env })
      expect(figure(await read(), 'ishtirak_provider_up')).toBeNaN()
      await waitFor(async () => figure(await read(), 'ishtirak_provider_up') === up)
      await world.stop()
    }
  })

  it('are read from the database once for all readings of half a minute, and stand without it', async () => {
    const asked: string[] = []
    let isAway = false
    const watched = databaseWith(database, {
      query: async (one, ...given) => {
        if (isWaits(one)) asked.push('inbox.waits')
        if (isWaits(one) && isAway) throw new DatabaseUnavailable('away')
        return database().query(one, ...given)
      },
    })
    world = await createWorld(watched, { isNew: true })
    await Promise.all(Array.from({ length: 20 }, read))
    expect(asked).toEqual(['inbox.waits'])
    await world.stop()
    isAway = true
    world = await createWorld(watched, { isNew: true })
    const lines = await read()
    expect(lines.filter((line) => line.startsWith('ishtirak_inbox_'))).toEqual([])
    expect(figure(lines, 'ishtirak_events_waiting')).toBeNaN()
    expect(figure(lines, 'ishtirak_job_failing{name="send-mail"}')).toBe(0)
  })
})
