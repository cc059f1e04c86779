// Events: their shape, their retries, and their end. Source: the captured events of May 2026, Chargily docs
// (Webhooks), and spatie/laravel-webhook-server's defaults.
import { expect, test } from 'vitest'
import { emulator, ManualClock, merchant, newCheckout, payNew, START_MS, withMerchant } from './support.js'

test('an event as captured: keys in MySQL order, boolean mode, the account of the merchant', async () => {
  const { shop, emu } = await withMerchant({ account: { name: 'Hosting' } })
  const { id } = await newCheckout(emu, { metadata: { user_id: 'u1', plan: 'pro' } })
  await emu.pay(id, 'paid', 'cib')
  await emu.settled()

  const body = shop.received[0]?.body ?? ''
  const event = JSON.parse(body)
  expect(Object.keys(event)).toEqual(['id', 'entity', 'type', 'data', 'created_at', 'updated_at', 'livemode'])
  expect(Object.keys(event.data).join()).toBe(
    'id,fees,amount,entity,locale,status,account,currency,discount,livemode,metadata,created_at,invoice_id,' +
      'updated_at,customer_id,description,failure_url,success_url,checkout_url,payment_method,' +
      'payment_link_id,fees_on_customer,fees_on_merchant,shipping_address,webhook_endpoint,' +
      'earnings_consumed,fulfillment_status,notification_status,pass_fees_to_customer,' +
      'deposit_transaction_id,amount_without_discount,paid_checkouts_consumed,' +
      'collect_shipping_address,chargily_pay_fees_allocation',
  )
  expect(Object.keys(event.data.metadata)).toEqual(['plan', 'user_id'])
  expect(event).toMatchObject({
    livemode: false,
    data: { livemode: false, payment_method: 'cib', account: { name: 'Hosting', mode: 'test' } },
  })
  expect(body).toContain(String.raw`"success_url":"https:\/\/app.example.dz\/ok"`)
})

test(
  'an event as documented: the mode is a string, the address is called url, there is no ' + 'currency',
  async () => {
    const { shop, emu } = await withMerchant({ dialect: 'docs' })
    const checkout = await newCheckout(emu)
    await emu.pay(checkout.id, 'paid')
    await emu.settled()

    const event = JSON.parse(shop.received[0]?.body ?? '')
    expect(event).toMatchObject({ livemode: 'false', data: { url: checkout.checkout_url, status: 'paid' } })
    for (const absent of ['currency', 'livemode', 'checkout_url', 'account'])
      expect(event.data).not.toHaveProperty(absent)
  },
)

test('the headers are those of the sender', async () => {
  const { shop, emu } = await withMerchant()
  await payNew(emu)
  const names = shop.received[0]?.rawHeaders.filter((_, index) => index % 2 === 0)
  expect(names).toEqual(expect.arrayContaining(['User-Agent', 'Content-Type', 'Signature', 'Content-Length']))
  expect(shop.received[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'GuzzleHttp/7',
  })
})

test.each(['paid', 'failed', 'canceled'] as const)(
  '%s sends an event of its own type, with the status in the data',
  async (outcome) => {
    const { shop, emu } = await withMerchant()
    const { id } = await newCheckout(emu)
    await emu.pay(id, outcome)
    await emu.settled()
    expect(JSON.parse(shop.received[0]?.body ?? '')).toMatchObject({
      type: `checkout.${outcome}`,
      data: { id, status: outcome },
    })
  },
)

test('paying makes a customer for a checkout that had none', async () => {
  const { shop, emu } = await withMerchant()
  await payNew(emu)
  expect(JSON.parse(shop.received[0]?.body ?? '').data.customer_id).toHaveLength(26)
})

test(
  "a checkout's own endpoint takes precedence over the account's; without either there is no " + 'delivery',
  async () => {
    const [account, own] = [await merchant(), await merchant()]
    const emu = await emulator({ webhookEndpoint: account.url })
    await emu.pay((await newCheckout(emu, { webhook_endpoint: own.url })).id, 'paid')
    await emu.settled()
    expect([account.received.length, own.received.length]).toEqual([0, 1])

    const withoutEndpoint = await emulator()
    await withoutEndpoint.pay((await newCheckout(withoutEndpoint)).id, 'paid')
    expect(withoutEndpoint.deliveries()).toEqual([])
  },
)

