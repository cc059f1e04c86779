// The whole life of prepaid time, lived through the API under a moved clock.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { describeScenario } from '../support/databases.js'
import { type Caller, createWorld, type World } from '../support/world.js'

const STATUS = '/api/v1/billing/status'
const HOUR = 3_600
const DAY = 24 * HOUR

describeScenario('the life of a subscription', ({ database }) => {
  let world: World
  let user: Caller
  beforeEach(async () => {
    world = await createWorld(database())
    user = world.as('user-1')
  })
  afterEach(() => world.stop())

  const seen = async (caller = user) => {
    const { plan, status, current_period_end } = (await caller.get(STATUS)).body
    return [plan, status, current_period_end]
  }
  const bought = async (paymentId: string) => {
    const { body } = await user.get(`/api/v1/billing/payments/${paymentId}`)
    return [body.period_start, body.period_end]
  }

  it('is active, in grace, expired, to the second', async () => {
    await user.buy() // 21 November 12:00:00
    await world.advance(30 * DAY - 1)
    expect(await seen()).toEqual(['pro', 'active', '2026-12-21T12:00:00Z'])
    await world.advance(1)
    expect(await seen()).toEqual(['pro', 'past_due', '2026-12-21T12:00:00Z'])
    await world.advance(3 * DAY - 1)
    expect(await seen()).toEqual(['pro', 'past_due', '2026-12-21T12:00:00Z'])
    await world.advance(1)
    expect(await seen()).toEqual(['free', 'expired', '2026-12-21T12:00:00Z'])
  })

  it('is the same when no job ever ran', async () => {
    await user.buy()
    world.clock.advance(31 * DAY * 1_000)
    expect(await seen()).toEqual(['pro', 'past_due', '2026-12-21T12:00:00Z'])
    world.clock.advance(3 * DAY * 1_000)
    expect(await seen()).toEqual(['free', 'expired', '2026-12-21T12:00:00Z'])
  })

  it('opens the renewal seven days before the end, to the second, and says so before', async () => {
    await user.buy()
    await world.advance(23 * DAY - 1) // 14 December 11:59:59
    const { status, body } = await user.post('/api/v1/billing/upgrade', { plan: 'pro' })
    expect([status, body.code, body.current_period_end, body.renewable_from]).toEqual([
      409,
      'already_subscribed',
      '2026-12-21T12:00:00Z',
      '2026-12-14T12:00:00Z',
    ])
    await world.advance(1)
    const { paymentId } = await user.buy()
    expect(await bought(paymentId)).toEqual(['2026-12-21T12:00:00Z', '2027-01-21T12:00:00Z'])
    expect(await seen()).toEqual(['pro', 'active', '2027-01-21T12:00:00Z'])
    // Renewed early, it is closed until the window of the new end.
    const again = (await user.post('/api/v1/billing/upgrade', { plan: 'pro' })).body
    expect([again.current_period_end, again.renewable_from]).toEqual([
      ...['2027-01-21T12:00:00Z', '2027-01-14T12:00:00Z'],
    ])
  })

  it('renewed in grace goes on from the old end: grace is not free time', async () => {
    await user.buy()
    await world.advance(33 * DAY - 1)
    const { paymentId } = await user.buy()
    expect(await bought(paymentId)).toEqual(['2026-12-21T12:00:00Z', '2027-01-21T12:00:00Z'])
    expect(await seen()).toEqual(['pro', 'active', '2027-01-21T12:00:00Z'])
  })

  it('renewed late begins at the payment', async () => {
    await user.buy()
    await world.advance(33 * DAY) // 24 December 12:00:00
    const { paymentId } = await user.buy('cib')
    expect(await bought(paymentId)).toEqual(['2026-12-24T12:00:00Z', '2027-01-24T12:00:00Z'])
    expect((await user.get(STATUS)).body.payment_method).toBe('cib')
  })

  it(
    'a checkout opened in grace and paid after it begins a new run: the payment’s instant ' + 'decides',
    async () => {
      await user.buy()
      await world.advance(33 * DAY - 10 * 60)
      const { checkoutId, paymentId } = await user.upgrade()
      await world.advance(20 * 60)
      expect(await seen()).toEqual(['free', 'expired', '2026-12-21T12:00:00Z'])
      await world.emulator.pay(checkoutId, 'paid')
      await world.emulator.settled()
      expect(await bought(paymentId)).toEqual(['2026-12-24T12:10:00Z', '2027-01-24T12:10:00Z'])
    },
  )

  it('paid in grace and heard of after it counts as paid in grace', async () => {
    await user.buy()
    await world.advance(33 * DAY - HOUR)
    world.emulator.setFaults({ delay: { seconds: 2 * HOUR } })
    const { paymentId } = await user.buy()
    world.clock.advance(HOUR * 1_000)
    await world.advance(HOUR)
    expect(await bought(paymentId)).toEqual(['2026-12-21T12:00:00Z', '2027-01-21T12:00:00Z'])
  })

  it('stacks months without a gap, and the history sums to what was paid', async () => {
    await user.buy()
    for (let month = 0; month < 2; month++) {
      await world.advance(30 * DAY)
      await user.buy()
    }
    const { body } = await user.get('/api/v1/billing/payments')
    const periods = body.data.map((payment: { period_start: string; period_end: string }) => [
      payment.period_start,
      payment.period_end,
    ])
    expect(periods).toEqual([
      ['2027-01-21T12:00:00Z', '2027-02-21T12:00:00Z'],
      ['2026-12-21T12:00:00Z', '2027-01-21T12:00:00Z'],
      ['2026-11-21T12:00:00Z', '2026-12-21T12:00:00Z'],
    ])
    expect(await seen()).toEqual(['pro', 'active', '2027-02-21T12:00:00Z'])
  })
})

describeScenario('the day of the anchor', ({ database }) => {
  let world: World
  beforeEach(async () => {
    const clock = movableClock(Date.parse('2026-01-31T10:00:00Z'))
    world = await createWorld(database(), { clock })
  })
  afterEach(() => world.stop())

  it(
    'is kept through short months: bought on 31 January, the ends are 28 February, 31 March, 30 ' + 'April',
    async () => {
      const user = world.as('user-1')
      const ends: string[] = []
      for (let month = 0; month < 4; month++) {
        await user.buy()
        const { current_period_end: end } = (await user.get(STATUS)).body
        ends.push(end)
        const toItsWindow = Date.parse(end) - world.clock.now() - DAY * 1_000
        await world.advance(toItsWindow / 1_000)
      }
      expect(ends).toEqual([
        '2026-02-28T10:00:00Z',
        '2026-03-31T10:00:00Z',
        '2026-04-30T10:00:00Z',
        '2026-05-31T10:00:00Z',
      ])
    },
  )
})

describeScenario('the billing rules', ({ database }) => {
  it('are configuration: no grace, and the last 14 days for the renewal', async () => {
    const env = { GRACE_DAYS: '0', RENEWAL_WINDOW_DAYS: '14' }
    await using world = await createWorld(database(), { env })
    const user = world.as('user-1')
    await user.buy()
    const { body } = await user.post('/api/v1/billing/upgrade', { plan: 'pro' })
    expect(body.renewable_from).toBe('2026-12-07T12:00:00Z')
    await world.advance(30 * DAY)
    expect((await user.get(STATUS)).body.status).toBe('expired')
  })
})
