// Traces: a purchase is one, from the click through the webhook to the event that the platform receives.
import { drainDeliveries } from '../../packages/ishtirak/src/events/deliver-events.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'
import { startTracing } from '../../packages/ishtirak/src/main/trace-export.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { type CollectedSpan, startCollector } from '../support/collector.js'
import { describeScenario } from '../support/databases.js'
import { Receiver } from '../support/receiver.js'
import { checkoutIdOf, createWorld, type World } from '../support/world.js'

const CLICK = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const USER = 'user-of-a-secret-name'
const TRACEPARENT = `00-${CLICK.traceId}-${CLICK.spanId}-01`

describeScenario('traces', ({ database }) => {
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await Receiver.start()
  })
  afterEach(() => receiver.goDown())

  const worldWith = (collectorUrl: string) => {
    const log = createLog({ level: 'silent' })
    // The head of the sealed books is an event too, and about no purchase.
    const capabilities = CAPABILITIES.filter(({ name }) => name !== 'seals')
    const tracing = startTracing(collectorUrl, log)
    return createWorld(database(), { env: receiver.variables, log, tracing, capabilities })
  }
  const purchase = async (world: World, headers: Record<string, string> = {}) => {
    const upgrade = { plan: 'pro' }
    const { body } = await world.as(USER).post('/api/v1/billing/upgrade', upgrade, headers)
    await world.emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
    await world.emulator.settled()
    await world.advance(0)
    await drainDeliveries(world.service.parts)
  }

  it('a purchase is one trace, from the click to the events, with a link to its webhook', async () => {
    await using collector = await startCollector()
    const world = await worldWith(collector.url)
    await purchase(world, { traceparent: TRACEPARENT })
    await world.stop()

    const click = collector.spanOf('POST /api/v1/billing/upgrade')
    const webhook = collector.spanOf('POST /api/v1/billing/webhook')
    const checkout = collector.spanOf('POST chargily')
    expect([click.parentSpanId, click.kind]).toEqual([CLICK.spanId, 2])
    expect([checkout.parentSpanId, checkout.kind]).toEqual([click.spanId, 3])
    const below = (parent: CollectedSpan, name: string) =>
      collector.spans.filter((span) => span.name === name && span.parentSpanId === parent.spanId)
    const settlement = below(click, 'settlement').find(({ links }) => (links ?? []).length > 0)
    if (!settlement) throw new Error('the webhook was not settled')
    expect(settlement.links).toMatchObject([{ traceId: webhook.traceId, spanId: webhook.spanId }])
    expect(below(settlement, 'settlements.save')).toHaveLength(1)
    const deliveries = below(settlement, 'event delivery')
    expect(deliveries).toHaveLength(2)
    const requests = deliveries.flatMap((delivery) => below(delivery, 'POST platform'))
    expect(receiver.received.map(({ headers }) => headers.traceparent)).toEqual(
      requests.map(({ spanId }) => `00-${CLICK.traceId}-${spanId}-01`),
    )
    const elsewhere = collector.spans.filter(({ traceId }) => traceId !== CLICK.traceId)
    expect(elsewhere).toEqual([webhook])
  })

  it('without a caller’s trace the click begins one; it names no user, no key, no probe', async () => {
    await using collector = await startCollector()
    const world = await worldWith(collector.url)
    for (const probe of ['/healthz', '/readyz']) await world.call('GET', probe)
    await purchase(world, { traceparent: `00-${'0'.repeat(32)}-${CLICK.spanId}-01` })
    await world.stop()
    expect(collector.spanOf('POST /api/v1/billing/upgrade').parentSpanId ?? '').toBe('')
    const { traceId } = collector.spanOf('POST /api/v1/billing/upgrade')
    const elsewhere = collector.spans.filter((span) => span.traceId !== traceId)
    expect(elsewhere.map(({ name }) => name)).toEqual(['POST /api/v1/billing/webhook'])
    const sent = collector.raw.join('')
    const unsaid = [USER, 'test_sk_', 'Bearer', 'from=ishtirak', 'healthz', 'readyz']
    expect(unsaid.filter((text) => sent.includes(text))).toEqual([])
  })

  it('a payment found without its webhook is in its purchase’s trace, linked to who found it', async () => {
    await using collector = await startCollector()
    const world = await worldWith(collector.url)
    const user = world.as('user-1')
    world.emulator.setFaults({ drop: {} })
    await user.buy()
    world.clock.advance(60_000)
    expect((await user.get('/api/v1/billing/status')).body.plan).toBe('pro')
    await world.stop()
    const click = collector.spanOf('POST /api/v1/billing/upgrade')
    const status = collector.spanOf('GET /api/v1/billing/status')
    expect(status.traceId).not.toBe(click.traceId)
    const found = collector.spans.find(({ name, links }) => name === 'settlement' && (links ?? []).length > 0)
    expect(found).toMatchObject({ traceId: click.traceId, parentSpanId: click.spanId })
    expect(found?.links).toMatchObject([{ traceId: status.traceId, spanId: status.spanId }])
  })
})
