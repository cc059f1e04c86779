// A clock that is wrong for a moment and right again: what was written meanwhile holds nothing up.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { reconcileDaily } from '../../packages/ishtirak/src/compare/reconcile.js'
import { DAY, HOUR, MINUTE } from '../../packages/ishtirak/src/core/instant.js'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { deliverEvents, drainDeliveries } from '../../packages/ishtirak/src/events/deliver-events.js'
import { showPayment } from '../../packages/ishtirak/src/overview/acts.js'
import {
  createFindSession,
  enterPortal,
  findLink,
  openPortalLink,
} from '../../packages/ishtirak/src/portal/portal-sessions.sql.js'
import { describeScenario } from '../support/databases.js'
import { platformFor, WITH_PLATFORM } from '../support/platform.js'
import { Receiver, SECRET } from '../support/receiver.js'
import { type WronglyTimed, wronglyTimed } from '../support/wrong-clock.js'

const STATUS = '/api/v1/billing/status'
const UPGRADE = '/api/v1/billing/upgrade'
const SHIFTS = [
  ['400 days', 400 * DAY],
  ['an hour', HOUR],
] as const
const ALWAYS_BEHIND = -HOUR
/** Each statement of a test has a name of its own. */
let asked = 0

describeScenario('a clock that was wrong for a moment', ({ database }) => {
  let receiver: Receiver
  let world: WronglyTimed

  beforeEach(async () => {
    receiver = await Receiver.start()
    const events = { EVENTS_URL: receiver.url, EVENTS_SECRETS: SECRET, EVENTS_ALLOW_PRIVATE: 'true' }
    world = await wronglyTimed(database(), { ...WITH_PLATFORM, ...events })
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
  const toldOf = () => receiver.received.splice(0).map(({ event }) => event.type)

  it.each(SHIFTS)('ahead by %s: the daily count goes on with today', async (_name, ms) => {
    const platform = platformFor(world, 'user-1')
    const consume = async (id: string) =>
      (await platform.consume('deploys_per_day', { operation_id: id, amount: 5 })).body
    await world.wrongBy(ms, async () => {
      await consume('wrong-1')
      await consume('wrong-2')
    })
    const isSameDay = ms < DAY
    const expected = isSameDay ? [false, 10] : [true, 5]
    const { allowed, used, resets_at } = await consume('right')
    expect([allowed, used, resets_at]).toEqual([...expected, '2026-11-21T23:00:00Z'])
    expect((await platform.read()).body.usage.deploys_per_day).toBe(used)
    if (!isSameDay) expect(await consume('usual')).toMatchObject({ allowed: true, used: 10 })
  })

  it('ahead by 400 days: a count that was over its limit is answered as today’s, before anything is counted', async () => {
    const platform = platformFor(world, 'user-1')
    await world.wrongBy(400 * DAY, () =>
      platform.consume('deploys_per_day', { operation_id: 'wrong', amount: 10 }),
    )
    expect((await platform.read()).body.usage.deploys_per_day).toBe(0)
  })

  it.each(SHIFTS)(
    'ahead by %s at a look: the next reader has the provider asked again',
    async (_name, ms) => {
      withoutWebhooks()
      const user = world.as('user-1')
      const { checkoutId } = await user.upgrade()
      await world.wrongBy(ms, () => user.get(STATUS))
      await world.emulator.pay(checkoutId, 'paid', 'cib')
      expect(await planOf('user-1')).toBe('pro')
    },
  )

  it.each(SHIFTS)('ahead by %s: a payment that began meanwhile is found by the sweep', async (_name, ms) => {
    withoutWebhooks()
    const { paymentId, checkoutId } = await world.wrongBy(ms, () => world.as('user-1').upgrade())
    await world.emulator.pay(checkoutId, 'paid', 'cib')
    await jobs()
    const { payment } = await showPayment(world.service.parts, paymentId)
    expect(payment).toMatchObject({ status: 'paid', paidAt: world.clock.now() })
    expect(payment.createdAt).toBe(world.clock.now())
  })

  it('ahead by 400 days: a claimed look that was never finished is made again', async () => {
    withoutWebhooks()
    const { paymentId, checkoutId } = await world.as('user-1').upgrade()
    await world.wrongBy(400 * DAY, async () => {
      world.emulator.setFaults({ api_5xx: {} })
      await jobs()
      world.emulator.clearFaults()
      withoutWebhooks()
    })
    await world.emulator.pay(checkoutId, 'paid', 'cib')
    await jobs()
    expect((await showPayment(world.service.parts, paymentId)).payment.status).toBe('paid')
  })

  it('ahead by 400 days: an attempt at the provider that a dead process left is taken over', async () => {
    const user = world.as('user-1')
    const { paymentId } = await user.upgrade()
    await ask(`update payments set status = 'requested', method_reference = null, checkout_url = null,
                      attempt_ends_at = timestamptz '2027-12-31' where id = '${paymentId}'`)
    expect((await user.post(UPGRADE, { plan: 'pro' })).body.payment_id).toBe(paymentId)
  })

  it('ahead by 400 days: ten checkouts that were opened meanwhile do not count today', async () => {
    const user = world.as('user-1')
    await world.wrongBy(400 * DAY, async () => {
      for (let opened = 0; opened < 10; opened++) {
        const { checkoutId } = await user.upgrade()
        await world.emulator.pay(checkoutId, 'failed')
        await world.emulator.settled()
      }
      expect((await user.post(UPGRADE, { plan: 'pro' })).status).toBe(429)
    })
    expect((await user.post(UPGRADE, { plan: 'pro' })).status).toBe(200)
  })

  it.each([
    ['400 days', 400 * DAY],
    ['24 days', 24 * DAY],
  ])('ahead by %s: the reminders come again when it is time, with their mail', async (_name, ms) => {
    await world.as('user-1').buy()
    await world.wrongBy(ms, jobs)
    expect(toldOf().at(-1)).toBe(ms > 30 * DAY ? 'subscription.expired' : 'subscription.expiring')
    await jobs()
    expect(toldOf()).toEqual([])
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
      expect([kind, toldOf().length]).toEqual([kind, 1])
      expect(await ask(`select 1 as owed from mails where kind = '${kind}'`)).toHaveLength(1)
    }
  })

  it.each(SHIFTS)(
    'ahead by %s: events written or tried meanwhile go out, and so do the next',
    async (_name, ms) => {
      receiver.behave = () => 500
      await world.wrongBy(ms, async () => {
        await world.as('user-1').buy()
        await jobs()
      })
      receiver.behave = () => 204
      toldOf()
      // A retry keeps its step of 5 s where the clock was ahead by less than the longest step.
      await world.advance(ms < DAY ? ms / 1_000 + 6 : 0)
      await jobs()
      expect(toldOf()).toEqual(['payment.paid', 'subscription.activated'])
    },
  )

  it.each(SHIFTS)(
    'ahead by %s at a delivery: the next event of the user goes out at once',
    async (_name, ms) => {
      const fail = async () => {
        const { checkoutId } = await world.as('user-1').upgrade()
        await world.emulator.pay(checkoutId, 'failed')
        await world.emulator.settled()
      }
      await fail()
      await world.wrongBy(ms, async () => {
        await deliverEvents(world.service.parts)
        await drainDeliveries(world.service.parts)
      })
      expect(toldOf()).toEqual(['payment.failed'])
      await fail()
      await jobs()
      expect(toldOf()).toEqual(['payment.failed'])
    },
  )

  it('ahead by 400 days at the first start with an address: later events are not passed over', async () => {
    await ask("update event_endpoint set deliver_from = timestamptz '2027-12-31'")
    await world.as('user-1').buy()
    await jobs()
    expect(toldOf()).toHaveLength(2)
  })

  it('ahead by 400 days at a failure: the address that was given up is tried again', async () => {
    receiver.behave = () => 500
    await world.as('user-1').buy()
    await jobs()
    await world.wrongBy(400 * DAY, jobs)
    expect(await ask('select url from event_endpoint where disabled_at is not null')).toHaveLength(1)
    receiver.behave = () => 204
    toldOf()
    await world.advance(6)
    await jobs()
    expect(toldOf().slice(0, 1)).toEqual(['payment.paid'])
  })

  it.each(SHIFTS)('ahead by %s: mail that was queued meanwhile is due now', async (_name, ms) => {
    await world.wrongBy(ms, () => world.as('user-1').buy())
    await jobs()
    const now = new Date(world.clock.now()).toISOString()
    const rows = await ask(`select 1 as due from mails where due_at <= '${now}' and queued_at <= '${now}'`)
    expect(rows).toHaveLength(1)
  })

  it('ahead by 400 days at a comparison: the next one begins a day later, and the first comes to its end', async () => {
    await world.as('user-1').buy()
    await world.wrongBy(400 * DAY, () => reconcileDaily(world.service.parts))
    await world.advance(60)
    await world.advance((25 * HOUR) / 1_000)
    await world.advance(60)
    const [newest, first] = await ask(
      'select started_at, finished_at from comparisons order by started_at desc',
    )
    expect([newest?.finished_at, first?.finished_at]).not.toContain(null)
  })

  it.each(SHIFTS)('ahead by %s: a session of the portal that began meanwhile is over', async (_name, ms) => {
    const { parts } = world.service
    const open = async () => {
      const { url } = await openPortalLink(parts, { userId: 'user-1' }, null)
      return new URL(url).searchParams.get('token') ?? ''
    }
    const enter = async () => (await enterPortal(parts, await open())) ?? ''
    const ahead = await world.wrongBy(ms, enter)
    expect(await createFindSession(parts)(ahead)).toBeNull()
    expect(await createFindSession(parts)(await enter())).not.toBeNull()
    const link = await world.wrongBy(ms * 24, open)
    expect([await findLink(parts, link), await enterPortal(parts, link)]).toEqual([null, null])
  })

  it('back by an hour: looks at the provider go on, and so does the sweep', async () => {
    withoutWebhooks()
    const [reader, away] = [await world.as('user-1').upgrade(), await world.as('user-2').upgrade()]
    await world.as('user-1').get(STATUS)
    await jobs()
    await world.emulator.pay(reader.checkoutId, 'paid', 'cib')
    await world.emulator.pay(away.checkoutId, 'paid', 'cib')
    await world.wrongBy(ALWAYS_BEHIND, async () => {
      expect(await planOf('user-1')).toBe('pro')
      await jobs()
      expect((await showPayment(world.service.parts, away.paymentId)).payment.status).toBe('paid')
    })
  })

  it('back by an hour: no answer asks to wait for longer than the window', async () => {
    const read = (path: string) => world.as('user-1').get(path)
    let answer = await read(STATUS)
    for (let calls = 0; calls < 310 && answer.status === 200; calls++) answer = await read(STATUS)
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(MINUTE / 1_000)
    expect(await world.wrongBy(ALWAYS_BEHIND, () => planOf('user-1'))).toBe('free')
  })
})
