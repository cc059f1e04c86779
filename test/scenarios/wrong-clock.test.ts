// A clock that is wrong for a moment and right again: nothing is written by it, and what waited goes on.
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { DAY, HOUR, MINUTE } from '../../packages/ishtirak/src/core/instant.js'
import { type Queryable, statement } from '../../packages/ishtirak/src/database/database.js'
import { guardSystemClock } from '../../packages/ishtirak/src/database/guarded-clock.js'
import { drainDeliveries } from '../../packages/ishtirak/src/events/deliver-events.js'
import { showPayment } from '../../packages/ishtirak/src/overview/read-files.js'
import { LearntTime, movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { describeScenario } from '../support/databases.js'
import { operatorOf } from '../support/operator.js'
import { platformFor } from '../support/platform.js'
import { Receiver } from '../support/receiver.js'
import { type Answer, CHARGILY_KEY, createWorld, START, type World } from '../support/world.js'

const STATUS = '/api/v1/billing/status'
const UPGRADE = '/api/v1/billing/upgrade'
/** Ahead by so much, or behind: what is too much is in database/guarded-clock.test.ts. */
const SHIFTS = [400 * DAY, -HOUR]
/** Each query of a test has a name of its own. */
let asked = 0

describeScenario('a clock that is wrong for a moment', ({ database }) => {
  let receiver: Receiver
  let emulator: World['emulator']
  let world: World
  let aheadMs = 0

  /** The clock of the service can be wrong, while the provider's is right. */
  const open = async (env: Record<string, string>) => {
    const { now, advance } = movableClock(START)
    emulator = await startEmulator({ secretKeys: [CHARGILY_KEY], clock: { now, advance } })
    const serverTime = Object.assign(new LearntTime(), { now, note: () => {} })
    const right = {
      serverTime,
      query: (...call: Parameters<Queryable['query']>) => database().query(...call),
    }
    const log = createLog({ level: 'silent' })
    const shifted = { now: () => now() + aheadMs }
    const guarded = guardSystemClock(shifted, { database: right, log })
    world = await createWorld(database(), { clock: { ...guarded, advance }, emulator, env, isNew: true })
  }
  const close = async () => {
    await world.stop()
    await emulator.close()
  }
  beforeEach(async () => {
    receiver = await Receiver.start()
    await open({ ...receiver.variables })
  })
  afterEach(async () => {
    await close()
    await receiver.goDown()
  })

  const wrongBy = async <Result>(ms: number, work: () => Promise<Result>) => {
    aheadMs = ms
    try {
      return await work()
    } finally {
      aheadMs = 0
    }
  }
  const jobs = async () => {
    await world.service.runner.runAll()
    await drainDeliveries(world.service.parts)
  }
  const ask = (text: string) => database().query(statement(`test.clock_${++asked}`, text))
  const consume = (id: string) =>
    platformFor(world, 'user-1').consume('deploys_per_day', { operation_id: id, amount: 5 })
  const pay = async (checkoutId = '', outcome: 'paid' | 'failed' = 'paid') => {
    await emulator.pay(checkoutId, outcome, 'cib')
    await emulator.settled()
  }
  const expectRefused = async (answer: Promise<Answer>) => {
    const { status, body, headers } = await answer
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'clock_wrong', '5'])
  }
  const everything = async () => {
    const tables = await ask(`select tablename as name from pg_tables where schemaname = current_schema()`)
    const each = tables.map(({ name }) => `select '${name}' as of, t::text as row from ${name} t`)
    return ask(`${each.join(' union all ')} order by 1, 2`)
  }

  it('nothing is answered, written or sent, however wrong it is, and then all goes on', async () => {
    await world.as('user-1').buy()
    const { paymentId } = await world.as('user-2').upgrade()
    const opened = await Promise.all(SHIFTS.map((_, place) => world.as(`opened-${place}`).upgrade()))
    await consume('before')
    const { body } = await world.as('user-1').post('/api/v1/billing/portal-sessions', {})
    const link = body.url.slice(world.url.length)
    const platform = platformFor(world, 'user-1')
    const operator = operatorOf(world)
    const before = await everything()
    const grant = { days: 3, plan: 'pro', why: 'an outage', operation_id: 'wrong' }
    for (const [place, ms] of SHIFTS.entries()) {
      await wrongBy(ms, async () => {
        await pay(opened[place]?.checkoutId)
        for (const refused of [
          () => world.as('user-1').get(STATUS),
          () => world.as('user-1').get('/api/v1/billing/payments'),
          () => world.as('user-2').post(UPGRADE, { plan: 'pro' }),
          () => world.as('user-3').post(UPGRADE, { plan: 'pro' }),
          () => world.as('user-1').post('/api/v1/billing/portal-sessions', {}),
          () => consume('wrong'),
          () => platform.release('deploys_per_day', { operation_id: 'before' }),
          () => platform.report('projects', { used: 2 }),
          () => platform.update({ email: 'a@example.dz' }),
          () => operator.post('/users/user-1/grant', grant),
          () => operator.post(`/payments/${paymentId}/recheck`),
        ])
          await expectRefused(refused())
        for (const page of ['/portal', link, '/console', '/console/inbox', '/nothing'])
          expect([page, (await world.call('GET', page)).status]).toEqual([page, 503])
        await jobs()
      })
      expect([ms, await everything()]).toEqual([ms, before])
    }
    expect(receiver.received).toEqual([])
    const { allowed, used, resets_at } = (await consume('right')).body
    expect([allowed, used, resets_at]).toEqual([true, 10, '2026-11-21T23:00:00Z'])
    expect((await world.call('GET', link)).status).toBe(303)
    await jobs()
    expect(receiver.story).toEqual(['user-1:1:payment.paid', 'user-1:2:subscription.activated'])
  })

  it('says that it is wrong: not ready, alive, with its figures', async () => {
    const checks = { database: 'ok', schema: 'ok', clock: 'ok' }
    expect((await world.call('GET', '/readyz')).body).toEqual({ status: 'ready', checks })
    // Looks within a second share one.
    await close()
    await open({})
    await wrongBy(400 * DAY, async () => {
      const { status, body } = await world.call('GET', '/readyz')
      const clock = 'the clock of this machine is 400.0 days ahead of that of the database server'
      expect([status, body.code, body.checks]).toEqual([503, 'not_ready', { ...checks, clock }])
      expect((await world.call('GET', '/healthz')).status).toBe(200)
      const { checks: found } = (await operatorOf(world).get('/health')).body
      const said = found.find(({ subject }: { subject: string }) => subject === 'clock')
      const remedy = expect.stringContaining('docs/internals/faults.md')
      expect(said).toMatchObject({ verdict: 'fail', remedy })
      const { text } = await world.service.metrics.render()
      expect(text).toMatch(/ishtirak_job_failing\{name="send-mail"\} 0/)
      await expect(world.service.start()).rejects.toThrow(clock)
    })
  })

  it('what is paid meanwhile is booked once: by the next event, the next look and the sweep', async () => {
    const opened = await Promise.all(SHIFTS.map((_, place) => world.as(`sent-${place}`).upgrade()))
    for (const [place, ms] of SHIFTS.entries()) await wrongBy(ms, () => pay(opened[place]?.checkoutId))
    const paidAt = world.clock.now()
    await emulator.advance(HOUR / 1_000)
    for (const { paymentId } of opened) {
      const { payment } = await showPayment(world.service.parts, paymentId)
      expect(payment).toMatchObject({ status: 'paid', paidAt })
    }
    expect(await ask('select number from documents')).toHaveLength(SHIFTS.length)

    // No webhook comes: the service has to ask.
    emulator.setFaults({ drop: {} })
    for (const [place, ms] of SHIFTS.entries()) {
      const user = world.as(`looking-${place}`)
      const { checkoutId } = await user.upgrade()
      await wrongBy(ms, () => user.get(STATUS))
      await pay(checkoutId)
      expect([ms, (await user.get(STATUS)).body.plan]).toEqual([ms, 'pro'])

      const swept = await world.as(`swept-${place}`).upgrade()
      await wrongBy(ms, jobs)
      await pay(swept.checkoutId)
      await world.advance(MINUTE / 1_000)
      const { payment } = await showPayment(world.service.parts, swept.paymentId)
      expect([ms, payment.status]).toEqual([ms, 'paid'])
    }
  })
})
