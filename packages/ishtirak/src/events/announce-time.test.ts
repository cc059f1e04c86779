// Events that time alone causes, with a moved clock.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeOnEach } from '../../../../test/support/databases.js'
import { Receiver } from '../../../../test/support/receiver.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { DAY } from '../core/instant.js'
import { statement } from '../database/database.js'
import { announceTime } from './announce-time.js'
import { beginDelivery, deliverEvents, drainDeliveries } from './deliver-events.js'
import { listEvents } from './event-history.sql.js'

const selectExpiring = statement(
  'test.announcements.expiring',
  "select user_id from outbox where type = 'subscription.expiring'",
)

const days = (count: number) => (count * DAY) / 1000

describeOnEach('announcements', ({ database }) => {
  let receiver: Receiver
  let world: World
  beforeAll(async () => {
    receiver = await Receiver.start()
  })
  beforeEach(async () => {
    receiver.received.length = 0
    world = await createWorld(database(), { env: receiver.variables })
    // As at its start: it may have started before, on a database that was emptied since.
    await beginDelivery(world.service.parts)
  })
  afterEach(() => world.stop())
  afterAll(() => receiver.goDown())

  /** Time passes, and what it brings about arrives. No other job runs. */
  const pass = async (seconds: number) => {
    const { parts } = world.service
    await world.emulator.advance(seconds)
    await announceTime(parts, 100)
    await deliverEvents(parts)
    await drainDeliveries(parts)
  }
  /** The events that came since the last call, without those of the payment itself. */
  const news = () =>
    receiver.received.splice(0).flatMap(({ event }) => {
      const { announcement, subscription } = event.data
      return announcement ? [`${event.type} ${announcement.boundary} ${subscription.status}`] : []
    })
  const statusOf = async (user: string) => (await world.as(user).get('/api/v1/billing/status')).body.status

  it('come at each boundary of a month, once, with the state it brought about', async () => {
    // Bought on 21 November at 12:00, a month of 30 days: the end is 21 December at 12:00.
    await world.as('user-1').buy()
    await pass(days(23) - 1)
    expect(news()).toEqual([])
    await pass(1)
    expect(news()).toEqual(['subscription.expiring expiring_7_days active'])
    await pass(days(4))
    expect(news()).toEqual(['subscription.expiring expiring_3_days active'])
    await pass(days(2))
    expect(news()).toEqual(['subscription.expiring expiring_1_day active'])
    await pass(days(1) - 1)
    expect(news()).toEqual([])
    await pass(1)
    expect(news()).toEqual(['subscription.past_due past_due past_due'])
    await pass(days(3) - 1)
    expect([news(), await statusOf('user-1')]).toEqual([[], 'past_due'])
    await pass(1)
    expect(news()).toEqual(['subscription.expired expired expired'])
    await pass(days(60))
    expect(news()).toEqual([])
  })

  it('of others are not held up by a user whose renewal cannot be booked', async () => {
    await world.as('user-1').buy()
    await world.as('user-2').buy()
    world.clock.advance(23 * DAY)
    const { parts } = world.service
    const bookRenewals: typeof parts.bookRenewals = async (userId) => {
      if (userId === 'user-1') throw new Error('not booked')
      return false
    }
    await expect(announceTime({ ...parts, bookRenewals }, 100)).rejects.toThrow('not booked')
    expect(await database().query(selectExpiring)).toEqual([{ user_id: 'user-2' }])
  })

  it('of a user who renews early are those of the new end only', async () => {
    await world.as('user-1').buy()
    await pass(days(25))
    expect(news()).toEqual(['subscription.expiring expiring_7_days active'])
    await world.as('user-1').buy()
    await pass(days(10))
    expect(news()).toEqual([])
    // The new end is 21 January: 61 days after the purchase, 54 is a week before.
    await pass(days(54 - 35) - 1)
    expect(news()).toEqual([])
    await pass(1)
    expect(news()).toEqual(['subscription.expiring expiring_7_days active'])
  })

  it('after a month of sleep say what is still true, and what was left out', async () => {
    await world.as('user-1').buy()
    await pass(days(70))
    expect(receiver.received.at(-1)?.event.data.announcement).toEqual({
      boundary: 'expired',
      at: '2026-12-24T12:00:00Z',
      skipped: ['expiring_7_days', 'expiring_3_days', 'expiring_1_day', 'past_due'],
    })
    expect(news()).toEqual(['subscription.expired expired expired'])
  })

  it('that are not made change no user’s access', async () => {
    await world.as('user-1').buy()
    const { emulator } = world
    await emulator.advance(days(33))
    expect(await statusOf('user-1')).toBe('expired')
    const written = await listEvents(database(), { userId: 'user-1', waiting: false, limit: 10 })
    expect(written.map(({ type }) => type)).toEqual(['subscription.activated', 'payment.paid'])
  })

  it('are made once, however many processes look at the same time', async () => {
    const users = Array.from({ length: 5 }, (_, index) => `user-${index}`)
    for (const user of users) await world.as(user).buy()
    await pass(0)
    await world.emulator.advance(days(23))
    await Promise.all([1, 2, 3, 4].map(() => announceTime(world.service.parts, 100)))
    await pass(0)
    for (const user of users) expect(receiver.sequencesOf(user)).toEqual([1, 2, 3])
    expect(news()).toHaveLength(users.length)
  })
})
