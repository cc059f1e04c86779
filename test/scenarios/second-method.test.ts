// Another gateway than Chargily, over the port alone, which lists nothing and pushes nothing: what it takes
// is settled by looks, and where both have payments neither disturbs the other.

import { createChargily } from '../../packages/ishtirak/src/checkout/gateways/chargily/chargily.js'
import { readStatus } from '../../packages/ishtirak/src/checkout/status.js'
import { checkDuePayments } from '../../packages/ishtirak/src/checkout/sweep.js'
import { createUpgradeState, upgrade } from '../../packages/ishtirak/src/checkout/upgrade.js'
import { webhookRoutes } from '../../packages/ishtirak/src/checkout/webhook.route.js'
import { DAY, MINUTE } from '../../packages/ishtirak/src/core/instant.js'
import { createApp } from '../../packages/ishtirak/src/http/app.js'
import { createMetrics } from '../../packages/ishtirak/src/http/metrics.js'
import {
  createPaymentMethods,
  type PaymentMethod,
  type Webhook,
} from '../../packages/ishtirak/src/ledger/method.js'
import { publishGauges } from '../../packages/ishtirak/src/main/gauges.js'
import { examineService, watchGateways } from '../../packages/ishtirak/src/overview/examine.js'
import { ROUND_MS, reconcileDaily } from '../../packages/ishtirak/src/reconciliation/reconcile.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { describeWorld } from '../support/describe-world.js'
import { operatorOf } from '../support/operator.js'
import { createPretendMethod, type PretendMethod } from '../support/pretend-method.js'
import { sql } from '../support/sql.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, type World } from '../support/world.js'

const USER = 'user-1'
const AWAY = 'http://127.0.0.1:9'
const PUSHED: Webhook = {
  path: '/api/v1/billing/webhook',
  signatureHeader: 'signature',
  needsPublicAddress: false,
  operation: {
    operationId: 'receivePretendEvent',
    description: 'Called by the pretend gateway.',
    'x-body': {},
  },
  verifySignature: (_body, signature) => signature === 'right',
  readEvent: () => 'event_without_checkout',
}

const selectPayments = sql(`select user_id, method, status from payments order by created_at, method`)
const selectDiscrepancies =
  sql(`select c.method, c.finished_at is not null as is_finished, d.id, d.kind, d.checkout_id
     from reconciliations c left join discrepancies d on d.reconciliation_id = c.id order by c.method`)

describeWorld('another gateway', { withoutJobs: true }, ({ database, world }) => {
  let chargily: PaymentMethod
  let gateway: PretendMethod
  let deps: World['service']['parts']
  beforeEach(async () => {
    gateway = createPretendMethod(world.clock)
    chargily = world.service.parts.methods.of('chargily')
    deps = withGateways(gateway.method, chargily)
  })

  /** Of a process of its own, in the order in which they are asked. */
  const withGateways = (...gateways: readonly PaymentMethod[]) => ({
    ...world.service.parts,
    upgrades: createUpgradeState(world.service.parts),
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
      const discrepancies = await database().query(selectDiscrepancies)
      expect(discrepancies).toMatchObject([
        { ...found, method: 'chargily' },
        { ...found, method: 'pretend' },
      ])
      const operator = operatorOf(world)
      const [first, second] = discrepancies
      const why = 'its test data were wiped'
      const { body } = await operator.post(`/discrepancies/${first?.id}/close`, { why })
      expect(body).toMatchObject({ gateway: 'chargily', closed_by: 'amina' })
      const { data } = (await operator.get('/inbox?kind=discrepancy')).body
      expect(data).toMatchObject([{ id: second?.id }])
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
        { gateways, capabilities: [] },
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
      [{ lookupsAfterMs: [] }, 'must rise'],
      // Not for longer than a day.
      [{ lookupsAfterMs: [MINUTE, DAY + MINUTE + 1] }, 'must rise'],
    ] as const) {
      const odd = { ...gateway.method, ...traits }
      expect.soft(() => createPaymentMethods(chargily, odd), JSON.stringify(traits)).toThrow(message)
    }
  })
})
