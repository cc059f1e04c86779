// A clock that is wrong for a moment and right again: nothing is written by it, and what waited goes on.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { countReceipts } from '../../packages/ishtirak/src/books/figures.sql.js'
import { DAY, HOUR, MINUTE } from '../../packages/ishtirak/src/core/instant.js'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { drainDeliveries } from '../../packages/ishtirak/src/events/deliver-events.js'
import { showPayment } from '../../packages/ishtirak/src/overview/read-files.js'

import { describeScenario } from '../support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../support/operator.js'
import { platformFor, WITH_PLATFORM } from '../support/platform.js'
import { Receiver } from '../support/receiver.js'
import type { Answer } from '../support/world.js'
import { type WronglyTimed, wronglyTimed } from '../support/wrong-clock.js'

const STATUS = '/api/v1/billing/status'
const UPGRADE = '/api/v1/billing/upgrade'
const SHIFTS = [
  ['ahead by 400 days', 400 * DAY],
  ['ahead by 24 days', 24 * DAY],
  ['ahead by an hour', HOUR],
  ['behind by an hour', -HOUR],
] as const
/** Each statement of a test has a name of its own. */
let asked = 0

describeScenario('a clock that is wrong for a moment', ({ database }) => {
  let receiver: Receiver
  let world: WronglyTimed

  beforeEach(async () => {
    receiver = await Receiver.start()
    world = await wronglyTimed(database(), { ...WITH_PLATFORM, ...OPERATOR_ENV, ...receiver.variables })
  })
  afterEach(async () => {
    await world.stop()
    await receiver.goDown()
  })

  const jobs = async () => {
    await world.service.runner.runAll()
    await drainDeliveries(world.service.parts)
  }
  /** No webhook comes: the service has to ask. */
  const withoutWebhooks = () => world.emulator.setFaults({ drop: {} })
  const ask = (text: string) => database().query(statement(`test.clock_${++asked}`, text))
  const planOf = async (userId: string) => (await world.as(userId).get(STATUS)).body.plan
  const receivedTypes = () => receiver.received.splice(0).map(({ event }) => event.type)
  const consume = (id: string) =>
    platformFor(world, 'user-1').consume('deploys_per_day', { operation_id: id, amount: 5 })
  const fail = async (userId: string) => {
    const { checkoutId } = await world.as(userId).upgrade()
    await world.emulator.pay(checkoutId, 'failed')
    await world.emulator.settled()
  }
  const expectRefused = async (answer: Promise<Answer>) => {
    const { status, body, headers } = await answer
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'clock_wrong', '5'])
  }
  /** Every row of every table. */
  const everything = async () => {
    const tables = await ask(`select tablename as name from pg_tables where schemaname = current_schema()`)
    return Promise.all(
      tables.map(async ({ name }) => [name, await ask(`select t::text from ${name} t order by 1`)]),
    )
  }

  it.each(SHIFTS)('%s: nothing is answered, written or sent', async (_name, ms) => {
    await world.as('user-1').buy()
    const { paymentId, checkoutId } = await world.as('user-2').upgrade()
    await consume('right')
    const platform = platformFor(world, 'user-1')
    const operator = operatorOf(world)
    // It reads no clock.
    await countReceipts(database(), 10, 'Africa/Algiers')
    const before = await everything()
    await world.wrongBy(ms, async () => {
      await world.emulator.pay(checkoutId, 'paid', 'cib')
      await world.emulator.settled()
      await expectRefused(world.as('user-1').get(STATUS))
      await expectRefused(world.as('user-1').get('/api/v1/billing/payments'))
      await expectRefused(world.as('user-2').post(UPGRADE, { plan: 'pro' }))
      await expectRefused(world.as('user-3').post(UPGRADE, { plan: 'pro' }))
      await expectRefused(world.as('user-1').post('/api/v1/billing/portal-sessions', {}))
      await expectRefused(consume('wrong'))
      await expectRefused(platform.release('deploys_per_day', { operation_id: 'right' }))
      await expectRefused(platform.report('projects', { used: 2 }))
      await expectRefused(platform.update({ email: 'a@example.dz' }))
      const grant = { days: 3, plan: 'pro', reason: 'an outage', operation_id: 'wrong' }
      await expectRefused(operator.post('/users/user-1/grants', grant))
      await expectRefused(operator.post(`/payments/${paymentId}/recheck`))
      for (const page of ['/portal', '/portal/open?token=x', '/console', '/console/inbox', '/nothing'])
        expect([page, (await world.call('GET', page)).status]).toEqual([page, 503])
      await jobs()
    })
    expect(await everything()).toEqual(before)
    expect(receiver.received).toEqual([])
  })

  it('says that it is wrong: not ready, alive, with its figures', async () => {
    const checks = { database: 'ok', schema: 'ok', clock: 'ok' }
    expect((await world.call('GET', '/readyz')).body).toEqual({ status: 'ready', checks })
    // Looks within a second share one.
    world = await world.stop().then(() => wronglyTimed(database(), OPERATOR_ENV))
    await world.wrongBy(400 * DAY, async () => {
      const { status, body } = await world.call('GET', '/readyz')
      const clock = 'the clock of this machine is 400.0 days ahead of the clock of the test'
      expect([status, body.code, body.checks]).toEqual([503, 'not_ready', { ...checks, clock }])
      expect((await world.call('GET', '/healthz')).status).toBe(200)
      const { checks: found } = (await operatorOf(world).get('/health')).body
      const said = found.find(({ subject }: { subject: string }) => subject === 'clock')
      expect(said).toMatchObject({
        verdict: 'fail',
        remedy: expect.stringContaining('docs/internals/clocks.md'),
      })
      expect((await world.service.metrics.render()).text).toMatch(
        /ishtirak_job_failing\{name="send-mail"\} 0/,
      )
      await expect(world.service.start()).rejects.toThrow(clock)
    })
  })

  it.each(SHIFTS)('%s: the provider sends its event again, and it is booked once', async (_name, ms) => {
    const { paymentId, checkoutId } = await world.as('user-1').upgrade()
    await world.wrongBy(ms, async () => {
      await world.emulator.pay(checkoutId, 'paid', 'cib')
      await world.emulator.settled()
    })
    const paidAt = world.clock.now()
    await world.emulator.advance(HOUR / 1_000)
    const { payment } = await showPayment(world.service.parts, paymentId)
    expect(payment).toMatchObject({ status: 'paid', paidAt })
    expect(await ask('select number from receipts')).toHaveLength(1)
  })

  it.each(SHIFTS)('%s: the daily count goes on', async (_name, ms) => {
    await consume('before')
    await world.wrongBy(ms, () => consume('wrong'))
    const { allowed, used, resets_at } = (await consume('right')).body
    expect([allowed, used, resets_at]).toEqual([true, 10, '2026-11-21T23:00:00Z'])
    expect((await platformFor(world, 'user-1').read()).body.usage.deploys_per_day).toBe(10)
  })

  it.each(SHIFTS)('%s at a look: the next reader has the provider asked', async (_name, ms) => {
    withoutWebhooks()
    const user = world.as('user-1')
    const { checkoutId } = await user.upgrade()
    await world.wrongBy(ms, () => user.get(STATUS))
    await world.emulator.pay(checkoutId, 'paid', 'cib')
    expect(await planOf('user-1')).toBe('pro')
  })

  it.each(SHIFTS)('%s: a payment that was due meanwhile is found by the sweep', async (_name, ms) => {
    withoutWebhooks()
    const { paymentId, checkoutId } = await world.as('user-1').upgrade()
    await world.wrongBy(ms, jobs)
    await world.emulator.pay(checkoutId, 'paid', 'cib')
    await world.advance(MINUTE / 1_000)
    const { payment } = await showPayment(world.service.parts, paymentId)
    expect(payment.status).toBe('paid')
  })

  it.each(SHIFTS)('%s: checkouts that were refused meanwhile do not count', async (_name, ms) => {
    const user = world.as('user-1')
    await world.wrongBy(ms, async () => {
      for (let click = 0; click < 12; click++) await expectRefused(user.post(UPGRADE, { plan: 'pro' }))
    })
    for (let opened = 0; opened < 10; opened++) await fail('user-1')
    expect((await user.post(UPGRADE, { plan: 'pro' })).status).toBe(429)
  })

  it.each(SHIFTS)('%s: each reminder comes once, when it is time, with its mail', async (_name, ms) => {
    await world.as('user-1').buy()
    await jobs()
    receivedTypes()
    await world.wrongBy(ms, jobs)
    await jobs()
    expect(receivedTypes()).toEqual([])
    expect(await ask("select kind from mails where kind <> 'receipt'")).toEqual([])
    for (const [afterDays, kind] of [
      [23, 'expiring_7_days'],
      [4, 'expiring_3_days'],
      [2, 'expiring_1_day'],
      [1, 'past_due'],
      [3, 'expired'],
    ] as const) {
      await world.advance((afterDays * DAY) / 1_000)
      await jobs()
      expect([kind, receivedTypes().length]).toEqual([kind, 1])
      expect(await ask(`select 1 as owed from mails where kind = '${kind}'`)).toHaveLength(1)
    }
  })

  it.each(SHIFTS)('%s: events that waited go out once, in order, and so do the next', async (_name, ms) => {
    await world.as('user-1').buy()
    await world.wrongBy(ms, jobs)
    expect(receivedTypes()).toEqual([])
    await jobs()
    expect(receivedTypes()).toEqual(['payment.paid', 'subscription.activated'])
    await fail('user-2')
    await jobs()
    expect(receivedTypes()).toEqual(['payment.failed'])
  })

  it('ahead by 400 days: an address that fails is not given up', async () => {
    receiver.behave = () => 500
    await world.as('user-1').buy()
    await jobs()
    await world.wrongBy(400 * DAY, jobs)
    expect(await ask('select url from event_endpoint where disabled_at is not null')).toEqual([])
    receiver.behave = () => 204
    receivedTypes()
    await world.advance(6)
    await jobs()
    expect(receivedTypes().slice(0, 1)).toEqual(['payment.paid'])
  })

  it('ahead by 400 days at a comparison: the next one begins a day after the last', async () => {
    await world.as('user-1').buy()
    await world.advance((25 * HOUR) / 1_000)
    await world.wrongBy(400 * DAY, jobs)
    await world.advance((25 * HOUR) / 1_000)
    const walks = await ask('select started_at, finished_at from comparisons order by started_at')
    expect(walks.map(({ finished_at }) => finished_at)).toEqual([expect.anything(), expect.anything()])
    const [first, second] = walks.map(({ started_at }) => Number(started_at))
    expect((second ?? 0) - (first ?? 0)).toBe(25 * HOUR)
  })

  it.each(SHIFTS)('%s: a link and a session of the portal are as before', async (_name, ms) => {
    const { body } = await world.as('user-1').post('/api/v1/billing/portal-sessions', {})
    const link = body.url.replace(world.url, '')
    const enter = () => world.call('GET', link)
    expect((await world.wrongBy(ms, enter)).status).toBe(503)
    const { status, headers } = await enter()
    expect([status, headers.get('set-cookie')]).toEqual([303, expect.stringContaining('=')])
    const cookie = headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const read = async () => (await world.call('GET', '/portal', { headers: { cookie } })).status
    expect(await read()).toBe(200)
    expect(await world.wrongBy(ms, read)).toBe(503)
    expect(await read()).toBe(200)
  })

  it('behind by an hour: no answer asks to wait for longer than the window', async () => {
    const read = () => world.as('user-1').get(STATUS)
    let answer = await read()
    for (let calls = 0; calls < 310 && answer.status === 200; calls++) answer = await read()
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(MINUTE / 1_000)
    const wrong = await world.wrongBy(-HOUR, read)
    expect(Number(wrong.headers.get('retry-after'))).toBeLessThanOrEqual(MINUTE / 1_000)
  })
})
