import { readFileSync } from 'node:fs'
import path from 'node:path'
import Schema from 'typebox/schema'
import { configFile } from '../../../../test/support/config-files.js'
import { describeOnEach } from '../../../../test/support/databases.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { PLATFORM_KEY } from '../../../../test/support/platform.js'
import { png } from '../../../../test/support/proof-files.js'
import { receivingWorld } from '../../../../test/support/receiving-world.js'
import { PLANS_FILE, TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { EVENT_TYPES } from '../core/event-types.js'
import { DAY, HOUR } from '../core/instant.js'
import { DatabaseUnavailable, statement } from '../database/database.js'
import { SEED_CATALOGUE } from '../runtime/plans-file.js'
import { announceTime } from './announce-time.js'
import { deliverEvents, drainDeliveries } from './deliver-events.js'
import { pruneOutbox } from './deliver-events.sql.js'
import { sampleEvent } from './sample-event.js'

const ENV = { TRANSFER_FILE, PLANS_FILE, BALANCE_MAX: '10000' }
const SEALED = 'books.sealed'

describeOnEach('the operator and the events', (context) => {
  const { database } = context
  const { receiver, world, restart, options } = receivingWorld(context, ENV)

  /** Time passes, and what is due is sent. No other job runs. */
  const pass = async (ms: number) => {
    await world.emulator.advance(ms / 1000)
    await deliverEvents(world.service.parts)
    await drainDeliveries(world.service.parts)
  }
  const authorized = { headers: { authorization: `Bearer ${OPERATOR_KEY}` } }
  const operator = (method: string, path: string, body?: unknown) =>
    world.call(method, `/api/v1/operator/events${path}`, { ...authorized, body })
  const list = async (query = '') => (await operator('GET', query)).body
  const idOf = (user: string, sequence: number) =>
    receiver.received.find(({ event }) => event.data.user_id === user && event.data.sequence === sequence)?.id

  it('sees what was written, what arrived and why not, and sends what arrived again in order', async () => {
    await world.as('user-1').buy()
    await pass(0)
    receiver.behave = () => 500
    await world.as('user-2').buy()
    expect((await list('?state=waiting')).data[0].due_at).toBe('2026-11-21T12:00:00Z')
    await pass(0)
    expect(await list()).toMatchObject({
      endpoint: { state: 'failing', failing_since: '2026-11-21T12:00:00Z' },
      waiting: { users: 1, events: 2 },
    })
    const waiting = { user_id: 'user-2', state: 'waiting' }
    expect((await list('?state=waiting')).data).toEqual([
      expect.objectContaining({ ...waiting, sequence: 1, attempts: 1, failure: 'answered 500' }),
      expect.objectContaining({ ...waiting, sequence: 2, attempts: 0, due_at: null }),
    ])
    expect((await list('?user_id=user-1')).data).toEqual([
      expect.objectContaining({ type: 'subscription.activated', state: 'delivered', answer_status: 204 }),
      expect.objectContaining({ type: 'payment.paid', state: 'delivered', attempts: 1 }),
    ])

    receiver.behave = () => 204
    const why = 'the platform lost a table'
    const { body } = await operator('POST', `/${idOf('user-1', 1)}/resend`, { why })
    expect(body).toEqual({ user_id: 'user-1', events: 2 })
    await pass(0)
    expect(receiver.sequencesOf('user-1')).toEqual([1, 2, 1, 2])
    expect(receiver.sequencesOf('user-2')).toEqual([1])
    const ids = receiver.received.filter(({ event }) => event.data.user_id === 'user-1').map(({ id }) => id)
    expect(ids.slice(2)).toEqual(ids.slice(0, 2))
    expect((await operator('POST', '/evt_none/resend', {})).status).toBe(404)
    const trail = await world.call('GET', '/api/v1/operator/users/user-1', authorized)
    expect(trail.body.audit[0]).toMatchObject({ actor: 'amina', act: 'event.resend' })
  })

  it('switches a disabled address on and sends all that waits, also where that ended half way', async () => {
    receiver.behave = () => 410
    for (const user of ['user-1', 'user-2']) await world.as(user).buy()
    await pass(0)
    await pass(2 * DAY)
    const disabled = { state: 'disabled', disabled_because: 'it answered 410 Gone' }
    expect((await list()).endpoint).toMatchObject(disabled)
    expect((await list('?state=waiting')).data[0].due_at).toBeNull()
    const check = { verdict: 'fail', code: 'events_disabled' }
    expect(await world.service.parts.examine()).toContainEqual(expect.objectContaining(check))
    const { database: used } = world.service.parts
    const query = used.query.bind(used)
    const away = vi.spyOn(used, 'query').mockImplementation(async (asked, ...rest) => {
      if (asked.name === 'outbox.retry_now') throw new DatabaseUnavailable('away')
      return query(asked, ...rest)
    })
    const request = { operation_id: 'ticket 1' }
    expect((await operator('POST', '/resend-waiting', request)).status).toBe(503)
    away.mockRestore()
    receiver.behave = () => 204
    receiver.received.length = 0
    expect((await operator('POST', '/resend-waiting', request)).status).toBe(200)
    await pass(0)
    for (const user of ['user-1', 'user-2']) expect(receiver.sequencesOf(user)).toEqual([1, 2])
    expect(await list()).toMatchObject({ endpoint: { state: 'working' }, waiting: { users: 0, events: 0 } })
  })

  it('waits no longer for an event that its receiver never takes', async () => {
    receiver.behave = ({ event }) => (event.type === 'payment.paid' ? 400 : 204)
    await world.as('user-1').buy()
    await pass(0)
    const stuck = idOf('user-1', 1)
    expect((await operator('POST', `/${stuck}/skip`, { why: 'ticket 4711' })).body).toEqual({ skipped: true })
    await pass(0)
    expect(receiver.sequencesOf('user-1')).toEqual([1, 2])
    const states = (await list()).data.map((event: { state: string }) => event.state)
    expect(states).toEqual(['delivered', 'set_aside'])
    expect((await operator('POST', `/${stuck}/skip`, { why: 'again' })).status).toBe(404)
  })

  it('events from before there was an address are kept, and sent as far back as five days', async () => {
    const { clock } = world
    await database().script('delete from event_endpoint')
    await restart({ env: ENV, clock })
    await world.as('old').buy()
    await pass(5 * DAY + 1_000)
    await world.as('new').buy()
    await pass(0)
    expect([receiver.received, (await list()).data.length]).toEqual([[], 4])
    await restart({ env: options.env, clock })
    await pass(0)
    await pass(0)
    expect([receiver.sequencesOf('old'), receiver.sequencesOf('new')]).toEqual([[], [1, 2]])
    const [first] = (await list('?user_id=old')).data.slice(-1)
    expect(first.state).toBe('set_aside')
    await operator('POST', `/${first.id}/resend`, {})
    await pass(0)
    expect(receiver.sequencesOf('old')).toEqual([1, 2])
  })

  it('delivered events are forgotten after 91 days, waiting ones are not', async () => {
    await world.as('user-1').buy()
    await pass(0)
    receiver.behave = () => 500
    await world.as('user-2').buy()
    await world.advance((92 * DAY) / 1000)
    const left = (await list('?limit=1000')).data.filter(
      (event: { created_at: string }) => event.created_at < '2026-12-01',
    )
    expect(left.map((event: { user_id: string }) => event.user_id)).toEqual(['user-2', 'user-2'])
  })

  it('the platform reads all events in one order, as they are sent, by cursors of 90 days', async () => {
    const { clock } = world
    const feed = (query = '') =>
      world.call('GET', `/api/v1/platform/events?${query}`, {
        headers: { authorization: `Bearer ${PLATFORM_KEY}` },
      })
    const empty = (await feed()).body
    expect(empty).toEqual({ data: [], has_more: false, next_cursor: expect.any(String) })
    for (const user of ['user-1', 'user-2', 'user-3']) await world.as(user).buy()
    await pass(0)
    const first = (await feed(`limit=4&after=${empty.next_cursor}`)).body
    expect(first.has_more).toBe(true)
    await world.as('user-4').buy()
    await pass(0)
    const rest = (await feed(`after=${first.next_cursor}`)).body
    expect([rest.has_more, rest.data.length]).toEqual([false, 4])
    const all = (await feed()).body.data
    expect(all).toEqual([...first.data, ...rest.data])
    const bytes = all.map(({ id, ...event }: { id: string }) => [id, JSON.stringify(event)])
    expect(bytes.sort()).toEqual(receiver.received.map(({ id, raw }) => [id, raw]).sort())
    // A shop without a sale in 90 days loses nothing if it asks meanwhile.
    clock.advance(60 * DAY)
    const quiet = (await feed(`after=${rest.next_cursor}`)).body
    clock.advance(30 * DAY + 1)
    expect((await feed(`after=${quiet.next_cursor}`)).status).toBe(200)
    const old = await feed(`after=${rest.next_cursor}`)
    expect([old.status, old.body.code]).toEqual([410, 'cursor_too_old'])
    // The oldest that is kept has a cursor that leads on.
    const again = (await feed('limit=4')).body
    expect((await feed(`after=${again.next_cursor}`)).body.data).toEqual(rest.data)
  })

  it('what was delivered is sent again, of one user or since an instant, byte for byte', async () => {
    for (const user of ['user-1', 'user-2']) await world.as(user).buy()
    await pass(DAY)
    await world.as('user-3').buy()
    await pass(0)
    const bytesOf = (...users: string[]) =>
      receiver.received
        .filter(({ event }) => users.includes(event.data.user_id))
        .map(({ id, raw }) => [id, raw])
        .sort()
    const all = ['user-1', 'user-2', 'user-3']
    const [first, last, sent] = [bytesOf('user-1'), bytesOf('user-3'), bytesOf(...all)]
    const replay = async (asked: object) => {
      receiver.received.length = 0
      const { status, body } = await operator('POST', '/replay', { why: 'a table was lost', ...asked })
      await pass(0)
      return [status, body, bytesOf(...all)]
    }
    expect(await replay({ user: 'user-1' })).toEqual([200, { users: 1, events: 2 }, first])
    const since = { since: '2026-11-22T12:00:00Z' }
    expect((await operator('GET', `/replay?since=${since.since}`)).body.changes).toMatchObject([
      { what: 'replayedUsers', after: 1 },
      { what: 'replayedEvents', after: 2 },
    ])
    expect(await replay(since)).toEqual([200, { users: 1, events: 2 }, last])
    expect((await replay({ since: '2026-11-21' }))[2]).toEqual(sent)
    expect(await replay({})).toMatchObject([422, { errors: [{ pointer: '/since' }] }, []])
    const trail = await world.call('GET', '/api/v1/operator/users/user-1', authorized)
    expect(trail.body.audit[0]).toMatchObject({ act: 'event.replay', after: { events: 2 } })
  })

  it('several processes deliver everything, each user’s events in order, none skipped', async () => {
    const { parts } = world.service
    const { outgoing } = parts
    if (!outgoing) throw new Error('there is an address')
    /** A process's own state: the users whose events it sends now. */
    const lanes = () => new Set<Promise<void>>()
    const all = [1, 2, 3].map(() => ({ ...parts, outgoing: { ...outgoing, lanes: lanes() } }))
    // Every third request fails, so that attempts of different processes mix.
    let requests = 0
    const accepted: string[] = []
    receiver.behave = ({ event }) => {
      requests++
      if (requests % 3 === 0) return 503
      accepted.push(`${event.data.user_id}:${event.data.sequence}`)
      return 200
    }
    const users = Array.from({ length: 6 }, (_, index) => `user-${index}`)
    await Promise.all(users.map((user) => world.as(user).buy()))
    for (let round = 0; round < 60 && new Set(accepted).size < 2 * users.length; round++) {
      await world.emulator.advance((2 * HOUR) / 1000)
      await Promise.all(all.map(deliverEvents))
      await Promise.all(all.map(drainDeliveries))
    }
    for (const user of users) {
      const sequences = accepted
        .filter((one) => one.startsWith(`${user}:`))
        .map((one) => Number(one.split(':')[1]))
      // The same twice in a row is allowed: a process slower than its lease sends what another one has sent.
      const inOrder = sequences.filter((sequence, index) => sequence !== sequences[index - 1])
      expect([user, inOrder]).toEqual([user, [1, 2]])
    }
  })

  it('the OpenAPI document describes every event exactly as it is sent, and its sample', async () => {
    const { webhooks, components } = (await world.call('GET', '/openapi.json')).body
    await world.as('user-1').buy()
    // The three warnings, the end, and the end of grace.
    for (const wait of [23, 4, 2, 1, 3]) await world.advance((wait * DAY) / 1000)
    await pass(3 * DAY)
    const { checkoutId } = await world.as('user-1').upgrade()
    await world.pay(checkoutId, 'failed')
    await world.as('user-1').buy()
    await world.advance((26 * DAY) / 1000)
    const { paymentId } = await world.as('user-1').buy()
    const { body: change } = await world.as('user-1').post('/api/v1/billing/upgrade', { plan: 'team' })
    await world.pay(change.checkout_url)
    const operate = (path: string, asked = {}) =>
      world.call('POST', `/api/v1/operator${path}`, { ...authorized, body: { why: 'a test', ...asked } })
    expect((await operate('/users/user-1/grant', { days: 1 })).status).toBe(200)
    expect((await operate(`/payments/${change.payment_id}/refund`)).status).toBe(200)
    expect((await operate(`/payments/${paymentId}/refund`)).status).toBe(200)
    expect((await operate('/users/user-1/end')).status).toBe(200)
    const wanted = { plan: 'pro', method: 'transfer' }
    const { id } = (await world.as('user-1').post('/api/v1/billing/payments', wanted)).body
    const topUp = await world.as('user-1').post('/api/v1/billing/balance/top-ups', { amount: 2_000 })
    await world.pay(topUp.body.checkout_url)
    const { put } = world.as('user-1')
    expect((await put('/api/v1/billing/balance/renewal', { plan: 'pro' })).status).toBe(200)
    expect((await put(`/api/v1/billing/payments/${id}/proof`, png())).status).toBe(200)
    expect((await operate(`/payments/${id}/refuse`)).status).toBe(200)
    await pass(0)
    await pass(0)
    const expectDescribed = (type: string, event: object | undefined) => {
      const { schema } = webhooks[type].post.requestBody.content['application/json']
      const [isValid, errors] = Schema.Errors(resolved(schema, components.schemas), event)
      expect([type, isValid, errors]).toEqual([type, true, []])
    }
    const seen = new Set<string>(receiver.received.map(({ event }) => event.type))
    for (const type of EVENT_TYPES)
      for (const { event } of receiver.received) if (event.type === type) expectDescribed(type, event)
    expect([...seen].filter((type) => !EVENT_TYPES.some((one) => one === type))).toEqual([])
    expectDescribed(SEALED, receiver.heads[0]?.event)
    // A review needs a dishonest report; every other type was sent.
    expect([...Object.keys(webhooks)].filter((type) => !seen.has(type))).toEqual(['payment.review', SEALED])

    // The samples that a platform is sent on demand.
    expect(Object.keys(webhooks)).toEqual([...EVENT_TYPES, SEALED])
    const of = { userId: 'user-1', catalogue: world.config.plans, now: world.clock.now() }
    for (const type of EVENT_TYPES) expectDescribed(type, JSON.parse(sampleEvent(type, of)))
  })
})

/** A copy in which each reference is what it leads to. */
function resolved(value: unknown, components: Readonly<Record<string, unknown>>): object {
  return JSON.parse(JSON.stringify(value), (_key, member) =>
    member?.$ref === undefined ? member : resolved(components[member.$ref.split('/').at(-1)], components),
  )
}

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

// An event is made when it is sent. Receivers compare signatures and keep bodies, so one id has one body.
const fixture = (name: string) => path.resolve(import.meta.dirname, '../../../../test/fixtures', name)

describeOnEach('an event that comes again', (context) => {
  const { database } = context
  const { receiver, world, restart, options } = receivingWorld(context, ENV)

  const deliver = async () => {
    await deliverEvents(world.service.parts)
    await drainDeliveries(world.service.parts)
  }

  it('has the same bytes after refund, upgrade, another catalogue or name, erased person', async () => {
    const buyer = () => world.as('lina', { account: 'acme', billing_role: 'payer' })
    const { paymentId } = await buyer().buy()
    const topUp = await buyer().post('/api/v1/billing/balance/top-ups', { amount: 3_000 })
    await world.pay(topUp.body.checkout_url)
    await operatorOf(world).post('/users/acme/grant', { days: 14, why: 'an outage' })
    await deliver()
    const first = receiver.received.map(({ id, raw }) => [id, raw])
    const types = receiver.received.map(({ event }) => event.type)
    expect(types).toEqual([
      ...['payment.paid', 'subscription.activated', 'payment.paid', 'balance.changed'],
      'subscription.granted',
    ])
    expect(receiver.received[0]?.event.data.payment).toMatchObject({ bought_by: 'lina', status: 'paid' })

    world.clock.advance(86_400_000)
    const { body: change } = await buyer().post('/api/v1/billing/upgrade', { plan: 'team' })
    await world.pay(change.checkout_url)
    for (const id of [change.payment_id, paymentId])
      expect((await operatorOf(world).post(`/payments/${id}/refund`, { why: 'asked for' })).status).toBe(200)
    await database().script(`
      update payments set bought_by = null, po_number = null;
      update users set email = null, name = 'Somebody else'`)
    const plans = JSON.parse(readFileSync(PLANS_FILE, 'utf8')).map(
      (plan: (typeof SEED_CATALOGUE.plans)[number]) => ({
        ...{ ...plan, name: `${plan.name} 2`, price: plan.price * 2, terms: undefined },
        limits: { ...plan.limits, projects: 99 },
      }),
    )
    await restart({ env: { ...options.env, PLANS_FILE: configFile(plans) }, clock: world.clock })
    receiver.received.length = 0
    await operatorOf(world).post(`/events/${first[0]?.[0]}/resend`, { why: 'the platform lost a table' })
    await deliver()
    expect(receiver.received.slice(0, 5).map(({ id, raw }) => [id, raw])).toEqual(first)
    expect(receiver.received.length).toBeGreaterThan(9)
  })

  it('goes on telling what its change meant when that change’s older events are forgotten', async () => {
    await world.as('user-1').buy()
    await deliver()
    const [, second] = receiver.received
    expect(await pruneOutbox(database(), world.clock.now() + 1, 1)).toBe(1)
    await operatorOf(world).post(`/events/${second?.id}/resend`, { why: 'once more' })
    await deliver()
    expect(receiver.received.map(({ raw }) => raw).slice(2)).toEqual([second?.raw])
  })
})

it('each type has the bytes that receivers know', () => {
  const [free, pro] = SEED_CATALOGUE.plans
  if (!free || !pro) throw new Error('the seed has two plans')
  const catalogue = {
    limits: [],
    plans: [free, pro, { ...pro, id: 'team', name: 'Team', price: 5_000 }],
    free,
  }
  const of = { userId: 'user-1', catalogue, now: Date.parse('2026-11-21T12:00:00.123Z') }
  const sent = Object.fromEntries(EVENT_TYPES.map((type) => [type, sampleEvent(type, of)]))
  expect(sent).toEqual(JSON.parse(readFileSync(fixture('events-as-sent.json'), 'utf8')))
})
