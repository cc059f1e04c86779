// Events that a host takes itself: the same promises as over HTTP, and one way for both.
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest'
import { describeOnEach } from '../../../../test/support/databases.js'
import { Receiver } from '../../../../test/support/receiver.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import type { HostEvent } from '../core/event.js'
import { DAY, HOUR } from '../core/instant.js'
import { DatabaseUnavailable } from '../database/database.js'
import { createLog } from '../runtime/log.js'
import { ATTEMPT_WAITS, DELIVERY_LEASE_MS, deliverEvents, drainDeliveries } from './deliver-events.js'
import { SEND_MS } from './event-sender.js'
import { createHostSender } from './host-sender.js'

const KEY = 'operator-key-0000000000000000'
const ENV = { OPERATOR_KEYS: `amina:${KEY}` }

describeOnEach('events to a function of the host', ({ database }) => {
  let world: World
  let given: HostEvent[]
  let take: (event: HostEvent) => unknown
  const onEvent = (event: HostEvent) => {
    given.push(event)
    return take(event)
  }
  beforeEach(async () => {
    given = []
    take = () => {}
    world = await createWorld(database(), { env: ENV, onEvent })
  })
  afterEach(() => world.stop())

  /** Time passes, and what is due is delivered or not. */
  const pass = async (ms: number, in_ = world) => {
    await in_.advance(Math.ceil(ms / 1_000))
    await drainDeliveries(in_.service.parts)
  }
  const story = () => given.map(({ type, data }) => `${data.user_id}:${data.sequence}:${type}`)
  const operator = async (method: string, path: string, in_ = world) => {
    const headers = { authorization: `Bearer ${KEY}` }
    const body = method === 'POST' ? {} : undefined
    return (await in_.call(method, `/api/v1/operator${path}`, { headers, body })).body
  }
  const PURCHASE = ['user-1:1:payment.paid', 'user-1:2:subscription.activated']

  it('come in order, are delivered, and are those that a receiver verifies', async () => {
    await world.as('user-1').buy()
    await pass(0)
    expect(story()).toEqual(PURCHASE)
    const { data, endpoint, waiting } = await operator('GET', '/events')
    expect(data.map(({ state }: { state: string }) => state)).toEqual(['delivered', 'delivered'])
    expect([endpoint.state, waiting.events]).toEqual(['working', 0])
    // The same events again, to an address.
    const receiver = await Receiver.start()
    onTestFinished(() => receiver.goDown())
    const env = { ...ENV, ...receiver.variables }
    const overHttp = await createWorld(database(), { env, clock: world.clock })
    onTestFinished(() => overHttp.stop())
    await operator('POST', `/events/${given[0]?.id}/resend`, overHttp)
    await pass(0, overHttp)
    expect(receiver.received.map(({ id, event }) => ({ ...event, id }))).toEqual(given)
  })

  it('come again whatever it throws, in the steps of the schedule, and the next one waits', async () => {
    take = () => Promise.reject(new Error('not\0now'))
    await world.as('user-1').buy()
    await pass(0)
    const step = ATTEMPT_WAITS[1] ?? DAY
    await pass(step - 1_000)
    expect(given).toHaveLength(1)
    await pass(1_000 + step * 0.1)
    expect(given.map(({ id }) => id)).toEqual([given[0]?.id, given[0]?.id])
    const { data } = await operator('GET', '/events?state=waiting')
    // No column holds what it threw.
    expect(data[0]).toMatchObject({ attempts: 2, failure: 'onEvent: Error: not?now', answer_status: null })
    take = () => {}
    await pass(3 * HOUR)
    expect(story().slice(2)).toEqual(PURCHASE)
  })

  it('a process killed between the call and the mark is followed by one that calls again', async () => {
    await world.as('user-1').buy()
    const { parts } = world.service
    const query: typeof parts.database.query = async (one, parameters) => {
      if (one.name === 'outbox.delivered') throw new DatabaseUnavailable('killed')
      return parts.database.query(one, parameters)
    }
    await deliverEvents({ ...parts, database: { ...parts.database, query } })
    await drainDeliveries(parts)
    expect(story()).toEqual(PURCHASE.slice(0, 1))
    await pass(DELIVERY_LEASE_MS)
    expect(story()).toEqual([...PURCHASE.slice(0, 1), ...PURCHASE])
    expect(given[1]).toEqual(given[0])
  })

  it('doctor, the gauges and what sends all again know of it', async () => {
    const checkOf = async () => {
      const checks = await world.service.parts.examine()
      return checks.find(({ code }) => code.startsWith('events_'))
    }
    expect(await checkOf()).toMatchObject({ verdict: 'ok', code: 'events_on' })
    take = () => Promise.reject(new Error('not now'))
    await world.as('user-1').buy()
    await pass(0)
    expect(await checkOf()).toMatchObject({
      verdict: 'warn',
      code: 'events_failing',
      data: { to: 'onEvent' },
    })
    expect((await world.service.metrics.render()).text).toContain('ishtirak_events_waiting 2')
    for (let hour = 0; hour <= 6 * 24; hour += 12) await pass(12 * HOUR)
    expect(await checkOf()).toMatchObject({ verdict: 'fail', code: 'events_disabled' })
    take = () => {}
    given = []
    await operator('POST', '/events/resend-waiting')
    await pass(0)
    expect(story().slice(0, 2)).toEqual(PURCHASE)
  })
})

describe('a function of the host', () => {
  it('that does not end in time has failed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const log = createLog({ level: 'silent' })
    const never = createHostSender(() => new Promise(() => {}), { log })
    const sent = never.send({ id: 'evt_1', body: '{}' })
    vi.advanceTimersByTime(SEND_MS)
    expect(await sent).toEqual({ kind: 'failure', detail: 'no answer within 15000 ms' })
    const quick = createHostSender(() => undefined, { log })
    expect(await quick.send({ id: 'evt_1', body: '{}' })).toEqual({ kind: 'answer', status: 200 })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that throws has failed, whatever it throws', async () => {
    const log = createLog({ level: 'silent' })
    for (const [thrown, detail] of [
      [new Error('not now'), 'onEvent: Error: not now'],
      [undefined, 'onEvent: undefined'],
      [Object.create(null), 'onEvent: [Object: null prototype] {}'],
    ]) {
      const failing = createHostSender(() => Promise.reject(thrown), { log })
      expect(await failing.send({ id: 'evt_1', body: '{}' })).toEqual({ kind: 'failure', detail })
    }
  })

  it('is given what its type has (checked by the compiler)', () => {
    const narrow = (event: HostEvent) => {
      if (event.type === 'payment.paid') expectTypeOf(event.data.payment.amount).toEqualTypeOf<number>()
      if (event.type === 'subscription.granted') expectTypeOf(event.data.grant.days).toEqualTypeOf<number>()
      // @ts-expect-error of which type it is, is not known
      return event.data.grant.days
    }
    expectTypeOf(narrow).returns.toEqualTypeOf<number>()
  })
})
