// The whole life of prepaid time, lived through the API under a moved clock.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeOnEach } from '../support/databases.js'
import { type Caller, createWorld, type World } from '../support/world.js'

const STATUS = '/api/v1/billing/status'
const HOUR = 3_600
const DAY = 24 * HOUR

describeOnEach('the life of a subscription', ({ database }) => {
  let world: World
  let user: Caller
  beforeEach(async () => {
    world = await createWorld(database())
    user = world.as('user-1')
  })
  afterEach(() => world.stop())

  const seen = async () => {
    const { plan, status, current_period_end } = (await user.get(STATUS)).body
    return [plan, status, current_period_end]
  }
  const bought = async (paymentId: string) => {
    const { body } = await user.get(`/api/v1/billing/payments/${paymentId}`)
    return [body.period_start, body.period_end]
  }

  it('is active, in grace, expired, to the second, whether or not a job has run', async () => {
    await user.buy() // 21 November 12:00:00
    for (const [seconds, plan, status] of [
      [30 * DAY - 1, 'pro', 'active'],
      [1, 'pro', 'past_due'],
      [3 * DAY - 1, 'pro', 'past_due'],
      [1, 'free', 'expired'],
    ] as const) {
      world.clock.advance(seconds * 1_000)
      expect(await seen()).toEqual([plan, status, '2026-12-21T12:00:00Z'])
      await world.advance(0)
      expect(await seen()).toEqual([plan, status, '2026-12-21T12:00:00Z'])
    }
  })

  it('renewed in its window or in grace goes on without a gap, late it begins at the payment', async () => {
    const renewed: string[] = []
    const renewAfter = async (seconds: number) => {
      await world.advance(seconds)
      renewed.push((await user.buy('cib')).paymentId)
      return bought(renewed.at(-1) ?? '')
    }
    await user.buy()
    await world.advance(23 * DAY - 1) // 14 December 11:59:59
    expect((await user.post('/api/v1/billing/upgrade', { plan: 'pro' })).status).toBe(409)
    expect(await renewAfter(1)).toEqual(['2026-12-21T12:00:00Z', '2027-01-21T12:00:00Z'])
    // 24 January 11:59:59: grace is not free time.
    expect(await renewAfter(41 * DAY - 1)).toEqual(['2027-01-21T12:00:00Z', '2027-02-21T12:00:00Z'])
    expect(await seen()).toEqual(['pro', 'active', '2027-02-21T12:00:00Z'])
    expect(await renewAfter(31 * DAY + 1)).toEqual(['2027-02-24T12:00:00Z', '2027-03-24T12:00:00Z'])
    const { data } = (await user.get('/api/v1/billing/payments')).body
    expect(data.map(({ id }: { id: string }) => id).slice(0, 3)).toEqual(renewed.toReversed())
  })

  it('follows the instant of payment: not that of the checkout, nor that of the news', async () => {
    await user.buy()
    await world.advance(33 * DAY - HOUR)
    // Paid in grace, and heard of after it.
    world.emulator.setFaults({ delay: { seconds: 2 * HOUR, times: 1 } })
    const inGrace = await user.buy()
    world.clock.advance(HOUR * 1_000)
    await world.advance(HOUR)
    expect(await bought(inGrace.paymentId)).toEqual(['2026-12-21T12:00:00Z', '2027-01-21T12:00:00Z'])
    // Opened in grace, and paid after it: 24 January 12:10.
    await world.advance(31 * DAY - HOUR - 10 * 60)
    const { checkoutId, paymentId } = await user.upgrade()
    await world.advance(20 * 60)
    expect(await seen()).toEqual(['free', 'expired', '2027-01-21T12:00:00Z'])
    await world.emulator.pay(checkoutId, 'paid')
    await world.emulator.settled()
    expect(await bought(paymentId)).toEqual(['2027-01-24T12:10:00Z', '2027-02-24T12:10:00Z'])
  })

  it('is configuration: no grace, and the last 14 days for the renewal', async () => {
    const env = { GRACE_DAYS: '0', RENEWAL_WINDOW_DAYS: '14' }
    await using other = await createWorld(database(), { env })
    user = other.as('user-1')
    await user.buy()
    const { body } = await user.post('/api/v1/billing/upgrade', { plan: 'pro' })
    expect(body.renewable_from).toBe('2026-12-07T12:00:00Z')
    await other.advance(30 * DAY)
    expect((await seen()).at(1)).toBe('expired')
  })
})
