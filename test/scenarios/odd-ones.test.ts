// Money that does not come the ordinary way: false amounts, strange checkouts, two for one intent, any order
// of events.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { showPayment } from '../../packages/ishtirak/src/overview/read-files.js'
import { movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { describeScenario } from '../support/databases.js'
import { anEvent, type EventStatus, postEvent } from '../support/provider-events.js'
import { type Caller, CHARGILY_KEY, createWorld, START, type World } from '../support/world.js'

const STATUS = '/api/v1/billing/status'
const HISTORY = '/api/v1/billing/payments'

const selectReceived = statement(
  'test.odd.received',
  `select user_id, id, outcome, received_at from provider_events
    union all
   select null, id, outcome, received_at from unmatched_events order by received_at, id`,
)
const selectReceipts = statement('test.odd.receipts', 'select number from receipts order by number')
/** As it is between the provider's answer and our saving it: a crash there leaves this. */
const forgetAnswer = statement(
  'test.odd.forget_answer',
  `update payments set status = 'requested', method_reference = null, checkout_url = null`,
)

describeScenario('odd money', ({ database }) => {
  let world: World
  let user: Caller
  beforeEach(async () => {
    world = await createWorld(database())
    user = world.as('user-1')
  })
  afterEach(() => world.stop())

  const status = async () => {
    const { body } = await user.get(STATUS)
    return [body.plan, body.status, body.current_period_end]
  }
  const NEVER = ['free', 'active', null]
  const ONE_MONTH = ['pro', 'active', '2026-12-21T12:00:00Z']
  const outcomes = async () => (await database().query(selectReceived)).map(({ outcome }) => outcome)

  describe('an event that differs from our own row', () => {
    it('is answered 200, kept for review, and grants nothing, whatever differs', async () => {
      const differing = [
        ['amount', { amount: 50 }],
        ['amount', { amount: '2000.5' }],
        ['currency', { currency: 'usd' }],
        ['live', { livemode: true }],
        ['payment_id', { metadata: { payment_id: 'pay_of_somebody_else', user_id: 'user-1' } }],
        ['payment_id', { metadata: [] }],
      ] as const
      for (const [place, [name, changes]] of differing.entries()) {
        const one = world.as(`user-of-${place}`)
        const { paymentId, checkoutId } = await one.upgrade()
        const answer = await postEvent(world, anEvent(world, checkoutId, 'paid', changes))
        expect([answer.status, answer.text]).toEqual([200, '{"received":true}'])
        const shown = (await one.get(`${HISTORY}/${paymentId}`)).body
        expect(shown).toMatchObject({ status: 'review', paid_at: null, period_start: null })
        expect((await one.get(STATUS)).body).toMatchObject({ plan: 'free', current_period_end: null })
        const { payment } = await showPayment(world.service.parts, paymentId)
        expect(payment.review?.differences.join()).toContain(name)
      }
      expect(await database().query(selectReceipts)).toEqual([])
    })

    it('stays under review however often it is sent, and is booked by one that agrees', async () => {
      const { paymentId, checkoutId } = await user.upgrade()
      for (let sent = 0; sent < 3; sent++) {
        await postEvent(world, anEvent(world, checkoutId, 'paid', { amount: 50 }))
      }
      expect(await outcomes()).toEqual(['review', 'unchanged', 'unchanged'])
      await postEvent(world, anEvent(world, checkoutId, 'paid'))
      expect((await user.get(`${HISTORY}/${paymentId}`)).body.status).toBe('paid')
      expect(await status()).toEqual(ONE_MONTH)
      // Once it is booked, it changes nothing.
      await postEvent(world, anEvent(world, checkoutId, 'paid', { amount: 50 }))
      expect(await status()).toEqual(ONE_MONTH)
    })
  })

  it('paid after we called it expired still counts', async () => {
    const { paymentId, checkoutId } = await user.upgrade()
    await postEvent(world, anEvent(world, checkoutId, 'expired'))
    expect((await user.get(`${HISTORY}/${paymentId}`)).body.status).toBe('expired')
    await postEvent(world, anEvent(world, checkoutId, 'paid'))
    expect((await user.get(`${HISTORY}/${paymentId}`)).body.status).toBe('paid')
    expect(await status()).toEqual(ONE_MONTH)
  })

  it('of an unknown checkout or of an unknown type is stored once and answered 200', async () => {
    const { checkoutId } = await user.upgrade()
    const unknown = anEvent(world, checkoutId, 'paid', { id: 'chk_unknown', metadata: { user_id: 'user-1' } })
    const payout = { id: 'evt_new', entity: 'event', type: 'payout.sent', data: { entity: 'payout' } }
    for (const body of [unknown, JSON.stringify(payout)]) {
      expect((await postEvent(world, body)).text).toBe('{"received":true}')
      expect((await postEvent(world, body)).text).toBe('{"received":true,"duplicate":true}')
    }
    const stored = (await database().query(selectReceived)).map(({ user_id, outcome }) => [user_id, outcome])
    expect(stored.sort()).toEqual([
      [null, 'not_about_a_checkout'],
      [null, 'unknown_checkout'],
    ])
    expect(await status()).toEqual(NEVER)
  })

  it('of two paid checkouts for one intent buys two months, and the second is marked', async () => {
    const { paymentId, checkoutId } = await user.buy()
    const second = anEvent(world, checkoutId, 'paid', { id: 'chk_second' })
    await postEvent(world, second)
    await postEvent(world, second)
    await postEvent(world, anEvent(world, checkoutId, 'paid', { id: 'chk_second' }))
    const { body } = await user.get(HISTORY)
    expect(body.data).toHaveLength(2)
    expect(await status()).toEqual(['pro', 'active', '2027-01-21T12:00:00Z'])
    const marked = await showPayment(
      world.service.parts,
      body.data.find(({ id }: { id: string }) => id !== paymentId).id,
    )
    expect([marked.payment.secondOf, marked.payment.checkoutId]).toEqual([paymentId, 'chk_second'])
    expect(await outcomes()).toEqual(['booked', 'booked_second', 'unchanged'])
  })

  it('whose event comes before our own row was completed is booked, and the click goes on', async () => {
    const { paymentId, checkoutId } = await user.upgrade()
    await database().query(forgetAnswer)
    await postEvent(world, anEvent(world, checkoutId, 'paid'))
    expect((await user.get(`${HISTORY}/${paymentId}`)).body.status).toBe('paid')
    expect(await status()).toEqual(ONE_MONTH)
  })

  it('that failed after it was paid stays paid', async () => {
    world.emulator.setFaults({ reorder: { order: 'failed_after_paid' } })
    const { paymentId } = await user.buy()
    expect(world.emulator.deliveries().map(({ type }) => type)).toEqual(['checkout.paid', 'checkout.failed'])
    expect((await user.get(`${HISTORY}/${paymentId}`)).body.status).toBe('paid')
  })

  describe('reported in any order', () => {
    const reported: readonly EventStatus[] = ['paid', 'paid', 'failed', 'expired', 'canceled']
    const orders = distinctOrders(reported.slice(1))

    it(`buys one month: all ${orders.length} orders of four deliveries`, async () => {
      for (const [index, order] of orders.entries()) {
        const one = world.as(`user-of-order-${index}`)
        const { checkoutId, paymentId } = await one.upgrade()
        for (const event of order) {
          const answer = await postEvent(world, anEvent(world, checkoutId, event))
          expect(answer.status).toBe(200)
        }
        const { body } = await one.get(`${HISTORY}/${paymentId}`)
        expect([order, body.status, body.period_end]).toEqual([order, 'paid', '2026-12-21T12:00:00Z'])
        expect((await one.get(STATUS)).body.current_period_end).toBe('2026-12-21T12:00:00Z')
      }
      const numbers = (await database().query(selectReceipts)).map(({ number }) => number)
      expect(numbers).toEqual(orders.map((_, index) => index + 1))
    })

    it('buys one month also when all five arrive at once', async () => {
      const { checkoutId, paymentId } = await user.upgrade()
      const bodies = reported.map((event) => anEvent(world, checkoutId, event))
      const answers = await Promise.all(bodies.map((body) => postEvent(world, body)))
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200])
      expect((await user.get(`${HISTORY}/${paymentId}`)).body.status).toBe('paid')
      expect(await status()).toEqual(ONE_MONTH)
      expect(await database().query(selectReceipts)).toHaveLength(1)
    })
  })
})

