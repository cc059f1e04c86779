// Every webhook is dropped.
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { showPayment } from '../overview/read-files.js'
import { singleFlight } from '../runtime/async.js'
import { refreshOpen } from './status.js'

const STATUS = '/api/v1/billing/status'
const HISTORY = '/api/v1/billing/payments'
const MINUTE = 60
const HOUR = 60 * MINUTE

describeWorldOnEach('a payment with every webhook dropped', {}, ({ world, beside }) => {
  const user = world.as('user-1')
  beforeEach(() => world.emulator.setFaults({ drop: {} }))

  /** Reads the database, without a lookup. */
  const stored = async (paymentId: string) =>
    (await showPayment(world.service.parts, paymentId)).payment.status

  it('is seen at once by who returns: in status, history, return page', async () => {
    for (const [userId, readBy] of Object.entries({
      'user-1': () => user.get(STATUS),
      'user-2': () => world.as('user-2').get(HISTORY),
      'user-3': (id: string) => world.as('user-3').get(`${HISTORY}/${id}`),
      'user-4': (id: string) => world.call('GET', `/portal/return/${id}`),
    })) {
      const { paymentId } = await world.as(userId).buy()
      expect((await readBy(paymentId)).status).toBe(200)
      expect([userId, await stored(paymentId)]).toEqual([userId, 'paid'])
    }
  })

  it('is booked by the next look where the browser was closed: after 1, 5 or 35 minutes', async () => {
    // The time of payment after the click, and the lookup that finds it.
    const looks = [
      [30, MINUTE],
      [2 * MINUTE, 5 * MINUTE],
      [29 * MINUTE, 35 * MINUTE],
    ] as const
    for (const [paidAfter, bookedAfter] of looks) {
      const one = world.as(`user-${paidAfter}`)
      const { paymentId, checkoutId } = await one.upgrade()
      await world.advance(paidAfter)
      await world.emulator.pay(checkoutId, 'paid')
      await world.advance(bookedAfter - paidAfter - 1)
      expect([paidAfter, await stored(paymentId)]).toEqual([paidAfter, 'pending'])
      // One second late for a lookup, so the next round of the sweep finds it: 10 s.
      await world.advance(10)
      expect([paidAfter, await stored(paymentId)]).toEqual([paidAfter, 'paid'])
      const { body } = await one.get(`${HISTORY}/${paymentId}`)
      expect(Date.parse(body.paid_at) - Date.parse(body.created_at)).toBe(paidAfter * 1_000)
    }
  })

  it('expires after the last look where the click never reached the provider', async () => {
    world.emulator.setFaults({ api_timeout_before: { scope: 'create_checkout' } })
    expect((await user.post('/api/v1/billing/upgrade', { plan: 'pro' })).status).toBe(503)
    const [{ id }] = (await user.get(HISTORY)).body.data
    await world.advance(6 * HOUR)
    expect(await stored(id)).toBe('requested')
    await world.advance(18 * HOUR)
    const { payment } = await showPayment(world.service.parts, id)
    expect([payment.status, payment.nextCheckAt]).toEqual(['expired', null])
  })

  it('has an open payment after the last look of a slow bank, which its event books', async () => {
    world.emulator.setFaults({ processing: { seconds: 24 * HOUR, times: 1 } })
    const { paymentId, checkoutId } = await user.upgrade()
    await world.advance(29 * MINUTE)
    await world.emulator.pay(checkoutId, 'paid')
    // The last lookup is a day after the click. The bank decides 29 minutes later.
    for (const step of [6 * MINUTE, 5 * HOUR + 25 * MINUTE, 18 * HOUR]) await world.advance(step)
    const { payment } = await showPayment(world.service.parts, paymentId)
    expect([payment.status, payment.nextCheckAt]).toEqual(['pending', null])
    await world.advance(29 * MINUTE)
    for (const { id } of world.emulator.deliveries()) await world.emulator.resend(id)
    expect(await stored(paymentId)).toBe('paid')
  })

  /** The provider fails from now on, and the calls are counted. */
  const CALLS_MAX = 1_000
  const failAndCount = () => world.emulator.setFaults({ api_5xx: { times: CALLS_MAX } })
  const calls = () => CALLS_MAX - (world.emulator.faults().api_5xx?.times ?? 0)

  it('is asked for by readers once in ten seconds, however many they are, in two processes', async () => {
    const other = await beside()
    await user.upgrade()
    failAndCount()
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? user : other.as('user-1')).get(STATUS)),
    )
    await user.get(HISTORY)
    expect(calls()).toBe(1)
    world.clock.advance(9_999)
    await user.get(STATUS)
    expect(calls()).toBe(1)
    world.clock.advance(1)
    await user.get(STATUS)
    expect(calls()).toBe(2)
  })

  it('asks nothing for users who wait for nothing, and never fails the read', async () => {
    const third = world.as('user-3')
    await third.buy()
    await user.buy()
    await user.get(STATUS)
    world.clock.advance(MINUTE * 1_000)
    failAndCount()
    await user.get(STATUS)
    await world.as('user-2').get(STATUS)
    expect(calls()).toBe(0)
    world.emulator.setFaults({ api_5xx: {} })
    expect(await third.get(STATUS)).toMatchObject({ status: 200, body: { plan: 'free' } })
  })

  it('holds the read up for 1.5 s at most, and does not wait for the provider', async () => {
    const { paymentId } = await user.upgrade()
    const { parts } = world.service
    const { payment } = await showPayment(parts, paymentId)
    const waits: number[] = []
    const wait = async (ms: number) => void waits.push(ms)
    const hanging = { ...parts.database, query: () => new Promise<never>(() => undefined) }
    const deps = { ...parts, database: hanging, lookups: singleFlight<boolean>(), wait }
    expect([await refreshOpen(deps, payment), waits]).toEqual([false, [1_500]])
  })
})
