// The provider's list against our books: what only one side has comes to light, by itself within a day or when asked.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import {
  OPERATOR_ENV,
  type OperatorCaller,
  operatorOf,
  ownerNamed,
} from '../../../../test/support/operator.js'
import { CHARGILY_KEY, createWorld, type World } from '../../../../test/support/world.js'
import { BillingError } from '../core/error.js'
import { statement } from '../database/database.js'
import { claimRound } from '../database/job-leases.js'
import { showUser } from './acts.js'
import { startReconciliation } from './reconcile.js'

const STATUS = '/api/v1/billing/status'
const DAY = 86_400

/** As if every webhook and every look had been missed: nothing is due any more. */
const stopLooking = statement('test.reconcile.stop_looking', 'update payments set next_check_at = null')
const forgetCheckout = statement(
  'test.reconcile.forget_checkout',
  `update payments set checkout_id = 'chk_the_provider_never_made'`,
)
const setAmount = statement('test.reconcile.set_amount', 'update payments set amount = $1::int')
const codeOf = (error: unknown) => (error instanceof BillingError ? error.code : String(error))
const selectLease = statement(
  'test.reconcile.lease',
  'select name, next_run_at from job_leases where name = $1',
)

describeScenario('the books compared', ({ database }) => {
  let world: World
  let operator: OperatorCaller
  beforeEach(async () => {
    world = await createWorld(database(), { env: OPERATOR_ENV })
    operator = operatorOf(world)
  })
  afterEach(() => world.stop())

  const reconcile = async (since = '2026-11-01') => (await operator.post('/reconciliations', { since })).body

  /** Money that reaches the provider past us: a checkout that another program made with our key. */
  async function foreignCheckout(metadata: object): Promise<string> {
    const response = await fetch(`${world.emulator.url}/test/api/v2/checkouts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CHARGILY_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 2000, currency: 'dzd', success_url: 'https://a.example/', metadata }),
    })
    const { id }: { id: string } = await response.json()
    await world.emulator.pay(id, 'paid')
    return id
  }

  it('agree when everything was booked', async () => {
    await world.as('user-1').buy()
    await world.as('user-2').upgrade()
    const { reconciliation, findings } = await reconcile()
    expect(reconciliation).toMatchObject({ since: '2026-10-31T23:00:00Z', started_by: 'amina', checkouts: 2 })
    expect(reconciliation.finished_at).toBe('2026-11-21T12:00:00Z')
    expect(findings).toEqual([])
  })

  it('are compared once for one operation, however often it is asked for', async () => {
    const by = { operator: ownerNamed('amina'), reason: null, operationId: 'one-click' }
    const wanted = { sinceAt: world.clock.now() - DAY * 1_000, booksUnknown: false }
    const start = () => startReconciliation(world.service.parts, wanted, by).then(() => 'begun', codeOf)
    const outcomes = [...(await Promise.all([start(), start(), start()])), await start()]
    expect(outcomes.sort()).toEqual(['begun', 'conflict', 'conflict', 'conflict'])
    const { data } = (await operator.get('/reconciliations')).body
    expect(data).toMatchObject([{ started_by: 'amina' }])
    const { audit } = (await operator.get('/sessions')).body
    expect(audit).toMatchObject([{ act: 'reconcile', after: { comparison_id: data[0].id } }])
  })

  it('show what was paid there and not booked here, and it is booked', async () => {
    world.emulator.setFaults({ drop: {} })
    const { paymentId } = await world.as('user-1').buy()
    await database().query(stopLooking)
    await world.advance(2 * 3_600)
    const { findings } = await reconcile()
    expect(findings).toMatchObject([
      { kind: 'paid_not_booked', outcome: 'booked', user_id: 'user-1', payment_id: paymentId },
    ])
    expect((await world.as('user-1').get(STATUS)).body.plan).toBe('pro')
    expect((await reconcile()).findings).toEqual([])
  })

  it('show what was booked here and not paid there', async () => {
    const { paymentId } = await world.as('user-1').buy()
    await database().query(forgetCheckout)
    const { findings } = await reconcile()
    expect(findings.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
      'booked_not_paid',
      // The checkout that really was paid carries our payment's id: to us it is a second one.
      'paid_not_booked',
    ])
    const missing = findings.find(({ kind }: { kind: string }) => kind === 'booked_not_paid')
    expect(missing).toMatchObject({ outcome: 'reported', payment_id: paymentId, user_id: 'user-1' })
  })

  it.each([900, 20_000])('show amounts that differ: ours is %i, theirs 2000', async (ours) => {
    const { paymentId } = await world.as('user-1').buy()
    await database().query(setAmount, [ours])
    const { findings } = await reconcile()
    expect(findings).toMatchObject([
      { kind: 'differs', payment_id: paymentId, details: { differences: { amount: [ours, 2000] } } },
    ])
  })

  it('show paid checkouts without a payment of ours, once each, however often they are compared', async () => {
    const unnamed = await foreignCheckout({})
    const named = await foreignCheckout({ payment_id: 'pay_of_another_service', user_id: 'unknown' })
    await reconcile()
    const { findings } = await reconcile()
    expect(findings).toMatchObject(
      [unnamed, named].sort().map((id) => ({
        kind: 'unknown_paid',
        outcome: 'unknown_checkout',
        user_id: null,
        checkout_id: id,
        details: { amount: 2000, provider_status: 'paid' },
      })),
    )
    expect((await operator.get('/reconciliations')).body.findings).toHaveLength(2)
  })

  it('are compared by themselves once a day, from a day after the first payment', async () => {
    world.emulator.setFaults({ drop: {} })
    const { paymentId } = await world.as('user-1').buy()
    await database().query(stopLooking)
    await world.advance(DAY - 1)
    expect((await operator.get('/reconciliations')).body.data).toEqual([])
    await world.advance(30)
    const first = (await operator.get('/reconciliations')).body
    expect(first.data).toMatchObject([{ started_by: 'schedule', finished_at: '2026-11-22T12:00:29Z' }])
    expect(first.findings).toMatchObject([{ outcome: 'booked', payment_id: paymentId }])
    await world.advance(DAY - 60)
    expect((await operator.get('/reconciliations')).body.data).toHaveLength(1)
    await world.advance(60)
    expect((await operator.get('/reconciliations')).body.data).toHaveLength(2)
    const metrics = await world.service.metrics.render()
    expect(metrics.text).toContain(
      'ishtirak_comparison_findings_total{kind="paid_not_booked",outcome="booked"} 1',
    )
  })

  it('are walked in rounds of five calls, and the walk goes on in another process', async () => {
    await world.as('user-1').buy()
    // 300 checkouts are six pages of 50; ours, the oldest, is on the seventh.
    for (let made = 0; made < 300; made += 50) {
      await Promise.all(Array.from({ length: 50 }, () => foreignCheckoutUnpaid()))
    }
    const { reconciliation } = await reconcile()
    expect(reconciliation).toMatchObject({ finished_at: null, calls: 5, checkouts: 250 })
    const path = `/reconciliations/${reconciliation.id}/continue`
    expect((await operator.post(path)).body.reconciliation.calls).toBe(5) // not time yet
    const other = await createWorld(database(), {
      clock: world.clock,
      emulator: world.emulator,
      env: OPERATOR_ENV,
    })
    await other.advance(30)
    await other.stop()
    const { body } = await operator.get('/reconciliations')
    expect(body.data).toMatchObject([{ calls: 7, checkouts: 301, finished_at: '2026-11-21T12:00:30Z' }])
  })

  it('wait while the provider is in trouble, and lose nothing', async () => {
    await world.as('user-1').buy()
    world.emulator.setFaults({ api_5xx: {} })
    const { reconciliation } = await reconcile()
    expect(reconciliation).toMatchObject({ finished_at: null, calls: 0 })
    world.emulator.clearFaults()
    await world.advance(30)
    expect((await operator.get('/reconciliations')).body.data[0].finished_at).not.toBeNull()
  })

  it.each(['yesterday', '2026-02-31T00:00:00Z', '2026-13-01', '', '0000-01-01', '1969-12-31T23:59:59Z'])(
    'refuse %j as a beginning',
    async (since) => {
      const answer = await operator.post('/reconciliations', { since })
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
    },
  )

  async function foreignCheckoutUnpaid(): Promise<void> {
    const response = await fetch(`${world.emulator.url}/test/api/v2/checkouts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CHARGILY_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 100, currency: 'dzd', success_url: 'https://a.example/' }),
    })
    expect(response.status).toBe(200)
  }
})

describeScenario('a job of the whole cluster', ({ database }) => {
  let world: World
  let other: World
  beforeEach(async () => {
    world = await createWorld(database())
    other = await createWorld(database(), { clock: world.clock, emulator: world.emulator })
  })
  afterEach(async () => {
    await other.stop()
    await world.stop()
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
  })

  it('goes on when the process that held the round is gone', async () => {
    expect(await claims([other])).toEqual([true])
    await other.stop()
    world.clock.advance(10_000)
    expect(await claims([world])).toEqual([true])
  })

  it('is not held by a clock that ran far ahead', async () => {
    const ahead = await createWorld(database(), { emulator: world.emulator })
    ahead.clock.advance(365 * DAY * 1_000)
    expect(await claims([ahead])).toEqual([true])
    await ahead.stop()
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
