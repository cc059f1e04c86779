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
/** Ahead by so much, or behind. */
const SHIFTS = [400 * DAY, 24 * DAY, HOUR, -HOUR]
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
  const ask = (text: string) => database().query(statement(`test.clock_${++asked}`, text))
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
    const each = tables.map(({ name }) => `select '${name}' as of, t::text as row from ${name} t`)
    return ask(`${each.join(' union all ')} order by 1, 2`)
  }

  it('nothing is answered, written or sent, however wrong it is', async () => {
    await world.as('user-1').buy()
    const { paymentId } = await world.as('user-2').upgrade()
    const opened = await Promise.all(SHIFTS.map((_, place) => world.as(`opened-${place}`).upgrade()))
    await consume('right')
    const platform = platformFor(world, 'user-1')
    const operator = operatorOf(world)
    // It reads no clock.
    await countReceipts(database(), 10, 'Africa/Algiers')
    const before = await everything()
    const grant = { days: 3, plan: 'pro', reason: 'an outage', operation_id: 'wrong' }
    for (const [place, ms] of SHIFTS.entries()) {
      await world.wrongBy(ms, async () => {
        await world.emulator.pay(opened[place]?.checkoutId ?? '', 'paid', 'cib')
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
        await expectRefused(operator.post('/users/user-1/grants', grant))
        await expectRefused(operator.post(`/payments/${paymentId}/recheck`))
        for (const page of ['/portal', '/portal/open?token=x', '/console', '/console/inbox', '/nothing'])
          expect([page, (await world.call('GET', page)).status]).toEqual([page, 503])
        await jobs()
      })
      expect([ms, await everything()]).toEqual([ms, before])
    }
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

  it('what is paid meanwhile is booked once: by the next event, the next look and the sweep', async () => {
    const opened = await Promise.all(SHIFTS.map((_, place) => world.as(`sent-${place}`).upgrade()))
    for (const [place, ms] of SHIFTS.entries())
      await world.wrongBy(ms, async () => {
        await world.emulator.pay(opened[place]?.checkoutId ?? '', 'paid', 'cib')
        await world.emulator.settled()
      })
    const paidAt = world.clock.now()
    await world.emulator.advance(HOUR / 1_000)
    for (const { paymentId } of opened) {
      const { payment } = await showPayment(world.service.parts, paymentId)
      expect(payment).toMatchObject({ status: 'paid', paidAt })
    }
    expect(await ask('select number from receipts')).toHaveLength(SHIFTS.length)

    // No webhook comes: the service has to ask.
    world.emulator.setFaults({ drop: {} })
    for (const [place, ms] of SHIFTS.entries()) {
      const user = world.as(`looking-${place}`)
      const { checkoutId } = await user.upgrade()
      await world.wrongBy(ms, () => user.get(STATUS))
      await world.emulator.pay(checkoutId, 'paid', 'cib')
      expect([ms, (await user.get(STATUS)).body.plan]).toEqual([ms, 'pro'])

      const swept = await world.as(`swept-${place}`).upgrade()
      await world.wrongBy(ms, jobs)
      await world.emulator.pay(swept.checkoutId, 'paid', 'cib')
      await world.advance(MINUTE / 1_000)
      const { payment } = await showPayment(world.service.parts, swept.paymentId)
      expect([ms, payment.status]).toEqual([ms, 'paid'])
    }
  })

  it('a daily count, a link and a session of the portal are as before', async () => {
    await consume('before')
    const { body } = await world.as('user-1').post('/api/v1/billing/portal-sessions', {})
    const enter = () => world.call('GET', body.url.replace(world.url, ''))
    for (const ms of SHIFTS) {
      await world.wrongBy(ms, () => consume('wrong'))
      expect([ms, (await world.wrongBy(ms, enter)).status]).toEqual([ms, 503])
    }
    const { allowed, used, resets_at } = (await consume('right')).body
    expect([allowed, used, resets_at]).toEqual([true, 10, '2026-11-21T23:00:00Z'])
    expect((await platformFor(world, 'user-1').read()).body.usage.deploys_per_day).toBe(10)
    const { status, headers } = await enter()
    expect([status, headers.get('set-cookie')]).toEqual([303, expect.stringContaining('=')])
    const cookie = headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const read = async () => (await world.call('GET', '/portal', { headers: { cookie } })).status
    const answers = [await read()]
    for (const ms of SHIFTS) answers.push(await world.wrongBy(ms, read), await read())
    expect(answers).toEqual([200, ...SHIFTS.flatMap(() => [503, 200])])
  })

  it('checkouts that were refused meanwhile do not count', async () => {
    const user = world.as('user-1')
    for (const ms of SHIFTS)
      await world.wrongBy(ms, async () => {
        for (let click = 0; click < 12; click++) await expectRefused(user.post(UPGRADE, { plan: 'pro' }))
      })
    for (let opened = 0; opened < 10; opened++) await fail('user-1')
    expect((await user.post(UPGRADE, { plan: 'pro' })).status).toBe(429)
  })

  it('each reminder comes once, when it is time, with its mail', async () => {
    await world.as('user-1').buy()
    await jobs()
    receivedTypes()
    const wrong = async () => {
      for (const ms of SHIFTS) await world.wrongBy(ms, jobs)
      await jobs()
    }
    await wrong()
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
      await wrong()
      expect([kind, receivedTypes().length]).toEqual([kind, 1])
      expect(await ask(`select 1 as owed from mails where kind = '${kind}'`)).toHaveLength(1)
    }
  })

  it('events that waited go out once, in order, and so do the next', async () => {
    for (const [place, ms] of SHIFTS.entries()) {
      await world.as(`user-${place}`).buy()
      await world.wrongBy(ms, jobs)
      expect([ms, receivedTypes()]).toEqual([ms, []])
      await jobs()
      expect([ms, receivedTypes()]).toEqual([ms, ['payment.paid', 'subscription.activated']])
    }
    await fail('user-of-nothing')
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

  it('behind by an hour: no answer asks to wait for longer than the window', async () => {
    world = await world.stop().then(() => wronglyTimed(database(), { RATE_LIMIT_PER_MINUTE: '3' }))
    const read = () => world.as('user-1').get(STATUS)
    const answers = [await read(), await read(), await read(), await read()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    const wrong = await world.wrongBy(-HOUR, read)
    for (const { headers } of [answers[3] ?? wrong, wrong])
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(MINUTE / 1_000)
  })
})
