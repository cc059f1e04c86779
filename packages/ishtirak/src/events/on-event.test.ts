import { describeOnEach } from '../../../../test/support/databases.js'
import { Receiver } from '../../../../test/support/receiver.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import type { HostEvent } from '../core/event.js'
import { createLog } from '../runtime/log.js'
import { drainDeliveries } from './deliver-events.js'
import { createHostSender, SEND_MS } from './event-sender.js'

const KEY = 'operator-key-0000000000000000'
const ENV = { OPERATOR_KEYS: `amina:${KEY}` }

describeOnEach('events to a function of the host', ({ database }) => {
  let world: World
  let given: HostEvent[]
  let take: (event: HostEvent) => unknown
  const onEvent = (event: HostEvent) => {
    if ((event.type as string) === 'books.sealed') return
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
    // Sends the same events again, to an address.
    const receiver = await Receiver.start()
    onTestFinished(() => receiver.goDown())
    const env = { ...ENV, ...receiver.variables }
    const overHttp = await createWorld(database(), { env, clock: world.clock })
    onTestFinished(() => overHttp.stop())
    await operator('POST', `/events/${given[0]?.id}/resend`, overHttp)
    await pass(0, overHttp)
    expect(receiver.received.map(({ id, event }) => ({ ...event, id }))).toEqual(given)
  })

  it('are in the checks of the doctor and in the gauges', async () => {
    const { examine } = world.service.parts
    const working = { verdict: 'ok', code: 'events_on' }
    expect(await examine()).toContainEqual(expect.objectContaining(working))
    take = () => Promise.reject(new Error('not now'))
    await world.as('user-1').buy()
    await pass(0)
    const data = expect.objectContaining({ to: 'onEvent' })
    const failing = { verdict: 'warn', code: 'events_failing', data }
    expect(await examine()).toContainEqual(expect.objectContaining(failing))
    expect((await world.service.metrics.render()).text).toContain('ishtirak_events_waiting 2')
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
      // No column holds a NUL.
      [new Error('not\0now'), 'onEvent: Error: not?now'],
      [undefined, 'onEvent: undefined'],
      [Object.create(null), 'onEvent: [Object: null prototype] {}'],
    ]) {
      const failing = createHostSender(() => Promise.reject(thrown), { log })
      expect(await failing.send({ id: 'evt_1', body: '{}' })).toEqual({ kind: 'failure', detail })
    }
  })
})
