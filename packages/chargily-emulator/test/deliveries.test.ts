// Source: events captured in May 2026, Chargily docs (Webhooks), defaults of spatie/laravel-webhook-server.
import {
  call,
  emulator,
  ManualClock,
  merchant,
  newCheckout,
  payAtPage,
  payNew,
  START_MS,
  withMerchant,
} from './support.js'

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

test('an event as documented: the mode is a string, the address is called url, no currency', async () => {
  const { shop, emu } = await withMerchant({ dialect: 'docs' })
  const { checkout_url } = await payNew(emu)
  const event = JSON.parse(shop.received[0]?.body ?? '')
  expect(event).toMatchObject({ livemode: 'false', data: { url: checkout_url, status: 'paid' } })
  for (const absent of ['currency', 'livemode', 'checkout_url', 'account'])
    expect(event.data).not.toHaveProperty(absent)
})

test('an event has the headers of the sender, and a customer where the checkout had none', async () => {
  const { shop, emu } = await withMerchant()
  await payNew(emu)
  const [received] = shop.received
  const names = received?.rawHeaders.filter((_, index) => index % 2 === 0)
  expect(names).toEqual(expect.arrayContaining(['User-Agent', 'Content-Type', 'Signature', 'Content-Length']))
  const said = { 'content-type': 'application/json', 'user-agent': 'GuzzleHttp/7' }
  expect(received?.headers).toMatchObject(said)
  expect(JSON.parse(received?.body ?? '').data.customer_id).toHaveLength(26)
})

test('each outcome sends an event of its own type, with the status in the data', async () => {
  const { shop, emu } = await withMerchant()
  const outcomes = ['paid', 'failed', 'canceled'] as const
  for (const outcome of outcomes) await emu.pay((await newCheckout(emu)).id, outcome)
  await emu.settled()
  const events = shop.received.map(({ body }) => JSON.parse(body))
  expect(events.map(({ type, data }) => [type, data.status]).sort()).toEqual(
    outcomes.map((outcome) => [`checkout.${outcome}`, outcome]).sort(),
  )
})

test("a checkout's own endpoint takes precedence; without either there is no delivery", async () => {
  const [account, own] = [await merchant(), await merchant()]
  const emu = await emulator({ webhookEndpoint: account.url })
  await payNew(emu, { webhook_endpoint: own.url })
  expect([account.received.length, own.received.length]).toEqual([0, 1])
  const withoutEndpoint = await emulator()
  await payNew(withoutEndpoint)
  expect(withoutEndpoint.deliveries()).toEqual([])
})

test('a failed delivery is retried after 10 and after 100 seconds, with the same bytes', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  shop.respondWith = 503
  await payNew(emu)
  await emu.advance(9)
  expect(shop.received).toHaveLength(1)
  await emu.advance(3600)
  const attempts = [0, 10_000, 110_000].map((ms) => ({ at_ms: START_MS + ms, status: 503 }))
  expect(emu.deliveries()).toMatchObject([{ state: 'failed', attempts }])
  expect(new Set(shop.received.map(({ body, headers }) => body + headers.signature)).size).toBe(1)
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
  const outcomeOf = async (webhookTimeoutMs: number, webhook_endpoint?: string) => {
    const { shop, emu } = await withMerchant({ clock: new ManualClock(), webhookTimeoutMs })
    shop.respondWith = 'silent'
    await payNew(emu, { webhook_endpoint })
    const [delivery] = emu.deliveries()
    return [delivery?.state, delivery?.attempts.map(({ error }) => error)]
  }
  expect(await outcomeOf(1)).toEqual(['pending', ['no answer within 1 ms']])
  const refused = expect.stringMatching(/ECONNREFUSED|bad port/)
  expect(await outcomeOf(60_000, 'http://127.0.0.1:1/')).toEqual(['pending', [refused]])
})

test('a resend repeats the bytes, and a failed one counts against nothing', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  await payNew(emu)
  const id = emu.deliveries()[0]?.id ?? ''
  expect((await emu.resend(id)).attempts).toHaveLength(2)
  expect(shop.received[1]?.body).toBe(shop.received[0]?.body)
  shop.respondWith = 500
  expect(await emu.resend(id)).toMatchObject({ state: 'delivered', attempts: [{}, {}, { status: 500 }] })
  await expect(emu.resend('01none')).rejects.toThrow('no delivery')
  await payNew(emu)
  const failing = emu.deliveries().at(-1)
  await emu.resend(failing?.id ?? '')
  await emu.advance(3600)
  const atSeconds = emu
    .deliveries()
    .at(-1)
    ?.attempts.map(({ at_ms }) => (at_ms - START_MS) / 1000)
  expect(atSeconds).toEqual([0, 0, 10, 110])
})

test('an unpaid checkout expires 30 minutes after its creation, and an event is sent', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  const { id } = await newCheckout(emu)
  const paid = await newCheckout(emu, { webhook_endpoint: 'http://127.0.0.1:1/' })
  await emu.pay(paid.id, 'paid')
  await emu.advance(1799) // 30 × 60 - 1
  expect((await call(emu, 'GET', `/checkouts/${id}`)).body).toMatchObject({ status: 'pending' })
  await emu.advance(1)
  const at = START_MS / 1000 + 1800
  const expired = { status: 'expired', updated_at: at }
  expect((await call(emu, 'GET', `/checkouts/${id}`)).body).toMatchObject(expired)
  expect(shop.received.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'checkout.expired', created_at: at, data: { id, status: 'expired' } },
  ])
  const statusOfPaid = emu.checkouts().find(({ id }) => id === paid.id)
  expect(statusOfPaid).toMatchObject({ status: 'paid', paid_at: START_MS / 1000 })
})

test('a clock moved from outside expires what is due, before the next payment or by itself', async () => {
  const clock = new ManualClock()
  const emu = await emulator({ clock })
  const { id, checkout_url } = await newCheckout(emu)
  clock.advance(1_800_000)
  expect((await payAtPage(checkout_url, { outcome: 'paid' })).status).toBe(409)
  await expect(emu.pay(id, 'paid')).rejects.toThrow('expired')
  await newCheckout(emu)
  clock.advance(1_800_000)
  await expect.poll(() => emu.checkouts()).toMatchObject([{ status: 'expired' }, { status: 'expired' }])
})

test('two calls of advance at once add up, and a clock that cannot be moved gets an offset', async () => {
  const clock = new ManualClock()
  const emu = await emulator({ clock })
  await Promise.all([emu.advance(3600), emu.advance(3600)])
  expect(clock.now()).toBe(START_MS + 7_200_000)
  const fixed = await emulator({ clock: { now: () => START_MS } })
  await newCheckout(fixed)
  await fixed.advance(1800)
  expect(fixed.checkouts()).toMatchObject([{ status: 'expired' }])
})

test('closing ends an advance that is under way', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  emu.setFaults({ delay: { seconds: 10 } })
  await emu.pay((await newCheckout(emu)).id, 'paid')
  shop.respondWith = 'silent'
  const moved = emu.advance(3600)
  await expect.poll(() => shop.received).toHaveLength(1)
  await emu.close()
  await moved
  expect(shop.received).toHaveLength(1)
})
