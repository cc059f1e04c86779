import { sign } from '../src/api-keys.js'
import type { Faults } from '../src/emulator.js'
import { call, emulator, KEY, ManualClock, newCheckout, ORDER, payAtPage, withMerchant } from './support.js'

async function receivedWith(faults: Partial<Faults>, secretKeys = [KEY]) {
  const { shop, emu } = await withMerchant({ clock: new ManualClock(), secretKeys })
  emu.setFaults(faults)
  const checkout = await newCheckout(emu)
  await emu.pay(checkout.id, 'paid')
  await emu.settled()
  const events = shop.received.map(({ body, headers }) => ({ body, signature: headers.signature }))
  return { emu, shop, checkout, events }
}

test('drop: the event is not sent, but can be resent', async () => {
  const { emu, shop } = await receivedWith({ drop: {} })
  await emu.advance(3600)
  expect(shop.received).toHaveLength(0)
  const [delivery] = emu.deliveries()
  expect(delivery).toMatchObject({ state: 'dropped', attempts: [] })
  expect(await emu.resend(delivery?.id ?? '')).toMatchObject({ state: 'delivered' })
  expect(shop.received).toHaveLength(1)
})

test('duplicate: copies have the same bytes, or with new_event_id other ids for one checkout', async () => {
  const { events } = await receivedWith({ duplicate: { count: 2 } })
  expect(events).toHaveLength(3) // the event and two copies
  expect(new Set(events.map(({ body }) => body)).size).toBe(1)
  const other = await receivedWith({ duplicate: { count: 1, new_event_id: true } })
  const parsed = other.events.map(({ body }) => JSON.parse(body))
  expect(new Set(parsed.map(({ id }) => id)).size).toBe(2)
  expect(parsed.map(({ data }) => data.id)).toEqual([other.checkout.id, other.checkout.id])
})

test('reorder: the event arrives before the payer is redirected', async () => {
  const { shop, emu } = await withMerchant()
  emu.setFaults({ reorder: { order: 'webhook_before_redirect' } })
  const { checkout_url } = await newCheckout(emu)
  const back = await payAtPage(checkout_url, { outcome: 'paid' })
  expect([back.status, shop.received.length]).toEqual([303, 1])
})

test('reorder failed_after_paid: the failure of an earlier card comes after the payment', async () => {
  const { events } = await receivedWith({ reorder: { order: 'failed_after_paid' } })
  const parsed = events.map(({ body }) => JSON.parse(body))
  expect(parsed.map(({ type, data }) => [type, data.status])).toEqual([
    ['checkout.paid', 'paid'],
    ['checkout.failed', 'failed'],
  ])
  expect(parsed[0].id).not.toBe(parsed[1].id)
})

test('bad_signature: wrong, garbage or missing, and never made with the key', async () => {
  const shapes = { wrong: /^[0-9a-f]{64}$/, garbage: /^not-a-signature$/, missing: /^undefined$/ }
  for (const kind of ['wrong', 'garbage', 'missing'] as const) {
    const { events } = await receivedWith({ bad_signature: { kind } })
    expect(String(events[0]?.signature)).toMatch(shapes[kind])
    expect(events[0]?.signature).not.toBe(sign(events[0]?.body ?? '', KEY))
  }
})

test('old_key: signed with the last key of the account, or with one never accepted', async () => {
  const two = await receivedWith({ old_key: {} }, [KEY, 'test_sk_old'])
  expect(two.events[0]?.signature).toBe(sign(two.events[0]?.body ?? '', 'test_sk_old'))
  const one = await receivedWith({ old_key: {} })
  expect(one.events[0]?.signature).not.toBe(sign(one.events[0]?.body ?? '', KEY))
})

test("reserialised_body: the same meaning in other bytes with the original's signature", async () => {
  const { events, checkout } = await receivedWith({ reserialised_body: {} })
  const body = events[0]?.body ?? ''
  expect(JSON.parse(body).data.id).toBe(checkout.id)
  expect(body).not.toContain(String.raw`\/`)
  expect(events[0]?.signature).not.toBe(sign(body, KEY))
})

test('truncated_body: half of the bytes, with the signature of the whole or of the half', async () => {
  const cut = await receivedWith({ truncated_body: {} })
  expect(() => JSON.parse(cut.events[0]?.body ?? '')).toThrow(SyntaxError)
  expect(cut.events[0]?.signature).not.toBe(sign(cut.events[0]?.body ?? '', KEY))
  const signed = await receivedWith({ truncated_body: { signed: true } })
  expect(() => JSON.parse(signed.events[0]?.body ?? '')).toThrow(SyntaxError)
  expect(signed.events[0]?.signature).toBe(sign(signed.events[0]?.body ?? '', KEY))
})

