// The operator's hand on the events to the platform, and the promises that hold between processes.
import path from 'node:path'
import Schema from 'typebox/schema'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { png } from '../../../../test/support/proof-files.js'
import type { Receiver } from '../../../../test/support/receiver.js'
import {
  advanceAndDeliver,
  closeReceivingWorld,
  openReceivingWorld,
} from '../../../../test/support/receiving-world.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { checkoutIdOf, createWorld, tokenOf, type World } from '../../../../test/support/world.js'
import { EVENT_TYPES } from '../core/event.js'
import { DAY, HOUR } from '../core/instant.js'
import { DatabaseUnavailable, statement } from '../database/database.js'
import { deliverEvents, drainDeliveries } from './deliver-events.js'
import { sampleEvent } from './sample-event.js'

const KEY = 'operator-key-0000000000000000'
const PLANS_FILE = path.resolve(import.meta.dirname, '../../../../test/fixtures/terms.json')
const ENV = { OPERATOR_KEYS: `amina:${KEY}`, TRANSFER_FILE, PLANS_FILE, BALANCE_MAX: '10000' }
const countEvents = statement('test.count_outbox', 'select count(*)::int as count from outbox')

describeScenario('the operator and the events', ({ database }) => {
  let receiver: Receiver
  let world: World
  const environment = (): Record<string, string> => ({ ...receiver.variables, ...ENV })
  beforeEach(async () => {
    ;({ world, receiver } = await openReceivingWorld(database(), ENV))
  })
  afterEach(() => closeReceivingWorld({ world, receiver }))
  const pass = (seconds: number) => advanceAndDeliver(world, seconds)
  const operator = (method: string, path: string, body?: unknown) =>
    world.call(method, `/api/v1/operator/events${path}`, {
      headers: { authorization: `Bearer ${KEY}` },
      ...(body === undefined ? {} : { body }),
    })
  const list = async (query = '') => (await operator('GET', query)).body
  const idOf = (user: string, sequence: number) =>
    receiver.received.find(({ event }) => event.data.user_id === user && event.data.sequence === sequence)?.id

  it('sees what was written, what arrived, and why not', async () => {
    await world.as('user-1').buy()
    await pass(0)
    receiver.behave = () => 500
    await world.as('user-2').buy()
    await pass(0)
    expect(await list()).toMatchObject({
      endpoint: { state: 'failing', failing_since: '2026-11-21T12:00:00Z' },
      waiting: { users: 1, events: 2 },
    })
    expect((await list('?state=waiting')).data).toEqual([
      expect.objectContaining({
        user_id: 'user-2',
        sequence: 1,
        state: 'waiting',
        attempts: 1,
        failure: 'answered 500',
      }),
      expect.objectContaining({
        user_id: 'user-2',
        sequence: 2,
        state: 'waiting',
        attempts: 0,
        due_at: null,
      }),
    ])
    expect((await list('?user_id=user-1')).data).toEqual([
      expect.objectContaining({ type: 'subscription.activated', state: 'delivered', answer_status: 204 }),
      expect.objectContaining({ type: 'payment.paid', state: 'delivered', attempts: 1 }),
    ])
  })

  it('sees when an event is due: from when it was written, and never while nothing is sent', async () => {
    receiver.behave = () => 410
    await world.as('user-1').buy()
    const dueAt = async () => (await list('?state=waiting')).data[0].due_at
    expect(await dueAt()).toBe('2026-11-21T12:00:00Z')
    await pass(0)
    await pass((2 * DAY) / 1000)
    expect((await list()).endpoint.state).toBe('disabled')
    expect(await dueAt()).toBeNull()
  })

  it('sends an event and the later ones of its user again, in order, with the same ids', async () => {
    await world.as('user-1').buy()
    await world.as('user-2').buy()
    await pass(0)
    const answer = await operator('POST', `/${idOf('user-1', 1)}/resend`, {
      why: 'the platform lost a table',
    })
    expect(answer.body).toEqual({ user_id: 'user-1', events: 2 })
    await pass(0)
    expect(receiver.sequencesOf('user-1')).toEqual([1, 2, 1, 2])
    expect(receiver.sequencesOf('user-2')).toEqual([1, 2])
    const ids = receiver.received.filter(({ event }) => event.data.user_id === 'user-1').map(({ id }) => id)
    expect(ids.slice(2)).toEqual(ids.slice(0, 2))
    expect((await operator('POST', '/evt_none/resend', {})).status).toBe(404)
    const trail = await world.call('GET', '/api/v1/operator/users/user-1', {
      headers: { authorization: `Bearer ${KEY}` },
    })
    expect(trail.body.audit[0]).toMatchObject({ actor: 'amina', act: 'event.resend' })
  })

  it('switches a disabled address on again, and everything that waits goes out', async () => {
    receiver.behave = () => 410
    for (const user of ['user-1', 'user-2']) await world.as(user).buy()
    await pass(0)
    await pass((2 * DAY) / 1000)
    expect((await list()).endpoint).toMatchObject({
      state: 'disabled',
      disabled_because: 'it answered 410 Gone',
    })
    receiver.behave = () => 204
    receiver.received.length = 0
    expect((await operator('POST', '/resend-waiting', {})).status).toBe(200)
    await pass(0)
    for (const user of ['user-1', 'user-2']) expect(receiver.sequencesOf(user)).toEqual([1, 2])
    expect(await list()).toMatchObject({ endpoint: { state: 'working' }, waiting: { users: 0, events: 0 } })
  })

  it('sends again all that waits also where the same operation ended half way before', async () => {
    receiver.behave = () => 500
    await world.as('user-1').buy()
    await pass(0)
    const { database: used } = world.service.parts
    const query = used.query.bind(used)
    let isDown = true
    const away = vi.spyOn(used, 'query').mockImplementation(async (asked, ...rest) => {
      if (isDown && asked.name === 'event_history.restart') throw new DatabaseUnavailable('away')
      return query(asked, ...rest)
    })
    const request = { operation_id: 'ticket 1' }
    expect((await operator('POST', '/resend-waiting', request)).status).toBe(503)
    isDown = false
    receiver.behave = () => 204
    receiver.received.length = 0
    expect((await operator('POST', '/resend-waiting', request)).status).toBe(200)
    away.mockRestore()
    await pass(0)
    expect(receiver.sequencesOf('user-1')).toEqual([1, 2])
  })

  it('waits no longer for an event that its receiver never takes', async () => {
    receiver.behave = ({ event }) => (event.type === 'payment.paid' ? 400 : 204)
    await world.as('user-1').buy()
    await pass(0)
    const stuck = idOf('user-1', 1)
    expect((await operator('POST', `/${stuck}/skip`, { why: 'ticket 4711' })).body).toEqual({ skipped: true })
    await pass(0)
    expect(receiver.sequencesOf('user-1')).toEqual([1, 2])
    expect((await list()).data.map((event: { state: string }) => event.state)).toEqual([
      'delivered',
      'set_aside',
    ])
    expect((await operator('POST', `/${stuck}/skip`, { why: 'again' })).status).toBe(404)
  })

  it('events from before there was an address are kept, and sent as far back as five days', async () => {
    await world.stop()
    await database().script('delete from event_endpoint')
    const { EVENTS_URL, EVENTS_SECRETS, ...without } = environment()
    world = await createWorld(database(), { env: without, clock: world.clock })
    await world.as('old').buy()
    await pass((5 * DAY) / 1000 + 1)
    await world.as('new').buy()
    await pass(0)
    expect([receiver.received, (await list()).data.length]).toEqual([[], 4])
    await world.stop()
    world = await createWorld(database(), { env: environment(), clock: world.clock })
    await pass(0)
    await pass(0)
    expect([receiver.sequencesOf('old'), receiver.sequencesOf('new')]).toEqual([[], [1, 2]])
    const [first] = (await list('?user_id=old')).data.slice(-1)
    expect(first.state).toBe('set_aside')
    await operator('POST', `/${first.id}/resend`, {})
    await pass(0)
    expect(receiver.sequencesOf('old')).toEqual([1, 2])
  })

  it('delivered events are forgotten after 90 days, waiting ones are not', async () => {
    await world.as('user-1').buy()
    await pass(0)
    receiver.behave = () => 500
    await world.as('user-2').buy()
    await pass((91 * DAY) / 1000)
    await pass(0)
    const left = (await list('?limit=1000')).data.filter(
      (event: { created_at: string }) => event.created_at < '2026-12-01',
    )
    expect(new Set(left.map((event: { user_id: string }) => event.user_id))).toEqual(new Set(['user-2']))
    expect(Number((await database().query(countEvents))[0]?.count)).toBeGreaterThan(2)
  })

  it('several processes deliver everything, each user’s events in order, none skipped', async () => {
    const others = await Promise.all(
      [1, 2].map(() =>
        createWorld(database(), { env: environment(), clock: world.clock, emulator: world.emulator }),
      ),
    )
    const all = [world, ...others]
    // Every third request fails, so that attempts of different processes mix.
    let requests = 0
    const accepted: string[] = []
    receiver.behave = ({ event }) => {
      requests++
      if (requests % 3 === 0) return 503
      accepted.push(`${event.data.user_id}:${event.data.sequence}`)
      return 200
    }
    const users = Array.from({ length: 12 }, (_, index) => `user-${index}`)
    await Promise.all(users.map((user) => world.as(user).buy()))
    for (let round = 0; round < 60 && new Set(accepted).size < 24; round++) {
      await world.emulator.advance((2 * HOUR) / 1000)
      await Promise.all(all.map(({ service }) => deliverEvents(service.parts)))
      await Promise.all(all.map(({ service }) => drainDeliveries(service.parts)))
    }
    for (const other of others) await other.stop()
    for (const user of users) {
      const sequences = accepted
        .filter((one) => one.startsWith(`${user}:`))
        .map((one) => Number(one.split(':')[1]))
      // Never backwards and never over one. The same twice in a row is allowed: at least once is the promise,
      // and a process that is slower than its lease sends what another has sent meanwhile.
      const inOrder = sequences.filter((sequence, index) => sequence !== sequences[index - 1])
      expect([user, inOrder]).toEqual([user, [1, 2]])
    }
  })

  describe('the OpenAPI document', () => {
    it('describes every event exactly as it is sent', async () => {
      const { webhooks, components } = (await world.call('GET', '/openapi.json')).body
      await world.as('user-1').buy()
      for (let day = 0; day < 36; day++) await pass(DAY / 1000)
      const { checkoutId } = await world.as('user-1').upgrade()
      await world.emulator.pay(checkoutId, 'failed')
      await world.emulator.settled()
      await world.as('user-1').buy()
      await pass((26 * DAY) / 1000)
      const { paymentId } = await world.as('user-1').buy()
      const { body: change } = await world.as('user-1').post('/api/v1/billing/upgrade', { plan: 'team' })
      await world.emulator.pay(checkoutIdOf(change.checkout_url), 'paid')
      await world.emulator.settled()
      const operate = (path: string, asked = {}) =>
        world.call('POST', `/api/v1/operator${path}`, {
          headers: { authorization: `Bearer ${KEY}` },
          body: { why: 'a test', ...asked },
        })
      expect((await operate('/users/user-1/grant', { days: 1 })).status).toBe(200)
      expect((await operate(`/payments/${change.payment_id}/refund`)).status).toBe(200)
      expect((await operate(`/payments/${paymentId}/refund`)).status).toBe(200)
      expect((await operate('/users/user-1/end')).status).toBe(200)
      const wanted = { plan: 'pro', method: 'transfer' }
      const { id } = (await world.as('user-1').post('/api/v1/billing/payments', wanted)).body
      const authorization = `Bearer ${await tokenOf({ sub: 'user-1' })}`
      const topUp = await world.as('user-1').post('/api/v1/billing/balance/top-ups', { amount: 2_000 })
      await world.emulator.pay(checkoutIdOf(topUp.body.checkout_url), 'paid')
      await world.emulator.settled()
      const order = { body: { plan: 'pro' }, headers: { authorization } }
      expect((await world.call('PUT', '/api/v1/billing/balance/renewal', order)).status).toBe(200)
      const proof = { body: png(), headers: { authorization } }
      expect((await world.call('PUT', `/api/v1/billing/payments/${id}/proof`, proof)).status).toBe(200)
      expect((await operate(`/payments/${id}/refuse`)).status).toBe(200)
      await pass(0)
      await pass(0)
      const seen = new Set<string>()
      for (const { event } of receiver.received) {
        seen.add(event.type)
        const { schema } = webhooks[event.type].post.requestBody.content['application/json']
        const [isValid, errors] = Schema.Errors(resolved(schema, components.schemas), event)
        expect([event.type, isValid, errors]).toEqual([event.type, true, []])
      }
      // A review needs a dishonest report; every other type was sent.
      expect([...Object.keys(webhooks)].filter((type) => !seen.has(type))).toEqual(['payment.review'])
    })

    it('describes the sample of every event', async () => {
      const { webhooks, components } = (await world.call('GET', '/openapi.json')).body
      expect(Object.keys(webhooks)).toEqual(EVENT_TYPES)
      const of = { userId: 'user-1', catalogue: world.config.plans, now: world.clock.now() }
      for (const type of EVENT_TYPES) {
        const { schema } = webhooks[type].post.requestBody.content['application/json']
        const sample = JSON.parse(JSON.stringify(sampleEvent(type, of)))
        const [isValid, errors] = Schema.Errors(resolved(schema, components.schemas), sample)
        expect([type, isValid, errors]).toEqual([type, true, []])
      }
    })
  })
})

/** A copy in which each reference is what it leads to. */
function resolved(value: unknown, components: Readonly<Record<string, unknown>>): object {
  return JSON.parse(JSON.stringify(value), (_key, member) =>
    member?.$ref === undefined ? member : resolved(components[member.$ref.split('/').at(-1)], components),
  )
}
