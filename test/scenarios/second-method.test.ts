// A second gateway beside Chargily, which lists nothing and pushes nothing: what it takes is settled by looks
// alone, neither disturbs the other, and where the first opens no page the next one does.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createChargily } from '../../packages/ishtirak/src/checkout/gateways/chargily/chargily.js'
import { readStatus } from '../../packages/ishtirak/src/checkout/status.js'
import { checkDuePayments } from '../../packages/ishtirak/src/checkout/sweep.js'
import { createUpgradeState, upgrade } from '../../packages/ishtirak/src/checkout/upgrade.js'
import { webhookRoutes } from '../../packages/ishtirak/src/checkout/webhook.route.js'
import {
  ROUND_MS,
  reconcileDaily,
  startReconciliation,
} from '../../packages/ishtirak/src/compare/reconcile.js'
import { DAY, MINUTE, SECOND } from '../../packages/ishtirak/src/core/instant.js'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { createApp } from '../../packages/ishtirak/src/http/app.js'
import { createMetrics } from '../../packages/ishtirak/src/http/metrics.js'
import {
  createPaymentMethods,
  type PaymentMethod,
  type Webhook,
} from '../../packages/ishtirak/src/ledger/method.js'
import { publishGauges } from '../../packages/ishtirak/src/main/gauges.js'
import { examineService, watchGateways } from '../../packages/ishtirak/src/overview/examine.js'
import { createCalendar } from '../../packages/ishtirak/src/runtime/calendar.js'
import { movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { describeScenario } from '../support/databases.js'
import { OPERATOR_ENV, operatorOf, ownerNamed } from '../support/operator.js'
import { createPretendMethod, LOST, type PretendMethod } from '../support/pretend-method.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, createWorld, type World } from '../support/world.js'

const USER = 'user-1'
/** At Chargily's address. */
const PUSHED: Webhook = {
  path: '/api/v1/billing/webhook',
  signatureHeader: 'signature',
  isFromAfar: false,
  operation: { operationId: 'receivePretendEvent', description: 'Called by the pretend gateway.' },
  verifySignature: (_body, signature) => signature === 'right',
  readEvent: () => null,
}

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

describeScenario('a second gateway', ({ database }) => {
  let world: World
  let chargily: PaymentMethod
  let gateway: PretendMethod
  let deps: World['service']['parts']
  beforeEach(async () => {
    world = await createWorld(database(), { withoutJobs: true, env: OPERATOR_ENV })
    gateway = createPretendMethod(world.clock)
    chargily = world.service.parts.methods.of('chargily')
    deps = withGateways(gateway.method, chargily)
  })
  afterEach(() => world.stop())

  /** Of a process of its own, in the order in which they are asked. */
  const withGateways = (...gateways: readonly PaymentMethod[]) => ({
    ...world.service.parts,
    upgrades: createUpgradeState(database()),
    methods: createPaymentMethods(...gateways),
  })
  const buy = (process = deps, userId = USER) =>
    upgrade(process, { user: { userId }, planId: 'pro', locale: 'fr' })
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
    deps = withGateways(gateway.method)
    gateway.loseNextAnswer()
    await expect(buy()).rejects.toMatchObject({ code: 'provider_unavailable' })
    expect(await statuses()).toEqual(['pretend requested'])
    expect(await buy()).toMatchObject({ checkoutUrl: 'https://gateway.example/order-1' })
    expect(gateway.orders()).toEqual(['order-1'])
  })

  it.each([
    ['Africa/Algiers', '2027-08-31T12:00:00Z', 6, '2028-02-29T12:00:00.000Z'],
    ['Africa/Algiers', '2026-12-31T23:30:00Z', 12, '2027-12-31T23:30:00.000Z'],
    // Summer time begins in Paris on 28 March 2027: noon stays noon, and 02:30, which that night lacks, is
    // 03:30.
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

  it('is looked at within bounds of its own', async () => {
    for (const userId of ['user-2', 'user-3']) await world.as(userId).upgrade()
    await pass(MINUTE)
    await buy()
    gateway.pay('order-1')
    // Chargily's are due since a minute when this one is.
    await pass(2 * MINUTE)
    expect(await checkDuePayments(deps, 1)).toBe(2)
    expect(await statuses()).toContain('pretend paid')
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
    it('has a place for an open payment with it, whichever is asked first', async () => {
      const { checkoutUrl } = await world.as(USER).upgrade()
      expect(await buy()).toMatchObject({ checkoutUrl })
      expect(await statuses()).toEqual(['chargily pending'])
    })

    it('and a page that was given out while only one was configured: both that are paid count', async () => {
      await buy()
      const { checkoutId } = await world.as(USER).upgrade()
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
      await buy(withGateways(gateway.method))
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

    it('has findings of its own, also about a checkout that Chargily names alike', async () => {
      const { checkoutId } = await world.as(USER).buy()
      await pass(25 * DAY)
      gateway.nextOrderId(checkoutId)
      await buy(withGateways(gateway.method))
      gateway.pay(checkoutId)
      await status()
      gateway.forget(checkoutId)
      const wiped: PaymentMethod = {
        ...chargily,
        list: null,
        getCheckout: async () => ({ ok: true, value: null }),
      }
      deps = withGateways(gateway.method, wiped)
      await pass(DAY)
      await reconcileDaily(deps)
      await pass(ROUND_MS)
      await reconcileDaily(deps)
      const found = { kind: 'booked_not_paid', checkout_id: checkoutId }
      const [ofChargily, ofPretend] = [{ method: 'chargily' }, { method: 'pretend' }]
      expect(await database().query(selectFindings)).toMatchObject([
        { ...found, ...ofChargily },
        { ...found, ...ofPretend },
      ])
      const operator = operatorOf(world)
      const { body } = await operator.post(`/findings/${checkoutId}/close`, {
        ...{ kind: found.kind, gateway: 'chargily', why: 'its test data were wiped' },
      })
      expect(body).toMatchObject({ gateway: 'chargily', closed_by: 'amina' })
      const { data } = (await operator.get('/inbox?kind=finding')).body
      expect(data).toMatchObject([{ id: `${found.kind} pretend ${checkoutId} ${USER}` }])
    })
  })

  describe('asked after Chargily', () => {
    beforeEach(() => {
      deps = withGateways(chargily, gateway.method)
    })

    it('is not asked while Chargily opens a page', async () => {
      await buy()
      expect([await statuses(), gateway.orders()]).toEqual([['chargily pending'], []])
    })

    const fault = (faults: Parameters<World['emulator']['setFaults']>[0]) => (): PaymentMethod => {
      world.emulator.setFaults(faults)
      return chargily
    }
    const as = (account: { secretKey?: string; apiUrl?: string }) => (): PaymentMethod =>
      createChargily({ secretKey: CHARGILY_KEY, apiUrl: world.emulator.url, ...account })
    it.each([
      ['refuses the key', as({ secretKey: 'test_sk_of_no_account' })],
      ['is not there', as({ apiUrl: 'http://127.0.0.1:9' })],
      ['has had too many calls', fault({ api_429: { times: 1 } })],
      ['fails, and may have opened one', fault({ api_5xx: { times: 1 } })],
      ['opened one, and its answer was lost', fault({ api_timeout_after: { times: 1 } })],
    ])('opens the page where Chargily %s; there is one that takes money', async (_name, first) => {
      deps = withGateways(first(), gateway.method)
      expect(await buy()).toMatchObject({ checkoutUrl: 'https://gateway.example/order-1' })
      world.emulator.clearFaults()
      expect(await buy()).toMatchObject({ checkoutUrl: 'https://gateway.example/order-1' })
      expect(await statuses()).toEqual(['chargily canceled', 'pretend pending'])
      await sweep()
      expect(world.emulator.checkouts().filter(({ status }) => status === 'pending')).toEqual([])
      gateway.pay('order-1')
      expect((await status()).slice(0, 2)).toEqual(['pro', 'active'])
      expect(await statuses()).toEqual(['chargily canceled', 'pretend paid'])
    })

    it('takes over what Chargily was asked for before and does not say what became of', async () => {
      world.emulator.setFaults({ api_timeout_after: { times: 1 } })
      await expect(buy(withGateways(chargily))).rejects.toMatchObject({ code: 'provider_unavailable' })
      expect(await statuses()).toEqual(['chargily requested'])
      world.emulator.setFaults({ api_5xx: {} })
      await buy()
      expect(await statuses()).toEqual(['chargily canceled', 'pretend pending'])
      await sweep()
      world.emulator.clearFaults()
      await pass(2 * MINUTE)
      await sweep()
      expect(world.emulator.checkouts()).toMatchObject([{ status: 'expired' }])
      expect(await statuses()).toEqual(['chargily canceled', 'pretend pending'])
    })

    it('is asked by the next click where Chargily took long to fail, and first for a minute', async () => {
      let asked = 0
      const slow: PaymentMethod = {
        ...chargily,
        createCheckout: async () => {
          asked += 1
          world.clock.advance(4 * SECOND)
          return LOST
        },
      }
      deps = withGateways(slow, gateway.method)
      await expect(buy()).rejects.toMatchObject({ code: 'provider_unavailable' })
      expect([await statuses(), asked]).toEqual([['chargily canceled'], 1])
      await buy()
      await buy(deps, 'user-2')
      expect([gateway.orders(), asked]).toEqual([['order-1', 'order-2'], 1])
      world.clock.advance(MINUTE)
      await expect(buy(deps, 'user-3')).rejects.toMatchObject({ code: 'provider_unavailable' })
      expect(asked).toBe(2)
    })

    it('keeps the place where it does not answer either, and the next click finds the order', async () => {
      deps = withGateways(as({ apiUrl: 'http://127.0.0.1:9' })(), gateway.method)
      gateway.loseNextAnswer()
      await expect(buy()).rejects.toMatchObject({ code: 'provider_unavailable' })
      expect(await statuses()).toEqual(['chargily canceled', 'pretend requested'])
      await buy()
      expect(gateway.orders()).toEqual(['order-1'])
    })

    it('takes an amount that is too small for Chargily', async () => {
      deps = withGateways({ ...chargily, leastAmount: 2_001 }, gateway.method)
      await buy()
      expect([await statuses(), world.emulator.checkouts()]).toEqual([['pretend pending'], []])
    })

    it('opens one page for clicks on several processes at once', async () => {
      const processes = [1, 2, 3].map(() =>
        withGateways(as({ apiUrl: 'http://127.0.0.1:9' })(), gateway.method),
      )
      const pages = await Promise.all(processes.map((process) => buy(process)))
      expect(new Set(pages.map(({ checkoutUrl }) => checkoutUrl)).size).toBe(1)
      const open = (await statuses()).filter((one) => !one.endsWith('canceled'))
      expect([open, gateway.orders()]).toEqual([['pretend pending'], ['order-1']])
    })
  })

  describe('for those who run the service', () => {
    it('has a webhook of its own address and header', async () => {
      await buy()
      gateway.pay('order-1')
      const asked = await gateway.method.getCheckout('order-1')
      const report = asked.ok ? asked.value : null
      const webhook: Webhook = {
        ...PUSHED,
        path: '/api/v1/billing/webhook/pretend',
        signatureHeader: 'x-pretend',
        readEvent: () => ({ id: 'event-1', type: 'paid', report, createdAt: null }),
      }
      const methods = createPaymentMethods(chargily, { ...gateway.method, webhook })
      const { metrics, app: inner } = world.service
      expect(inner.hasRoute({ method: 'POST', url: '/api/v1/billing/webhook' })).toBe(true)
      const limitAnonymous = () => undefined
      const options = { trustedProxies: [], metrics, limitAnonymous, publicUrl: deps.publicUrl }
      const app = createApp({ ...options, log: createLog({ level: 'silent' }) })
      await app.register(webhookRoutes({ ...deps, methods, limitAnonymous }))
      const send = async (url: string, headers: Record<string, string>) =>
        (await app.inject({ method: 'POST', url, headers, payload: '{}' })).statusCode
      expect(await send('/api/v1/billing/webhook', { 'x-pretend': 'right' })).toBe(401)
      expect(await send(webhook.path, { signature: 'right' })).toBe(401)
      expect(await statuses()).toEqual(['pretend pending'])
      expect(await send(webhook.path, { 'x-pretend': 'right' })).toBe(200)
      expect(await statuses()).toEqual(['pretend paid'])
      await app.close()
    })

    it('is named in checks and figures beside the other', async () => {
      const away = createChargily({ secretKey: CHARGILY_KEY, apiUrl: 'http://127.0.0.1:9' })
      const gateways = watchGateways([away, gateway.method])
      const checks = await examineService(
        world.config,
        { database: database(), clock: world.clock },
        { gateways, brought: [] },
      )
      const found = checks.filter(({ subject }) => subject === 'provider')
      expect(found.map(({ verdict, data }) => [verdict, data.gateway])).toEqual([
        ['fail', 'chargily'],
        ['ok', 'pretend'],
      ])
      expect(found[1]?.found).toMatch(/^pretend: /)
      const metrics = createMetrics({ processMetrics: false })
      publishGauges(metrics, { ...deps, examinedGateways: gateways }, { workers: 1 })
      const read = () => metrics.registry.getSingleMetricAsString('ishtirak_provider_up')
      await waitFor(async () => (await read()).includes('ishtirak_provider_up{gateway="chargily"} 0'))
      expect(await read()).toContain('ishtirak_provider_up{gateway="pretend"} 1')
    })

    it('is compared when an operator names it', async () => {
      const wanted = { sinceAt: world.clock.now() - DAY, booksUnknown: false }
      const compare = (gateway: string) =>
        startReconciliation(deps, { ...wanted, gateway }, { operator: ownerNamed('amina'), reason: null })
      await compare('pretend')
      await compare('chargily')
      await expect(compare('another')).rejects.toMatchObject({ code: 'unknown_method' })
      const methods = (await database().query(selectFindings)).map(({ method }) => method)
      expect(methods).toEqual(['chargily', 'pretend'])
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

  it('that nobody could look at, or that is mixed up with another, is refused at the start', () => {
    for (const [_name, traits, message] of [
      ['has the name of another', { name: 'chargily' }, 'one name'],
      ['moves real money beside one that does not', { live: true }, 'real money'],
      ['has the webhook address of another', { webhook: PUSHED }, 'one webhook address'],
      ['is never looked at', { looksAfterMs: [] }, 'must rise'],
      ['is not looked at for longer than a day', { looksAfterMs: [MINUTE, DAY + MINUTE + 1] }, 'must rise'],
      ['is looked at only after the gateway has undone it', { looksAfterMs: [20 * MINUTE] }, 'acknowledged'],
      ['leaves a gap that is as long', { looksAfterMs: [2 * MINUTE, 22 * MINUTE] }, 'acknowledged'],
      ['is not looked at after its end', { looksAfterMs: [2 * MINUTE, 14 * MINUTE] }, 'acknowledged'],
    ] as const) {
      const odd = { ...gateway.method, ...traits }
      expect.soft(() => createPaymentMethods(chargily, odd), String(_name)).toThrow(message)
    }
  })
})