test('wrong_amount, _currency and _mode: false but rightly signed, while the API is right', async () => {
  const falsehoods: readonly (readonly [Partial<Faults>, object])[] = [
    [{ wrong_amount: { amount: 1999 } }, { data: { amount: 1999 } }],
    [{ wrong_amount: {} }, { data: { amount: 50 } }],
    [{ wrong_currency: {} }, { data: { currency: 'usd' } }],
    [{ wrong_mode: {} }, { livemode: true, data: { livemode: true } }],
  ]
  for (const [faults, falsehood] of falsehoods) {
    const { events, emu, checkout } = await receivedWith(faults)
    expect(JSON.parse(events[0]?.body ?? '')).toMatchObject(falsehood)
    expect(events[0]?.signature).toBe(sign(events[0]?.body ?? '', KEY))
    const ordered = { amount: 2000, currency: 'dzd', livemode: false }
    expect((await call(emu, 'GET', `/checkouts/${checkout.id}`)).body).toMatchObject(ordered)
  }
})

test('processing: the payer is redirected before the bank answers', async () => {
  const { shop, emu } = await withMerchant({ clock: new ManualClock() })
  emu.setFaults({ processing: { seconds: 60 } })
  const { id, checkout_url } = await newCheckout(emu)
  expect((await payAtPage(checkout_url, { outcome: 'paid' })).status).toBe(303)
  expect((await call(emu, 'GET', `/checkouts/${id}`)).body).toMatchObject({ status: 'processing' })
  expect((await call(emu, 'POST', `/checkouts/${id}/expire`)).status).toBe(403)
  expect((await payAtPage(checkout_url, { outcome: 'paid' })).status).toBe(409)
  await emu.advance(60)
  expect((await call(emu, 'GET', `/checkouts/${id}`)).body).toMatchObject({ status: 'paid' })
  expect(shop.received).toHaveLength(1)
})

test('expire_as_canceled: time ends a checkout as canceled', async () => {
  const emu = await emulator({ clock: new ManualClock() })
  emu.setFaults({ expire_as_canceled: {} })
  await newCheckout(emu)
  await emu.advance(1800)
  expect(emu.checkouts()).toMatchObject([{ status: 'canceled' }])
})

test('api_429 and api_5xx: the given status, and nothing is made', async () => {
  const emu = await emulator()
  emu.setFaults({ api_429: { retry_after: 7, times: 1 } })
  const { status, headers } = await call(emu, 'GET', '/balance')
  expect([status, headers.get('retry-after')]).toEqual([429, '7'])
  emu.setFaults({ api_5xx: { status: 502, times: 1 } })
  expect((await call(emu, 'POST', '/checkouts', ORDER)).status).toBe(502)
  expect(emu.checkouts()).toHaveLength(0)
  expect((await call(emu, 'POST', '/checkouts', ORDER)).status).toBe(200)
})

test('api_timeout: the connection breaks before or after the checkout was made', async () => {
  const emu = await emulator()
  emu.setFaults({ api_timeout_before: { hang_ms: 0, times: 1 }, api_timeout_after: { times: 1 } })
  await expect(call(emu, 'POST', '/checkouts', ORDER)).rejects.toThrow('fetch failed')
  expect(emu.checkouts()).toHaveLength(0)
  await expect(call(emu, 'POST', '/checkouts', ORDER)).rejects.toThrow('fetch failed')
  expect((await call(emu, 'GET', '/checkouts')).body).toMatchObject({ total: 1, data: [{ amount: 2000 }] })
})

test('api_slow: the answer is late, and right', async () => {
  const emu = await emulator()
  emu.setFaults({ api_slow: { ms: 1 } })
  expect((await call(emu, 'GET', '/balance')).status).toBe(200)
})

test.each([{ api_slow: { ms: 60_000, times: 1 } }, { api_timeout_before: { hang_ms: 60_000, times: 1 } }])(
  'an answer that is held back by %j does not keep the emulator from closing',
  async (fault) => {
    const emu = await emulator()
    emu.setFaults(fault)
    const hanging = call(emu, 'GET', '/balance').catch((error: Error) => error.message)
    await expect.poll(() => Object.values(emu.faults()).every((one) => one === null)).toBe(true)
    await emu.close()
    expect(await hanging).toBe('fetch failed')
  },
)

test('a scope limits a fault of the API to the creation of checkouts', async () => {
  const emu = await emulator()
  emu.setFaults({ api_5xx: { scope: 'create_checkout' } })
  expect((await call(emu, 'GET', '/checkouts')).status).toBe(200)
  expect((await call(emu, 'POST', '/checkouts', ORDER)).status).toBe(500)
})

test('a fault is off after `times` uses, or when it is cleared', async () => {
  const emu = await emulator()
  emu.setFaults({ api_429: { times: 2 }, drop: {} })
  const statuses: number[] = []
  for (let tried = 0; tried < 3; tried++) statuses.push((await call(emu, 'GET', '/balance')).status)
  expect(statuses).toEqual([429, 429, 200])
  expect(emu.faults()).toMatchObject({ api_429: null, drop: {} })
  emu.clearFaults()
  expect(Object.values(emu.faults()).every((fault) => fault === null)).toBe(true)
})
