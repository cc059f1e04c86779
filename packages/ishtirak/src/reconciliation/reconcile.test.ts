// The provider's list and our books: a payment that only one side has is found within a day, or on request.

import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { openCheckout, payElsewhere } from '../../../../test/support/foreign-checkout.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { booksChangedTo, payOtherwise } from '../../../../test/support/other-amount.js'
import { sql } from '../../../../test/support/sql.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { claimRound } from '../database/job-leases.js'
import { showUser } from '../overview/read-files.js'

const STATUS = '/api/v1/billing/status'
const DAY = 86_400

/** Drops all lookups, as if every webhook and lookup had been missed. */
const stopLooking = sql('update payments set next_check_at = null')
const forgetCheckout = sql(`update payments set method_reference = 'chk_the_provider_never_made'`)
/**
 * Simulates the account of another seller: its list has none of our payments, and the provider knows none.
 */
const forgetEachCheckout = sql(`update payments set method_reference = 'chk_never_made_' || user_id`)
const selectLease = sql('select name, next_run_at from job_leases where name = $1')

describeWorldOnEach('the books compared', {}, ({ database, world, restart, beside }) => {
  const operator = operatorOf(world)

  const reconcile = async (since = '2026-11-01') =>
    (await operator.post('/reconciliations/start', { since })).body

  it('agree when everything was booked', async () => {
    await world.as('user-1').buy()
    await world.as('user-2').upgrade()
    const { reconciliation, discrepancies } = await reconcile()
    expect(reconciliation).toMatchObject({ since: '2026-10-31T23:00:00Z', started_by: 'amina', checkouts: 2 })
    expect(reconciliation.finished_at).toBe('2026-11-21T12:00:00Z')
    expect(discrepancies).toEqual([])
  })

  it('say what the provider does instead of answering, in the answer of the round', async () => {
    await world.as('user-1').buy()
    world.emulator.setFaults({ api_5xx: {} })
    const failed = await reconcile()
    expect(failed.failure).toMatchObject({
      reason: 'server_error',
      detail: expect.stringMatching(/^HTTP 50\d/),
    })
    expect(failed.reconciliation).toMatchObject({ finished_at: null, calls: 0 })
    world.emulator.clearFaults()
    world.clock.advance(30_000)
    const { body } = await operator.post(`/reconciliations/${failed.reconciliation.id}/continue`)
    expect(body.failure).toBeNull()
    expect(body.reconciliation.finished_at).not.toBeNull()
  })

  it('show what was paid there and not booked here, and it is booked', async () => {
    world.emulator.setFaults({ drop: {} })
    const { paymentId } = await world.as('user-1').buy()
    await database().query(stopLooking)
    await world.advance(2 * 3_600)
    const { discrepancies } = await reconcile()
    expect(discrepancies).toMatchObject([
      { kind: 'paid_not_booked', outcome: 'booked', user_id: 'user-1', payment_id: paymentId },
    ])
    expect((await world.as('user-1').get(STATUS)).body.plan).toBe('pro')
    expect((await reconcile()).discrepancies).toEqual([])
  })

  it('show what was booked here and not paid there', async () => {
    const { paymentId } = await world.as('user-1').buy()
    await database().query(forgetCheckout)
    const { discrepancies } = await reconcile()
    expect(discrepancies.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
      'booked_not_paid',
      // The checkout that was really paid has our payment's id, so it counts as a second one.
      'paid_not_booked',
    ])
    const missing = discrepancies.find(({ kind }: { kind: string }) => kind === 'booked_not_paid')
    expect(missing).toMatchObject({ outcome: 'reported', payment_id: paymentId, user_id: 'user-1' })
  })

  it('show amounts that differ, be ours the smaller or the larger one', async () => {
    const { paymentId } = await world.as('user-1').buy()
    for (const ours of [900, 20_000]) {
      await database().script(booksChangedTo(ours))
      await world.advance(60)
      const { discrepancies } = await reconcile()
      expect(discrepancies).toMatchObject([
        { kind: 'differs', payment_id: paymentId, details: { differences: { amount: [ours, 2000] } } },
      ])
    }
  })

  describe('show a discrepancy that a person closes', () => {
    const waiting = async () => (await operator.get('/inbox?kind=discrepancy')).body.data
    const close = (id: string) =>
      operator.post(`/discrepancies/${id}/close`, { why: 'the bank paid the rest by cheque' })
    let paymentId: string
    let checkoutId: string
    let id: string
    beforeEach(async () => {
      const bought = await world.as('user-1').buy()
      paymentId = bought.paymentId
      checkoutId = bought.checkoutId
      await database().script(booksChangedTo(900))
      const { discrepancies } = await reconcile()
      id = discrepancies[0].id
      const entry = { id, kind: 'discrepancy', detail: 'differs', payment_id: paymentId }
      expect(await waiting()).toMatchObject([entry])
    })

    it('with a reason, once: it is in the trail, waits no more, does not come back', async () => {
      expect((await close('dsc_of_another')).status).toBe(404)
      const all = await Promise.all([1, 2, 3, 4, 5].map(() => close(id)))
      expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
      const because = 'the bank paid the rest by cheque'
      const closed = { closed_at: '2026-11-21T12:00:00Z', closed_by: 'amina', closed_because: because }
      expect(all.find(({ status }) => status === 200)?.body).toMatchObject(closed)
      const { audit } = await operator.payment(paymentId)
      const before = { checkout_id: checkoutId, details: { differences: { amount: [900, 2000] } } }
      expect(audit.filter(({ act }: { act: string }) => act === 'discrepancy.close')).toMatchObject([
        { actor: 'amina', why: because, before },
      ])
      await world.advance(60)
      expect((await reconcile()).discrepancies).toMatchObject([
        { checkout_id: checkoutId, closed_by: 'amina' },
      ])
      expect(await waiting()).toEqual([])
    })

    it('and comes back where the provider or the books say something else', async () => {
      await close(id)
      await database().script(booksChangedTo(800))
      await world.advance(60)
      await reconcile()
      expect(await waiting()).toMatchObject([{ payment_id: paymentId }])
      const { discrepancies } = await reconcile()
      expect(discrepancies).toMatchObject([{ closed_at: null, closed_by: null, closed_because: null }])
    })
  })

  it('show nothing of a currency or an amount that an operator took', async () => {
    world.emulator.setFaults({ wrong_currency: { times: 1 }, false_checkout: { what: 'currency', times: 1 } })
    world.emulator.setFaults({ api_5xx: { scope: 'expire_checkout', times: 2 } })
    await world.as('user-1').post('/api/v1/billing/payments', { plan: 'pro' })
    const [made] = world.emulator.checkouts()
    await world.emulator.pay(made?.id ?? '', 'paid')
    await world.emulator.settled()
    const [{ id }] = (await world.as('user-1').get('/api/v1/billing/payments')).body.data
    const { payment } = (await operator.post(`/payments/${id}/accept`, { why: 'seen' })).body
    // Booked at the price, because the provider named another currency.
    expect(payment).toMatchObject({ status: 'paid', amount: 2000, amount_asked: null })
    const other = await payOtherwise(world, 'user-2', { charged: 1500 })
    await operator.post(`/payments/${other}/accept`, { why: 'the user was asked' })
    expect((await reconcile()).discrepancies).toEqual([])
  })

  it('show paid checkouts without a payment of ours, once each, however often compared', async () => {
    const unnamed = await payElsewhere(world, {})
    const named = await payElsewhere(world, { payment_id: 'pay_of_another_service', user_id: 'unknown' })
    await reconcile()
    const { discrepancies } = await reconcile()
    const unknown = { kind: 'unknown_paid', outcome: 'unknown_checkout', user_id: null }
    const details = { amount: 2000, provider_status: 'paid' }
    expect(discrepancies).toMatchObject(
      [unnamed, named].sort().map((id) => ({ ...unknown, checkout_id: id, details })),
    )
    expect((await operator.get('/reconciliations')).body.discrepancies).toHaveLength(2)
  })

  it('are compared by themselves once a day, from a day after the first payment', async () => {
    await restart({ isNew: true })
    world.emulator.setFaults({ drop: {} })
    const { paymentId } = await world.as('user-1').buy()
    await database().query(stopLooking)
    await world.advance(DAY - 1)
    expect((await operator.get('/reconciliations')).body.data).toEqual([])
    await world.advance(30)
    const first = (await operator.get('/reconciliations')).body
    expect(first.data).toMatchObject([{ started_by: 'schedule', finished_at: '2026-11-22T12:00:29Z' }])
    expect(first.discrepancies).toMatchObject([{ outcome: 'booked', payment_id: paymentId }])
    await world.advance(DAY - 60)
    expect((await operator.get('/reconciliations')).body.data).toHaveLength(1)
    await world.advance(60)
    expect((await operator.get('/reconciliations')).body.data).toHaveLength(2)
    const metrics = await world.service.metrics.render()
    expect(metrics.text).toContain('ishtirak_discrepancies_total{kind="paid_not_booked",outcome="booked"} 1')
  })

  it('are walked in rounds of five calls, and the walk goes on in another process', async () => {
    await world.as('user-1').buy()
    // 250 checkouts are five pages of 50; ours, the oldest, is on the sixth.
    await Promise.all(Array.from({ length: 250 }, () => openCheckout(world)))
    const { reconciliation } = await reconcile()
    expect(reconciliation).toMatchObject({ finished_at: null, calls: 5, checkouts: 250 })
    const path = `/reconciliations/${reconciliation.id}/continue`
    expect((await operator.post(path)).body.reconciliation.calls).toBe(5) // not time yet
    await (await beside()).advance(30)
    const { body } = await operator.get('/reconciliations')
    expect(body.data).toMatchObject([{ calls: 6, checkouts: 251, finished_at: '2026-11-21T12:00:30Z' }])
  })

  it('ask for every booked payment that the list lacks, over as many rounds as it takes', async () => {
    const users = ['user-1', 'user-2', 'user-3', 'user-4', 'user-5', 'user-6']
    for (const user of users) await world.as(user).buy()
    await database().query(forgetEachCheckout)
    // The first round uses one call for the list, so four of six are looked up.
    const { reconciliation, discrepancies } = await reconcile()
    expect(reconciliation).toMatchObject({ finished_at: null, calls: 5 })
    const missing = (all: readonly { kind: string; user_id: string }[]) =>
      all.flatMap(({ kind, user_id }) => (kind === 'booked_not_paid' ? user_id : [])).sort()
    expect(missing(discrepancies)).toHaveLength(4)
    await world.advance(30)
    const { data, discrepancies: all } = (await operator.get('/reconciliations')).body
    expect(data).toMatchObject([{ calls: 7, finished_at: '2026-11-21T12:00:30Z' }])
    expect(missing(all)).toEqual(users)
  })
})