describeScenario('a key that is being replaced', ({ database }) => {
  const OLD_KEY = 'test_sk_old00000000000000000000000000000000000'

  const buyWithOldKey = async (env: Record<string, string>) => {
    const clock = movableClock(START)
    const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY, OLD_KEY], clock })
    const world = await createWorld(database(), { clock, emulator, env })
    emulator.setFaults({ old_key: {} })
    const { paymentId } = await world.as(`user-${Object.keys(env).length}`).buy()
    const { payment } = await showPayment(world.service.parts, paymentId)
    await world.stop()
    await emulator.close()
    return payment.status
  }

  it('still signs events that are believed, as long as it is in CHARGILY_WEBHOOK_KEYS', async () => {
    expect(await buyWithOldKey({ CHARGILY_WEBHOOK_KEYS: OLD_KEY })).toBe('paid')
    expect(await buyWithOldKey({})).toBe('pending')
  })
})

/** Every distinct order: 4! = 24 for four of which none are equal. */
function distinctOrders(items: readonly EventStatus[]): readonly (readonly EventStatus[])[] {
  if (items.length <= 1) return [items]
  return [...new Set(items)].flatMap((first) => {
    const index = items.indexOf(first)
    const rest = items.filter((_, at) => at !== index)
    return distinctOrders(rest).map((order) => [first, ...order])
  })
}
