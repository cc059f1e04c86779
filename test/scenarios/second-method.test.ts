// A second gateway beside Chargily, which lists nothing and pushes nothing: what it takes is settled by looks
// alone, neither disturbs the other, and where the first opens no page the next one does.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createChargily } from '../../packages/ishtirak/src/checkout/gateways/chargily/chargily.js'
import { readStatus } from '../../packages/ishtirak/src/checkout/status.js'
import { checkDuePayments } from '../../packages/ishtirak/src/checkout/sweep.js'
import { createUpgradeState, upgrade } from '../../packages/ishtirak/src/checkout/upgrade.js'
import { webhookRoutes } from '../../packages/ishtirak/src/checkout/webhook.route.js'
import { ROUND_MS, reconcileDaily } from '../../packages/ishtirak/src/compare/reconcile.js'
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
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { describeScenario } from '../support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../support/operator.js'
import { createPretendMethod, LOST, type PretendMethod } from '../support/pretend-method.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, createWorld, type World } from '../support/world.js'

const USER = 'user-1'
/** Where nothing listens. */
const AWAY = 'http://127.0.0.1:9'
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
  `select user_id, method, status from payments order by created_at, method`,
)
const selectFindings = statement(
  'test.second_method.findings',
  `select c.method, c.finished_at is not null as is_finished, f.kind, f.checkout_id
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
  const status = async (userId = USER) => {
    const { plan, status, currentPeriodEnd, instrument } = await readStatus(deps, userId)
    return [plan.id, status, currentPeriodEnd && new Date(currentPeriodEnd).toISOString(), instrument]
  }
  const statuses = async (userId?: string) =>
    (await database().query(selectPayments))
      .filter(({ user_id }) => userId === undefined || user_id === userId)
      .map(({ method, status }) => `${method} ${status}`)
  const pass = (ms: number) => world.advance(ms / 1_000)
  const sweep = () => checkDuePayments(deps, 100)

  it('opens a checkout, and the one who comes back from paying has the plan at once', async () => {
    const { checkoutUrl } = await buy()
    expect(checkoutUrl).toBe('https://gateway.example/order-1')
    expect(await buy()).toMatchObject({ checkoutUrl })
    gateway.pay('order-1')
    expect(await status()).toEqual(['pro', 'active', '2026-12-21T12:00:00.000Z', 'cib_edahabia'])
    expect(await statuses()).toEqual(['pretend paid'])
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

  describe('beside Chargily', () => {
    it('has a place for an open payment with it, whichever is asked first', async () => {
      const { checkoutUrl } = await world.as(USER).upgrade()
      expect(await buy()).toMatchObject({ checkoutUrl })
      expect(await statuses()).toEqual(['chargily pending'])
    })

    it('is compared by asking about each payment, also where Chargily names a checkout alike', async () => {
      const { checkoutId } = await world.as(USER).buy()
      await pass(25 * DAY)
      gateway.nextOrderId(checkoutId)
      await buy(withGateways(gateway.method))
      gateway.pay(checkoutId)
      await status()
      gateway.forget(checkoutId)
      const getCheckout = async () => ({ ok: true, value: null }) as const
      deps = withGateways(gateway.method, { ...chargily, list: null, getCheckout })
      for (const ms of [DAY, ROUND_MS]) {
        await pass(ms)
        await reconcileDaily(deps)
      }
      const found = { kind: 'booked_not_paid', checkout_id: checkoutId, is_finished: true }
      expect(await database().query(selectFindings)).toMatchObject([
        { ...found, method: 'chargily' },
        { ...found, method: 'pretend' },
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

    const as = (account: { secretKey?: string; apiUrl?: string }): PaymentMethod =>
      createChargily({ secretKey: CHARGILY_KEY, apiUrl: world.emulator.url, ...account })

    it('opens the page where Chargily opens none, and there is one that takes money', async () => {
      await buy(deps, 'user-of-chargily')
      expect([await statuses(), gateway.orders()]).toEqual([['chargily pending'], []])
      const refuses = as({ secretKey: 'test_sk_of_no_account' })
      for (const [index, [first, faults]] of [
        [refuses, {}] as const,
        [as({ apiUrl: AWAY }), {}] as const,
        [chargily, { api_429: { times: 1 } }] as const,
        // It may have opened one, and it did, and its answer was lost.
        [chargily, { api_5xx: { times: 1 } }] as const,
        [chargily, { api_timeout_after: { times: 1 } }] as const,
      ].entries()) {
        const [user, order] = [`user-${index}`, `order-${index + 1}`]
        world.emulator.setFaults(faults)
        deps = withGateways(first, gateway.method)
        const page = { checkoutUrl: `https://gateway.example/${order}` }
        expect(await buy(deps, user)).toMatchObject(page)
        world.emulator.clearFaults()
        expect(await buy(deps, user)).toMatchObject(page)
        expect(await statuses(user)).toEqual(['chargily canceled', 'pretend pending'])
        await sweep()
        gateway.pay(order)
        expect((await status(user)).slice(0, 2)).toEqual(['pro', 'active'])
        expect(await statuses(user)).toEqual(['chargily canceled', 'pretend paid'])
      }
      const open = world.emulator.checkouts().filter(({ status }) => status === 'pending')
      expect(open.map(({ metadata }) => Object(metadata).user_id)).toEqual(['user-of-chargily'])
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
      deps = withGateways(as({ apiUrl: AWAY }), gateway.method)
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
      const processes = [1, 2, 3].map(() => withGateways(as({ apiUrl: AWAY }), gateway.method))
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
      const away = createChargily({ secretKey: CHARGILY_KEY, apiUrl: AWAY })
      const gateways = watchGateways([away, gateway.method])
      const checks = await examineService(
        world.config,
        { database: database(), clock: world.clock },
        { gateways, brought: [] },
      )
      const found = checks.filter(({ subject }) => subject === 'provider')
      const verdicts = found.map(({ verdict, data }) => `${verdict} ${data.gateway}`)
      expect(verdicts).toEqual(['fail chargily', 'ok pretend'])
      expect(found[1]?.found).toMatch(/^pretend: /)
      const metrics = createMetrics({ processMetrics: false })
      publishGauges(metrics, { ...deps, examinedGateways: gateways })
      const read = () => metrics.registry.getSingleMetricAsString('ishtirak_provider_up')
      await waitFor(async () => (await read()).includes('ishtirak_provider_up{gateway="chargily"} 0'))
      expect(await read()).toContain('ishtirak_provider_up{gateway="pretend"} 1')
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
    for (const [traits, message] of [
      [{ name: 'chargily' }, 'one name'],
      [{ live: true }, 'real money'],
      [{ webhook: PUSHED }, 'one webhook address'],
      [{ looksAfterMs: [] }, 'must rise'],
      // Not for longer than a day.
      [{ looksAfterMs: [MINUTE, DAY + MINUTE + 1] }, 'must rise'],
    ] as const) {
      const odd = { ...gateway.method, ...traits }
      expect.soft(() => createPaymentMethods(chargily, odd), JSON.stringify(traits)).toThrow(message)
    }
  })
})