test('a failed delivery is retried after 10 and after 100 seconds, with the same bytes', async () => {
  const shop = await merchant()
  shop.respondWith = 503
  const clock = new ManualClock()
  const emu = await emulator({ webhookEndpoint: shop.url, clock })
  await payNew(emu)

  await emu.advance(9)
  expect(shop.received).toHaveLength(1)
  await emu.advance(1)
  expect(shop.received).toHaveLength(2)
  await emu.advance(99)
  expect(shop.received).toHaveLength(2)
  await emu.advance(1)
  expect(shop.received).toHaveLength(3)
  await emu.advance(1000)
  expect(shop.received).toHaveLength(3)

  const [delivery] = emu.deliveries()
  expect(delivery).toMatchObject({
    state: 'failed',
    attempts: [
      { at_ms: START_MS, status: 503 },
      { at_ms: START_MS + 10_000, status: 503 },
      { at_ms: START_MS + 110_000, status: 503 }, // 10 + 100
    ],
  })
  expect(new Set(shop.received.map(({ body, headers }) => body + headers.signature)).size).toBe(1)
})

test('moving the clock far makes every attempt at its own time', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  shop.respondWith = 500
  await emu.pay((await newCheckout(emu)).id, 'paid')
  await emu.advance(3600)
  expect(emu.deliveries()[0]?.attempts.map(({ at_ms }) => at_ms - START_MS)).toEqual([0, 10_000, 110_000])
})

test('any 2xx is a success, anything else a failure', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  const states: unknown[] = []
  for (const respondWith of [204, 302, 404]) {
    shop.respondWith = respondWith
    await payNew(emu)
    states.push(emu.deliveries().at(-1)?.state)
  }
  expect(states).toEqual(['delivered', 'pending', 'pending'])
})

test('a timeout or a refused connection is retried', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock(), webhookTimeoutMs: 50 })
  shop.respondWith = 'silent'
  await emu.pay((await newCheckout(emu)).id, 'paid')
  await emu.pay((await newCheckout(emu, { webhook_endpoint: 'http://127.0.0.1:1/' })).id, 'paid')
  await emu.settled()
  const [silent, gone] = emu.deliveries()
  expect(silent?.attempts).toMatchObject([{ status: null, error: 'no answer within 50 ms' }])
  expect(gone?.attempts).toMatchObject([
    { status: null, error: expect.stringMatching(/ECONNREFUSED|bad port/) },
  ])
  expect([silent?.state, gone?.state]).toEqual(['pending', 'pending'])
})

test('a delayed event is sent without moving the clock', async () => {
  const { shop, emu } = await withMerchant()
  emu.setFaults({ delay: { seconds: 1, times: 1 } })
  await emu.pay((await newCheckout(emu)).id, 'paid')
  expect(shop.received).toHaveLength(0)
  await expect.poll(() => shop.received).toHaveLength(1)
})

test('a resend repeats the bytes, and a failed one does not undo the delivery', async () => {
  const { shop, emu } = await withMerchant()
  await payNew(emu)
  const id = emu.deliveries()[0]?.id ?? ''

  expect((await emu.resend(id)).attempts).toHaveLength(2)
  expect(shop.received[1]?.body).toBe(shop.received[0]?.body)
  shop.respondWith = 500
  expect(await emu.resend(id)).toMatchObject({ state: 'delivered', attempts: [{}, {}, { status: 500 }] })
  await expect(emu.resend('01none')).rejects.toThrow('no delivery')
})

test('50 events at once all arrive', async () => {
  const { shop, emu } = await withMerchant()
  const ids = await Promise.all(Array.from({ length: 50 }, async () => (await newCheckout(emu)).id))
  await Promise.all(ids.map((id) => emu.pay(id, 'paid')))
  await emu.settled()
  expect(new Set(shop.received.map(({ body }) => JSON.parse(body).data.id))).toEqual(new Set(ids))
})

test('a failed resend does not count as one of the three attempts', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  shop.respondWith = 500
  await payNew(emu)
  await emu.resend(emu.deliveries()[0]?.id ?? '')
  await emu.advance(3600)
  const atSeconds = emu.deliveries()[0]?.attempts.map(({ at_ms }) => (at_ms - START_MS) / 1000)
  expect(atSeconds).toEqual([0, 0, 10, 110])
})