describeWorldOnEach('a job of the whole cluster', {}, ({ database, world }) => {
  let other: World
  beforeEach(async () => {
    other = await createWorld(database(), { clock: world.clock, emulator: world.emulator })
    return () => other.stop()
  })

  const claims = (ofWorlds: readonly World[]) =>
    Promise.all(
      ofWorlds.map(({ service: { parts } }) => {
        const now = parts.clock.now()
        return claimRound(parts.database, 'a-job', { now, nextRunAt: now + 10_000 })
      }),
    )

  it('runs one round per interval, however many ask', async () => {
    const worlds = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? world : other))
    expect((await claims(worlds)).filter(Boolean)).toHaveLength(1)
    world.clock.advance(9_999)
    expect((await claims(worlds)).filter(Boolean)).toHaveLength(0)
    world.clock.advance(1)
    expect((await claims(worlds)).filter(Boolean)).toHaveLength(1)
    world.clock.advance(10_000)
    expect(await claims([other])).toEqual([true])
    await other.stop()
    world.clock.advance(10_000)
    expect(await claims([world])).toEqual([true])
  })

  it('keeps the sweep at 5 looks in 9 seconds, in two processes together', async () => {
    world.emulator.setFaults({ drop: {} })
    for (let user = 0; user < 12; user++) await world.as(`user-${user}`).buy()
    world.clock.advance(70_000)
    await Promise.all([world.service.runner.runAll(), other.service.runner.runAll()])
    const pro = async () => {
      const statuses = await Promise.all(
        Array.from({ length: 12 }, (_, user) => showUser(world.service.parts, `user-${user}`)),
      )
      return statuses.filter(({ subscription }) => subscription.plan.id === 'pro').length
    }
    expect(await pro()).toBe(5)
    const [lease] = await database().query(selectLease, ['check-due-payments'])
    expect(lease?.next_run_at).toBe(world.clock.now() + 9_000)
    world.clock.advance(9_000)
    await Promise.all([world.service.runner.runAll(), other.service.runner.runAll()])
    expect(await pro()).toBe(10)
  })
})
