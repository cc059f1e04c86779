import { expect, it } from 'vitest'
import { describeOnEach } from '../../../../test/support/databases.js'
import { receivingWorld } from '../../../../test/support/receiving-world.js'
import { DAY } from '../core/instant.js'
import { statement } from '../database/database.js'
import { announceTime } from './announce-time.js'
import { deliverEvents, drainDeliveries } from './deliver-events.js'

const selectExpiring = statement(
  'test.announcements.expiring',
  "select user_id from outbox where type = 'subscription.expiring'",
)

const days = (count: number) => (count * DAY) / 1000

describeOnEach('announcements', (context) => {
  const { database } = context
  const { receiver, world } = receivingWorld(context)

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

  it('of others are not held up by a user whose change cannot be saved', async () => {
    await world.as('user-1').buy()
    await world.as('user-2').buy()
    world.clock.advance(23 * DAY)
    const { parts } = world.service
    const query: typeof parts.database.query = async (statement, parameters) => {
      if (statement.isChange && String(parameters?.[0]).includes('user-1')) throw new Error('not saved')
      return parts.database.query(statement, parameters)
    }
    const broken = { ...parts, database: { ...parts.database, query } }
    await expect(announceTime(broken, 100)).rejects.toThrow('not saved')
    expect(await database().query(selectExpiring)).toEqual([{ user_id: 'user-2' }])
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
