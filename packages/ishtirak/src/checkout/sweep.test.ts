// Every webhook is dropped: a user who returns from paying sees the payment at once, one who closed the
// browser within the sweep's bound, and a failing provider never fails a read.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { startRunningTime } from '../../../../test/support/running-time.js'
import { type Caller, createWorld, type World } from '../../../../test/support/world.js'
import { statement } from '../database/database.js'
import { showPayment } from '../overview/read-files.js'

const STATUS = '/api/v1/billing/status'
const HISTORY = '/api/v1/billing/payments'
const MINUTE = 60
const HOUR = 60 * MINUTE

const setPrice = statement('test.lost.set_price', 'update payments set amount = $1::int')

describeScenario('with every webhook dropped', ({ database }) => {
  let world: World
  let user: Caller
  beforeEach(async () => {
    world = await createWorld(database())
    world.emulator.setFaults({ drop: {} })
    user = world.as('user-1')
  })
  afterEach(() => world.stop())

  const plan = async () => (await user.get(STATUS)).body.plan
  /** What is in the books, without a look at the provider. */
  const stored = async (paymentId: string) =>
    (await showPayment(world.service.parts, paymentId)).payment.status

  describe('the one who returns', () => {
    it('sees pro at once in their status', async () => {
      await user.buy()
      expect(await plan()).toBe('pro')
    })

    it('sees the payment paid at once in their history, alone, and on the return page', async () => {
      const { paymentId } = await user.buy()
      expect((await user.get(HISTORY)).body.data[0].status).toBe('paid')
      const second = world.as('user-2')
      const one = await second.buy()
      expect((await second.get(`${HISTORY}/${one.paymentId}`)).body.status).toBe('paid')
      const third = await world.as('user-3').buy()
      const page = await world.call('GET', `/billing/return/${third.paymentId}`)
      expect(page.status).toBe(200)
      expect(await stored(third.paymentId)).toBe('paid')
      expect(await stored(paymentId)).toBe('paid')
    })

    it('sees a refused card at once as well', async () => {
      const { paymentId, checkoutId } = await user.upgrade()
      await world.emulator.pay(checkoutId, 'failed')
      expect((await user.get(`${HISTORY}/${paymentId}`)).body.status).toBe('failed')
    })
  })

  describe('the one who closes the browser', () => {
    // The time of payment after the click, and the look that finds it: 1, 5, 35 minutes, 6 hours, a day.
    it.each([
      [30, MINUTE],
      [2 * MINUTE, 5 * MINUTE],
      [29 * MINUTE, 35 * MINUTE],
    ])(
      'and paid %i s after the click is booked when %i s are over, not before',
      async (paidAfter, bookedAfter) => {
        const { paymentId, checkoutId } = await user.upgrade()
        await world.advance(paidAfter)
        await world.emulator.pay(checkoutId, 'paid')
        await world.advance(bookedAfter - paidAfter - 1)
        expect(await stored(paymentId)).toBe('pending')
        // One second late, and in the next round of the sweep: 10 s.
        await world.advance(10)
        expect(await stored(paymentId)).toBe('paid')
        const { body } = await user.get(`${HISTORY}/${paymentId}`)
        expect(Date.parse(body.paid_at) - Date.parse(body.created_at)).toBe(paidAfter * 1_000)
      },
    )

    // The bank takes its time: the checkout is `processing` at the looks before.
    it.each([
      [3 * HOUR, 6 * HOUR],
      [20 * HOUR, 24 * HOUR],
    ])('and whose bank took %i s is booked when %i s are over', async (bankTook, bookedAfter) => {
      world.emulator.setFaults({ processing: { seconds: bankTook, times: 1 } })
      const { paymentId, checkoutId } = await user.upgrade()
      await world.emulator.pay(checkoutId, 'paid')
      for (const step of [MINUTE, 4 * MINUTE, 30 * MINUTE]) await world.advance(step)
      expect(await stored(paymentId)).toBe('pending')
      if (bookedAfter > 6 * HOUR) await world.advance(6 * HOUR - 35 * MINUTE)
      const gone = bookedAfter > 6 * HOUR ? 6 * HOUR : 35 * MINUTE
      expect(await stored(paymentId)).toBe('pending')
      await world.advance(bookedAfter - gone + 10)
      expect(await stored(paymentId)).toBe('paid')
    })

    it.each([200, 20_000])(
      'and paid 2000 where our price is %i is left for review by the sweep, and granted nothing',
      async (price) => {
        const { paymentId, checkoutId } = await user.upgrade()
        await database().query(setPrice, [price])
        await world.emulator.pay(checkoutId, 'paid')
        await world.advance(MINUTE)
        expect(await stored(paymentId)).toBe('review')
        expect(await plan()).toBe('free')
      },
    )

    it('and never paid costs no further question once the provider has closed the checkout', async () => {
      const { paymentId } = await user.upgrade()
      for (const step of [MINUTE, 4 * MINUTE, 31 * MINUTE]) await world.advance(step)
      const { payment } = await showPayment(world.service.parts, paymentId)
      expect([payment.status, payment.nextCheckAt]).toEqual(['expired', null])
    })

    it('and whose click never reached the provider has an expired payment after the last look', async () => {
      world.emulator.setFaults({ api_timeout_before: { scope: 'create_checkout' } })
      expect((await user.post('/api/v1/billing/upgrade', { plan: 'pro' })).status).toBe(503)
      const [{ id }] = (await user.get(HISTORY)).body.data
      await world.advance(6 * HOUR)
      expect(await stored(id)).toBe('requested')
      await world.advance(18 * HOUR)
      const { payment } = await showPayment(world.service.parts, id)
      expect([payment.status, payment.nextCheckAt]).toEqual(['expired', null])
    })

    it(
      'and whose bank is slower than the last look still has an open payment, which its event ' + 'books',
      async () => {
        world.emulator.setFaults({ processing: { seconds: 24 * HOUR, times: 1 } })
        const { paymentId, checkoutId } = await user.upgrade()
        await world.advance(29 * MINUTE)
        await world.emulator.pay(checkoutId, 'paid')
        // The last look is a day after the click; the bank decides 29 minutes later.
        for (const step of [6 * MINUTE, 5 * HOUR + 25 * MINUTE, 18 * HOUR]) await world.advance(step)
        const { payment } = await showPayment(world.service.parts, paymentId)
        expect([payment.status, payment.nextCheckAt]).toEqual(['pending', null])
        await world.advance(29 * MINUTE)
        for (const { id } of world.emulator.deliveries()) await world.emulator.resend(id)
        expect(await stored(paymentId)).toBe('paid')
      },
    )

    it('is booked once, also when the webhook comes after the sweep', async () => {
      const { paymentId } = await user.buy()
      await world.advance(MINUTE)
      expect(await stored(paymentId)).toBe('paid')
      for (const { id } of world.emulator.deliveries()) await world.emulator.resend(id)
      const { body } = await user.get(STATUS)
      expect(body.current_period_end).toBe('2026-12-21T12:00:00Z')
      expect((await user.get(HISTORY)).body.data).toHaveLength(1)
    })
  })

  describe('the look of a reader', () => {
    /** The provider fails from now on, and counts how often it was asked. */
    const CALLS_MAX = 1_000
    const failAndCount = () => world.emulator.setFaults({ api_5xx: { times: CALLS_MAX } })
    const calls = () => CALLS_MAX - (world.emulator.faults().api_5xx?.times ?? 0)

    it('asks at most once in ten seconds, however many read', async () => {
      await user.upgrade()
      failAndCount()
      await Promise.all(Array.from({ length: 20 }, () => user.get(STATUS)))
      await user.get(HISTORY)
      expect(calls()).toBe(1)
      world.clock.advance(9_999)
      await user.get(STATUS)
      expect(calls()).toBe(1)
      world.clock.advance(1)
      await user.get(STATUS)
      expect(calls()).toBe(2)
    })

    it('asks once in ten seconds also when two processes are asked', async () => {
      const other = await createWorld(database(), { clock: world.clock, emulator: world.emulator })
      await user.upgrade()
      failAndCount()
      await Promise.all([user.get(STATUS), other.as('user-1').get(STATUS)])
      await other.stop()
      expect(calls()).toBe(1)
    })

    it('asks nothing for users who wait for nothing', async () => {
      await user.buy()
      await user.get(STATUS)
      world.clock.advance(MINUTE * 1_000)
      failAndCount()
      await user.get(STATUS)
      await world.as('user-2').get(STATUS)
      expect(calls()).toBe(0)
    })

    it('never fails the read', async () => {
      await user.buy()
      world.emulator.setFaults({ api_5xx: {} })
      const answer = await user.get(STATUS)
      expect([answer.status, answer.body.plan]).toEqual([200, 'free'])
    })

    it('never holds the read up for more than a second and a half', async () => {
      await user.buy()
      world.emulator.setFaults({ api_slow: { ms: 8_000 } })
      const startedAt = performance.now()
      using time = startRunningTime()
      const answer = await user.get(STATUS)
      expect([answer.status, answer.body.plan]).toEqual([200, 'free'])
      // 1.5 s for the look; the rest is a loaded machine.
      expect(performance.now() - startedAt).toBeGreaterThan(1_400)
      expect(time.ms()).toBeLessThan(2_500)
      world.emulator.clearFaults()
    })
  })
})
