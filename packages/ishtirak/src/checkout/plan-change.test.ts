// A dearer plan in mid-term, through the whole: quoted, bought by a click or as a payment, booked, told.
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { type Caller, checkoutIdOf, createWorld, type World } from '../../../../test/support/world.js'
import { statement } from '../database/database.js'

const PAYMENTS = '/api/v1/billing/payments'
const QUOTE = '/api/v1/billing/quote'
const UPGRADE = '/api/v1/billing/upgrade'
const DAY = 86_400
const PLANS_FILE = path.resolve(import.meta.dirname, '../../../../test/fixtures/terms.json')
const selectEvents = statement(
  'test.plan_change.events',
  `select payload->>'type' as type, payload->'data' as data from outbox where user_id = $1 order by sequence`,
)

describeScenario('a dearer plan in mid-term', ({ database }) => {
  let world: World
  let user: Caller
  beforeEach(async () => {
    world = await createWorld(database(), { env: { PLANS_FILE } })
    user = world.as('user-1')
  })
  afterEach(() => world.stop())

  const status = async () => (await user.get('/api/v1/billing/status')).body
  const pay = async (checkoutUrl: string) => {
    await world.emulator.pay(checkoutIdOf(checkoutUrl), 'paid')
    await world.emulator.settled()
  }
  const events = async () =>
    (await database().query(selectEvents, ['user-1'])) as { type: string; data: unknown }[]
  /** Pro for 30 days from 21 November, of which 15 are over. */
  const halfWay = async () => {
    const { paymentId } = await user.buy()
    await world.advance(15 * DAY)
    return paymentId
  }

  it('is quoted with what is left of what was paid, to the same end', async () => {
    await halfWay()
    expect((await user.get(`${QUOTE}?plan=team&start=now`)).body).toEqual({
      kind: 'change',
      plan: 'team',
      months: null,
      price: 4500,
      credit: 1000,
      discount: 0,
      amount: 3500,
      currency: 'DZD',
      would_start: '2026-12-06T12:00:00Z',
      would_end: '2026-12-21T12:00:00Z',
      code: null,
    })
    expect((await user.get(`${QUOTE}?plan=team`)).body).toMatchObject({
      kind: 'purchase',
      credit: 0,
      months: 1,
    })
  })

  it('is bought by a click on upgrade, and runs from the payment to the same end', async () => {
    await halfWay()
    const { status: answered, body } = await user.post(UPGRADE, { plan: 'team' })
    expect([answered, Object.keys(body)]).toEqual([200, ['checkout_url', 'payment_id']])
    expect((await status()).plan).toBe('pro')
    // The quote holds for as long as its page.
    await world.advance(600)
    expect((await user.post(UPGRADE, { plan: 'team' })).body).toEqual(body)
    await pay(body.checkout_url)
    expect(await status()).toEqual({
      plan: 'team',
      status: 'active',
      current_period_end: '2026-12-21T12:00:00Z',
      payment_method: 'edahabia',
    })
    expect((await user.get(`${PAYMENTS}/${body.payment_id}`)).body).toMatchObject({
      kind: 'change',
      plan: 'team',
      months: null,
      amount: 3500,
      status: 'paid',
      period_start: '2026-12-06T12:10:00Z',
      period_end: '2026-12-21T12:00:00Z',
    })
    const told = (await events()).slice(-2)
    expect(told.map(({ type }) => type)).toEqual(['payment.paid', 'subscription.changed'])
    expect(told[1]?.data).toMatchObject({
      subscription: { plan: 'team', current_period_end: '2026-12-21T12:00:00Z' },
      payment: { id: body.payment_id, kind: 'change', plan: 'team', months: null },
      change: { from: 'pro', to: 'team', at: '2026-12-06T12:10:00Z', until: '2026-12-21T12:00:00Z' },
    })
  })

  it('is bought as a payment that begins now, where one for the end buys more time', async () => {
    await halfWay()
    const { status: answered, body } = await user.post(PAYMENTS, { plan: 'team', start: 'now' })
    expect(answered).toBe(201)
    expect(body).toMatchObject({ plan: 'team', months: null, amount: 3500, status: 'pending' })
    const later = await user.post(PAYMENTS, { plan: 'team', start: 'end' })
    expect(later.body).toMatchObject({ plan: 'team', months: 1, amount: 9000 })
    expect(later.body.id).not.toBe(body.id)
    expect((await user.get(`${PAYMENTS}/${body.id}`)).body.status).toBe('expired')
  })

  it('is refused where nothing runs that is cheaper, and with a term', async () => {
    const refused = async (wanted: object) => {
      const { status: answered, body } = await user.post(PAYMENTS, wanted)
      return [answered, body.code]
    }
    expect(await refused({ plan: 'team', start: 'now' })).toEqual([409, 'no_dearer_plan'])
    await halfWay()
    expect(await refused({ plan: 'pro', start: 'now' })).toEqual([409, 'no_dearer_plan'])
    expect(await refused({ plan: 'team', start: 'now', months: 1 })).toEqual([422, 'validation_failed'])
    const quoted = await user.get(`${QUOTE}?plan=team&start=now&months=1`)
    expect(quoted.body.errors).toEqual([expect.objectContaining({ pointer: '/query/months' })])
    expect((await user.get(`${QUOTE}?plan=free&start=now`)).body.code).toBe('plan_not_purchasable')
    expect((await user.post(UPGRADE, { plan: 'pro' })).body.code).toBe('already_subscribed')
  })

  it('paid twice buys time on the new plan for the second money', async () => {
    await halfWay()
    const { body } = await user.post(UPGRADE, { plan: 'team' })
    await pay(body.checkout_url)
    const { body: again } = await user.post(UPGRADE, { plan: 'team' })
    expect(again.code).toBe('already_subscribed')
  })
})
