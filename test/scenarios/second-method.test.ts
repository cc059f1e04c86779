// A second payment method beside Chargily, which lists nothing and pushes nothing: what it takes is settled by looks alone,
// and neither method disturbs the other.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readStatus } from '../../packages/ishtirak/src/checkout/status.js'
import { checkDuePayments } from '../../packages/ishtirak/src/checkout/sweep.js'
import { upgrade } from '../../packages/ishtirak/src/checkout/upgrade.js'
import { ROUND_MS, reconcileDaily } from '../../packages/ishtirak/src/compare/reconcile.js'
import { DAY, MINUTE } from '../../packages/ishtirak/src/core/instant.js'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { createPaymentMethods } from '../../packages/ishtirak/src/ledger/method.js'
import { createCalendar } from '../../packages/ishtirak/src/runtime/calendar.js'
import { movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { describeScenario } from '../support/databases.js'
import { createPretendMethod, type PretendMethod } from '../support/pretend-method.js'
import { createWorld, type World } from '../support/world.js'

const USER = 'user-1'

const selectPayments = statement(
  'test.second_method.payments',
  `select method, status, method_reference as checkout_id, instrument as payment_method
     from payments order by created_at, method`,
)
const selectFindings = statement(
  'test.second_method.findings',
  `select c.method, c.calls, c.finished_at is not null as is_finished, f.kind, f.checkout_id
     from comparisons c left join comparison_findings f on f.comparison_id = c.id order by c.method`,
)

describeScenario('a second payment method', ({ database }) => {
  let world: World
  let gateway: PretendMethod
  let deps: World['service']['parts']
  beforeEach(async () => {
    world = await createWorld(database(), { withoutJobs: true })
    gateway = createPretendMethod(world.clock)
    const { parts } = world.service
    deps = { ...parts, methods: createPaymentMethods(parts.methods.primary, gateway.method) }
  })
  afterEach(() => world.stop())

  const buy = async () => {
    const request = { user: { userId: USER }, planId: 'pro', method: 'pretend', locale: 'fr' } as const
    return upgrade(deps, request)
  }
  const status = async () => {
    const { plan, status, currentPeriodEnd, instrument } = await readStatus(deps, USER)
    return [plan.id, status, currentPeriodEnd && new Date(currentPeriodEnd).toISOString(), instrument]
  }
  const statuses = async () =>
    (await database().query(selectPayments)).map(({ method, status }) => `${method} ${status}`)
  const pass = (ms: number) => world.advance(ms / 1_000)
  const sweep = () => checkDuePayments(deps, 100)

  it('opens a checkout, and the one who comes back from paying has the plan at once', async () => {
    const { checkoutUrl } = await buy()
    expect(checkoutUrl).toBe('https://gateway.example/order-1')
    expect(await buy()).toMatchObject({ checkoutUrl })
    gateway.pay('order-1')
    expect(await status()).toEqual(['pro', 'active', '2026-12-21T12:00:00.000Z', 'cib_edahabia'])
    expect(await database().query(selectPayments)).toEqual([
      { method: 'pretend', status: 'paid', checkout_id: 'order-1', payment_method: 'cib_edahabia' },
    ])
  })

  it('is settled by the sweep alone, in the method’s own time and before the gateway undoes it', async () => {
    await buy()
    await pass(30_000)
    gateway.pay('order-1')
    // Chargily's first look is after a minute, this method's after two.
    await pass(60_000)
    expect(await sweep()).toBe(0)
    await pass(30_000)
    expect(await sweep()).toBe(1)
    expect(await statuses()).toEqual(['pretend paid'])
    await pass(DAY)
    // A day later the gateway still calls it paid.
    expect(await gateway.method.getCheckout('order-1')).toMatchObject({ value: { status: 'paid' } })
    expect(await status()).toEqual(['pro', 'active', '2026-12-21T12:00:30.000Z', 'cib_edahabia'])
  })

  it('whose answer was lost is ordered again, and there is one order', async () => {
    gateway.loseNextAnswer()
    await expect(buy()).rejects.toMatchObject({ code: 'provider_unavailable' })
    expect(await statuses()).toEqual(['pretend requested'])
    expect(await buy()).toMatchObject({ checkoutUrl: 'https://gateway.example/order-1' })
    expect(gateway.orders()).toEqual(['order-1'])
  })

  it.each([
    ['Africa/Algiers', '2027-08-31T12:00:00Z', 6, '2028-02-29T12:00:00.000Z'],
    ['Africa/Algiers', '2026-12-31T23:30:00Z', 12, '2027-12-31T23:30:00.000Z'],
    // Summer time begins in Paris on 28 March 2027: noon stays noon, and 02:30, which that night lacks, is 03:30.
    ['Europe/Paris', '2026-12-15T11:00:00Z', 6, '2027-06-15T10:00:00.000Z'],
    ['Europe/Paris', '2026-12-28T01:30:00Z', 3, '2027-03-28T01:30:00.000Z'],
  ])('sells terms by the calendar of %s: from %s, %i months', async (zone, start, months, end) => {
    const clock = movableClock(Date.parse(start))
    const there = createPretendMethod(clock)
    const { parts } = world.service
    const rules = { ...parts.rules, calendar: createCalendar(zone) }
    const { plans } = parts.catalogue
    const terms = [{ months, price: 5000 }]
    const catalogue = {
      ...parts.catalogue,
      plans: plans.map((plan) => (plan.price ? { ...plan, terms } : plan)),
    }
    deps = { ...parts, clock, rules, catalogue, methods: createPaymentMethods(there.method) }
    await upgrade(deps, { user: { userId: USER }, planId: 'pro', months, mode: 'payment', locale: 'fr' })
    there.pay('order-1')
    expect(await status()).toEqual(['pro', 'active', end, 'cib_edahabia'])
  })

  it('that is never paid is looked at until its last look, and then no more', async () => {
    await buy()
    await pass(15 * MINUTE)
    await sweep()
    expect(await statuses()).toEqual(['pretend expired'])
    const looks = gateway.looks()
    await pass(DAY)
    expect([await sweep(), gateway.looks()]).toEqual([0, looks])
  })

  describe('beside Chargily', () => {
    it('has a place of its own for an open payment, and both that are paid count', async () => {
      const { checkoutId } = await world.as(USER).upgrade()
      await buy()
      expect(await statuses()).toEqual(['chargily pending', 'pretend pending'])
      gateway.pay('order-1')
      await world.emulator.pay(checkoutId, 'paid')
      await world.emulator.settled()
      await pass(2 * MINUTE)
      await sweep()
      expect(await statuses()).toEqual(['chargily paid', 'pretend paid'])
      expect((await status()).slice(0, 3)).toEqual(['pro', 'active', '2027-01-21T12:00:00.000Z'])
    })

    it('may use the same id for another checkout', async () => {
      const { checkoutId } = await world.as(USER).upgrade()
      gateway.nextOrderId(checkoutId)
      await buy()
      gateway.pay(checkoutId)
      await pass(2 * MINUTE)
      await sweep()
      expect(await statuses()).toEqual(['chargily canceled', 'pretend paid'])
      const payments = await database().query(selectPayments)
      expect(payments.map((row) => row.checkout_id)).toEqual([checkoutId, checkoutId])
    })

    it('is compared by asking about each of our payments, since it lists none', async () => {
      await world.as(USER).buy()
      await pass(25 * DAY)
      await buy()
      gateway.pay('order-1')
      await status()
      gateway.forget('order-1')
      await pass(DAY)
      await reconcileDaily(deps)
      await pass(ROUND_MS)
      await reconcileDaily(deps)
      expect(await database().query(selectFindings)).toEqual([
        expect.objectContaining({ method: 'chargily', is_finished: true, kind: null }),
        expect.objectContaining({
          method: 'pretend',
          is_finished: true,
          kind: 'booked_not_paid',
          checkout_id: 'order-1',
        }),
      ])
    })
  })

  it('that is not configured any more leaves its payments as they are until it is again', async () => {
    await buy()
    gateway.pay('order-1')
    await pass(2 * MINUTE)
    const without = world.service.parts
    expect((await readStatus(without, USER)).plan.id).toBe('free')
    expect(await checkDuePayments(without, 100)).toBe(1)
    expect(await statuses()).toEqual(['pretend pending'])
    await pass(2 * MINUTE)
    await sweep()
    expect(await statuses()).toEqual(['pretend paid'])
  })

  it.each([
    ['has the name of another', { name: 'chargily' }, 'one name'],
    ['is never looked at', { looksAfterMs: [] }, 'must rise'],
    ['is not looked at for longer than a day', { looksAfterMs: [MINUTE, DAY + MINUTE + 1] }, 'must rise'],
    ['is looked at only after the gateway has undone it', { looksAfterMs: [20 * MINUTE] }, 'acknowledged'],
    ['leaves a gap that is as long', { looksAfterMs: [2 * MINUTE, 22 * MINUTE] }, 'acknowledged'],
    ['is not looked at after its end', { looksAfterMs: [2 * MINUTE, 14 * MINUTE] }, 'acknowledged'],
  ])('that %s is refused at the start', (_name, traits, message) => {
    const odd = { ...gateway.method, ...traits }
    expect(() => createPaymentMethods(world.service.parts.methods.primary, odd)).toThrow(message)
  })
})
