// An event is made when it is sent. Receivers compare signatures and keep bodies, so one id has one body.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { configFile } from '../../../../test/support/config-files.js'
import { describeOnEach } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { receivingWorld } from '../../../../test/support/receiving-world.js'
import { EVENT_TYPES } from '../core/event-types.js'
import { SEED_PLANS } from '../core/plan.js'
import { deliverEvents, drainDeliveries } from './deliver-events.js'
import { pruneOutbox } from './deliver-events.sql.js'
import { sampleEvent } from './sample-event.js'

const fixture = (name: string) => path.resolve(import.meta.dirname, '../../../../test/fixtures', name)
const PLANS_FILE = fixture('terms.json')
const ENV = { ...OPERATOR_ENV, PLANS_FILE, BALANCE_MAX: '10000' }

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
    const plans = JSON.parse(readFileSync(PLANS_FILE, 'utf8')).map((plan: (typeof SEED_PLANS)[number]) => ({
      ...{ ...plan, name: `${plan.name} 2`, price: plan.price * 2, terms: undefined },
      limits: { ...plan.limits, projects: 99 },
    }))
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
  const [free, pro] = SEED_PLANS
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
