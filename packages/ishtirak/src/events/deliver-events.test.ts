import { Webhook } from 'standardwebhooks'
import { describeOnEach } from '../../../../test/support/databases.js'
import { days, NOON } from '../../../../test/support/fixtures.js'
import { OLD_SECRET, Receiver, SECRET } from '../../../../test/support/receiver.js'
import { receivingWorld } from '../../../../test/support/receiving-world.js'
import { DAY, HOUR, toTimestamp } from '../core/instant.js'
import type { Queryable } from '../database/database.js'
import { systemClock } from '../runtime/clock.js'
import {
  ATTEMPT_WAITS,
  DELIVERY_LEASE_MS,
  deliverEvents,
  drainDeliveries,
  nextAttemptAt,
} from './deliver-events.js'
import { claimUsersWithEvents, nextEventOf, saveAttempt } from './deliver-events.sql.js'
import { listEvents, loadEventEndpoint, noteEndpointFailure } from './event-history.sql.js'

const SECRETS = { EVENTS_SECRETS: `${SECRET},${OLD_SECRET}` }
const seconds = (ms: number) => Math.ceil(ms / 1000)

describeOnEach('events to the platform', (context) => {
  const { database } = context
  const { receiver, world, restart } = receivingWorld(context, SECRETS)

  const endpoint = () => loadEventEndpoint(database())
  const written = (waiting = false) => listEvents(database(), { userId: null, waiting, limit: 100 })
  /** Time passes, and what is due is delivered or not. No other job runs. */
  const pass = async (forSeconds: number) => {
    await world.emulator.advance(forSeconds)
    await deliverEvents(world.service.parts)
    await drainDeliveries(world.service.parts)
  }
  /** Lets the schedule's next attempt come, jitter included. */
  const nextAttempt = (attempts: number) => pass(seconds((ATTEMPT_WAITS[attempts] ?? DAY) * 1.1))

  it('sends the events of a purchase in order, signed with every secret and the real time', async () => {
    await world.as('user-1').buy()
    await pass(0)
    expect(receiver.story).toEqual(['user-1:1:payment.paid', 'user-1:2:subscription.activated'])
    expect(receiver.received[1]?.event).toEqual({
      type: 'subscription.activated',
      timestamp: '2026-11-21T12:00:00Z',
      data: expect.objectContaining({
        user_id: 'user-1',
        sequence: 2,
        subscription: expect.objectContaining({ plan: 'pro', current_period_end: '2026-12-21T12:00:00Z' }),
      }),
    })
    // One secret can be taken away while the other still counts.
    const [first] = receiver.received
    if (!first) throw new Error('nothing was received')
    const headers = {
      'webhook-id': first.id,
      'webhook-timestamp': String(first.headers['webhook-timestamp']),
      'webhook-signature': String(first.headers['webhook-signature']),
    }
    for (const secret of [SECRET, OLD_SECRET]) {
      expect(new Webhook(secret).verify(first.raw, headers)).toEqual(first.event)
    }
    const otherSecret = new Webhook(`whsec_${'C'.repeat(32)}`)
    expect(() => otherSecret.verify(first.raw, headers)).toThrow('No matching signature')
    expect(() => new Webhook(SECRET).verify(`${first.raw} `, headers)).toThrow('No matching signature')
    expect(first.headers['content-type']).toBe('application/json')
    // The clock of billing was moved.
    const signedAt = Number(first.headers['webhook-timestamp']) * 1000
    expect(Math.abs(signedAt - systemClock().now())).toBeLessThan(HOUR)
  })

  it('a receiver that is back after a day gets everything in order, at once', async () => {
    await receiver.goDown()
    for (const user of ['user-1', 'user-2']) await world.as(user).buy()
    for (let hour = 0; hour < 24; hour += 4) await pass((4 * HOUR) / 1000)
    expect(await written(true)).toHaveLength(4)
    await receiver.listen()
    // The first success makes the others due.
    await world.as('user-3').buy()
    await pass(0)
    expect(receiver.sequencesOf('user-3')).toEqual([1, 2])
    const received = async () => {
      await pass(0)
      return receiver.received
    }
    await expect.poll(received).toHaveLength(6)
    for (const user of ['user-1', 'user-2']) expect(receiver.sequencesOf(user)).toEqual([1, 2])
    expect(await written(true)).toEqual([])
    expect(await endpoint()).toMatchObject({ state: 'working' })
  })

  it('a receiver killed while answering gets the same webhook-id again', async () => {
    receiver.behave = () => (response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"ok":', () => response.destroy())
    }
    await world.as('user-1').buy()
    await pass(0)
    receiver.behave = () => 200
    await nextAttempt(1)
    const ids = receiver.received.map(({ id }) => id)
    expect(receiver.sequencesOf('user-1')).toEqual([1, 1, 2])
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
    expect(receiver.received[1]?.raw).toBe(receiver.received[0]?.raw)
  })

  it('a process killed between the claim and the request is followed by another a minute later', async () => {
    await world.as('user-1').buy()
    const now = world.clock.now()
    const claim = { now, limit: 10, until: now + DELIVERY_LEASE_MS, url: receiver.url }
    const [lease] = await claimUsersWithEvents(database(), claim)
    const event = lease && (await nextEventOf(database(), lease))
    if (!lease || !event) throw new Error('there was an event to claim')
    await pass(59)
    expect(receiver.received).toEqual([])
    await pass(1)
    expect(receiver.sequencesOf('user-1')).toEqual([1, 2])
    // The dead one comes to life: what it says no longer counts.
    const late = { event, now, answerStatus: 500, failure: 'late', dueAt: now + DAY }
    for (const attempt of [late, { ...late, answerStatus: 200, failure: null }])
      expect(await saveAttempt(database(), lease, attempt)).toBeNull()
    expect(await written(true)).toEqual([])
  })

  // A lease lasts 60 s; a request takes 15 s at most, and 20 s have to be left for it.
  it('sends nothing once the database has taken more than 40 s of the lease', async () => {
    for (const [takesMs, sent] of [
      [40_000, [1, 2]],
      [40_001, []],
    ] as const) {
      const user = `after-${takesMs}`
      await world.as(user).buy()
      let isFirst = true
      const query: Queryable['query'] = async (one, parameters) => {
        const rows = await database().query(one, parameters)
        if (one.name === 'outbox.next' && isFirst) world.clock.advance(takesMs)
        if (one.name === 'outbox.next') isFirst = false
        return rows
      }
      const { parts } = world.service
      await deliverEvents({ ...parts, database: { ...database(), query } })
      await drainDeliveries(parts)
      expect([user, receiver.sequencesOf(user)]).toEqual([user, sent])
      await pass(seconds(DELIVERY_LEASE_MS))
      expect([user, receiver.sequencesOf(user)]).toEqual([user, [1, 2]])
    }
  })

  it('takes only success for a delivery, at the steps of the schedule, and follows no redirect', async () => {
    const elsewhere = await Receiver.start()
    onTestFinished(() => elsewhere.goDown())
    let status = 0
    receiver.behave = () => (response) => response.writeHead(status, { location: elsewhere.url }).end()
    await world.as('user-1').buy()
    const refusals = [301, 307, 404, 429, 500]
    for (const [index, refusal] of refusals.entries()) {
      status = refusal
      // A second before the next step nothing is sent.
      const wait = seconds(ATTEMPT_WAITS[index] ?? DAY)
      if (wait > 0) await pass(wait - 1)
      expect(receiver.received).toHaveLength(index)
      await pass(1 + seconds(wait * 100))
      const [first] = await written(true)
      expect(first).toMatchObject({ state: 'waiting', attempts: index + 1, answer_status: refusal })
    }
    expect(new Set(receiver.sequencesOf('user-1'))).toEqual(new Set([1]))
    expect([receiver.received.length, elsewhere.received]).toEqual([refusals.length, []])
  })

  it('a receiver that is slow with one user delays no other', async () => {
    // What is slow goes on by itself.
    const begin = () => deliverEvents({ ...world.service.parts, wait: async () => undefined })
    const held: (() => void)[] = []
    receiver.behave = ({ event }) =>
      event.data.user_id === 'slow' ? (response) => void held.push(() => response.writeHead(204).end()) : 204
    await world.as('slow').buy()
    await begin()
    await expect.poll(() => receiver.sequencesOf('slow')).toEqual([1])
    await world.as('user-2').buy()
    await begin()
    await expect.poll(() => receiver.sequencesOf('user-2')).toEqual([1, 2])
    expect(receiver.sequencesOf('slow')).toEqual([1])
    receiver.behave = () => 204
    for (const release of held) release()
    await expect.poll(() => receiver.sequencesOf('slow')).toEqual([1, 2])
  })

  it('an address is switched off at once when it answers 410 Gone, and on by another', async () => {
    const { clock } = world
    receiver.behave = () => 410
    await world.as('user-1').buy()
    await pass(0)
    expect(await endpoint()).toMatchObject({ disabled_because: 'it answered 410 Gone' })
    receiver.behave = () => 204
    await pass((3 * DAY) / 1000)
    expect(receiver.received).toHaveLength(1)
    const metrics = await world.service.metrics.render()
    expect(metrics.text).toContain('ishtirak_event_deliveries_total{outcome="endpoint_disabled"} 1')
    const other = await Receiver.start()
    onTestFinished(() => other.goDown())
    await restart({ env: { ...other.variables, ...SECRETS }, clock })
    await nextAttempt(1)
    expect(other.sequencesOf('user-1')).toEqual([1, 2])
  })

  it('an address is given up after five days without a success', async () => {
    const failed = (now: number) => noteEndpointFailure(database(), receiver.url, { now, isGone: false })
    const reasons = []
    for (const now of [NOON, NOON + days(5) - 1, NOON + days(5), NOON + days(6)])
      reasons.push(await failed(now))
    expect(reasons).toEqual([null, null, 'no attempt has succeeded for five days', null])
    expect(await endpoint()).toMatchObject({
      failing_since: toTimestamp(NOON),
      disabled_at: toTimestamp(NOON + days(5)),
    })
  })

  it('one stuck user does not switch the address off while others are served', async () => {
    receiver.behave = ({ event }) => (event.data.user_id === 'stuck' ? 422 : 204)
    await world.as('stuck').buy()
    for (let day = 0; day < 7; day++) {
      await pass(DAY / 1000)
      await world.as(`user-${day}`).buy()
      await pass(0)
    }
    expect(await endpoint()).toMatchObject({ disabled_at: null })
    expect(receiver.sequencesOf('user-6')).toEqual([1, 2])
  })
})

it('the next attempt comes at the steps of Standard Webhooks, then once a day, a tenth later at most', () => {
  const waits = Array.from({ length: 12 }, (_, index) => (nextAttemptAt(index, NOON, 0) - NOON) / 1000)
  // In seconds: 0, 5, 5 min, 30 min, 2, 5, 10, 14, 20, 24 h, and 24 h from there on.
  expect(waits).toEqual([0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400, 86400, 86400])
  expect(ATTEMPT_WAITS).toHaveLength(10)
  expect(nextAttemptAt(2, NOON, 0.5) - NOON).toBe(315_000)
  expect(nextAttemptAt(12, NOON, 0.999) - NOON).toBeLessThan(days(1.1))
})
