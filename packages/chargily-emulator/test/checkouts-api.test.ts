// Source of the shapes: Chargily docs, API reference, checkouts; of the messages: Laravel's validation.
import { VECTOR_BODY, VECTOR_KEY, VECTOR_SIGNATURE } from '../../../test/support/vector.js'
import { sign } from '../src/api-keys.js'
import { encodeWireEvent } from '../src/event.js'
import { encodePhpJson, inMysqlOrder } from '../src/php-json.js'
import { call, emulator, KEY, ManualClock, made, newCheckout, ORDER, START_MS } from './support.js'

const LIVE_KEY = 'live_sk_emulator0000000000000000000000000000000'
/** 1,700,000,000,000 ms in Crockford's base 32, ten places. */
const START_IN_ULID = '01hf7yat00'

test('creating a checkout answers 200 with the fields in the documented order', async () => {
  const emu = await emulator({ clock: new ManualClock() })
  const answer = await call(emu, 'POST', '/checkouts', ORDER)

  const { id } = made(answer)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
  expect(id.slice(0, 10)).toBe(START_IN_ULID)
  const slashed = (url: string) => url.replaceAll('/', String.raw`\/`)
  expect(answer.text).toBe(
    `{"id":"${id}","entity":"checkout","livemode":false,"amount":2000,"currency":"dzd","fees":0,` +
      '"fees_on_merchant":0,"fees_on_customer":0,"pass_fees_to_customer":null,' +
      '"chargily_pay_fees_allocation":"customer","status":"pending","locale":"ar","description":null,' +
      `"metadata":null,"success_url":"${slashed(ORDER.success_url)}","failure_url":null,` +
      '"webhook_endpoint":null,"payment_method":null,"invoice_id":null,"customer_id":null,' +
      `"payment_link_id":null,"created_at":${START_MS / 1000},"updated_at":${START_MS / 1000},` +
      '"shipping_address":null,"collect_shipping_address":0,"discount":null,' +
      `"amount_without_discount":null,"checkout_url":"${slashed(`${emu.url}/test/checkouts/${id}/pay`)}"}`,
  )
})

test('metadata comes back as PHP stores it, and a discount is taken off', async () => {
  const emu = await emulator()
  for (const [metadata, shown] of [
    [{ user_id: 'u', plan: 'pro' }, '{"plan":"pro","user_id":"u"}'],
    [[{ plan: 'pro' }], '[{"plan":"pro"}]'],
    [{}, '[]'],
    [{ a: ' x ', b: '' }, '{"a":"x","b":null}'],
  ]) {
    const { text } = await call(emu, 'POST', '/checkouts', { ...ORDER, metadata })
    expect(text).toContain(`"metadata":${shown},"success_url"`)
  }
  for (const [asked, amount, discount] of [
    [{ percentage_discount: 50 }, 1000, { type: 'percentage', value: 50 }],
    [{ percentage_discount: 33 }, 1340, { type: 'percentage', value: 33 }], // 2000 - 660
    [{ amount_discount: 300 }, 1700, { type: 'amount', value: 300 }],
  ] as const) {
    const { body } = await call(emu, 'POST', '/checkouts', { ...ORDER, ...asked })
    expect(body).toMatchObject({ amount, discount, amount_without_discount: 2000 })
  }
})

const PERCENTAGE = 'The percentage discount field'
const TOO_SMALL = 'The amount field must be greater than or equal to 50.'
const WRONG = [
  [{ amount: 49 }, 'amount', TOO_SMALL],
  [{ amount: 99.5 }, 'amount', 'The amount field must be an integer.'],
  [{ amount: 'many' }, 'amount', 'The amount field must be an integer.'],
  [{ amount: null }, 'amount', 'The amount field is required when items is not present.'],
  [{ amount_discount: 1960 }, 'amount', TOO_SMALL],
  [{ currency: 'usd' }, 'currency', 'The selected currency is invalid.'],
  [{ success_url: undefined }, 'success_url', 'The success url field is required.'],
  [{ success_url: 'javascript:alert(1)' }, 'success_url', 'The success url field must be a valid URL.'],
  [{ webhook_endpoint: 7 }, 'webhook_endpoint', 'The webhook endpoint field must be a valid URL.'],
  [{ locale: 'de' }, 'locale', 'The selected locale is invalid.'],
  [{ payment_method: 'visa' }, 'payment_method', 'The selected payment method is invalid.'],
  [{ customer_id: 'unknown' }, 'customer_id', 'The selected customer id is invalid.'],
  [{ description: 1 }, 'description', 'The description field must be a string.'],
  [{ metadata: 'x' }, 'metadata', 'The metadata field must be an array.'],
  [{ percentage_discount: 101 }, 'percentage_discount', `${PERCENTAGE} must not be greater than 100.`],
  [{ items: 'x' }, 'items', 'The items field must be an array.'],
  [{ items: [{ price: 'p', quantity: 1 }] }, 'items.0.price', 'The selected items.0.price is invalid.'],
] as const

test('what does not fit is refused with 422, by the first error and the number of the others', async () => {
  const emu = await emulator()
  for (const [wrong, field, message] of WRONG) {
    const { status, body } = await call(emu, 'POST', '/checkouts', { ...ORDER, ...wrong })
    expect([wrong, status, body]).toMatchObject([wrong, 422, { errors: { [field]: [message] } }])
  }
  const none = await call(emu, 'POST', '/checkouts', {})
  // amount, currency, success_url
  const message = 'The amount field is required when items is not present. (and 2 more errors)'
  expect(none.body).toMatchObject({ message })
  const two = await call(emu, 'POST', '/checkouts', { ...ORDER, amount: 49, locale: 'de' })
  expect(two.body).toMatchObject({ message: `${TOO_SMALL} (and 1 more error)` })
  const both = { ...ORDER, percentage_discount: 10, amount_discount: 10 }
  const { status, body } = await call(emu, 'POST', '/checkouts', both)
  expect(status).toBe(422)
  expect(Object.keys((body as { errors: object }).errors)).toEqual(['percentage_discount', 'amount_discount'])
  expect(emu.checkouts()).toHaveLength(0)
})

test('expiring answers 200 once, then 400, and 403 for what is paid', async () => {
  const emu = await emulator()
  const [unpaid, paid] = [await newCheckout(emu), await newCheckout(emu)]
  await emu.pay(paid.id, 'paid')
  const first = await call(emu, 'POST', `/checkouts/${unpaid.id}/expire`)
  expect(first.status).toBe(200)
  expect(first.body).toMatchObject({ id: unpaid.id, status: 'expired' })
  expect((await call(emu, 'POST', `/checkouts/${unpaid.id}/expire`)).status).toBe(400)
  expect((await call(emu, 'POST', `/checkouts/${paid.id}/expire`)).status).toBe(403)
  expect((await call(emu, 'POST', '/checkouts/01unknown/expire')).status).toBe(404)
})

test('lists come newest first in an envelope of Laravel, ten to a page, at most 50', async () => {
  const emu = await emulator()
  const ids: string[] = []
  for (let made = 0; made < 12; made++) ids.unshift((await newCheckout(emu)).id)
  const path = `${emu.url}/test/api/v2/checkouts`
  const first = await call(emu, 'GET', '/checkouts')
  expect(first.body).toEqual({
    livemode: false,
    current_page: 1,
    data: ids.slice(0, 10).map((id) => expect.objectContaining({ id, livemode: false })),
    ...{ first_page_url: `${path}?page=1`, last_page_url: `${path}?page=2`, path },
    ...{ next_page_url: `${path}?page=2`, prev_page_url: null, last_page: 2, per_page: 10, total: 12 },
  })
  const second = await call(emu, 'GET', '/checkouts?page=2')
  expect(second.body).toMatchObject({
    data: ids.slice(10).map((id) => ({ id })),
    next_page_url: null,
    prev_page_url: `${path}?page=1`,
  })
  for (const perPage of ['0', '51', 'x', '1.5'])
    expect((await call(emu, 'GET', `/checkouts?per_page=${perPage}`)).status).toBe(422)
  expect((await call(emu, 'GET', '/checkouts?per_page=50')).status).toBe(200)
})

test('401 without a key, with an unknown one, or with one of the other mode', async () => {
  const emu = await emulator({ secretKeys: [KEY, LIVE_KEY] })
  const missing = await fetch(`${emu.url}/test/api/v2/balance`)
  expect([missing.status, await missing.text()]).toEqual([401, '{"message":"Unauthenticated."}'])
  expect((await call(emu, 'GET', '/balance', undefined, 'test_sk_other')).status).toBe(401)
  expect((await call(emu, 'GET', '/balance', undefined, LIVE_KEY)).status).toBe(401)
  expect((await call(emu, 'GET', '/balance')).status).toBe(200)
})

test('test and live mode are separate, and only live mode charges fees', async () => {
  const emu = await emulator({ secretKeys: [KEY, LIVE_KEY] })
  const { id } = await newCheckout(emu)
  const headers = { authorization: `Bearer ${LIVE_KEY}`, 'content-type': 'application/json' }
  expect((await fetch(`${emu.url}/api/v2/checkouts/${id}`, { headers })).status).toBe(404)
  const body = JSON.stringify({ ...ORDER, amount: 50_000, chargily_pay_fees_allocation: 'split' })
  const live = await fetch(`${emu.url}/api/v2/checkouts`, { method: 'POST', headers, body })
  // 2.5 % of 50000, half each.
  expect(await live.json()).toMatchObject({
    livemode: true,
    fees: 1250,
    fees_on_customer: 625,
    fees_on_merchant: 625,
    checkout_url: expect.stringContaining(`${emu.url}/checkouts/`),
  })
  await newCheckout(emu)
  expect(emu.checkouts().map(({ livemode }) => livemode)).toEqual([false, true, false])
})

test('an unknown path is 404, and an unsupported method 405 with the supported ones', async () => {
  const emu = await emulator()
  for (const path of ['/checkouts/01none', '/checkouts/a%00b', '/nothing', '/customers/01none'])
    expect((await call(emu, 'GET', path)).status, path).toBe(404)
  const patch = await call(emu, 'PATCH', '/customers/01any', { name: 'x' })
  expect([patch.status, patch.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, DELETE'])
  expect((await call(emu, 'DELETE', '/checkouts/01any')).status).toBe(405)
})

test('a form-encoded request is understood as well', async () => {
  const emu = await emulator()
  const response = await fetch(`${emu.url}/test/api/v2/checkouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: new URLSearchParams({ ...ORDER, amount: '2000' }),
  })
  expect(await response.json()).toMatchObject({ amount: 2000, status: 'pending' })
})

const BODIES: readonly (readonly [string, Buffer<ArrayBuffer>])[] = [
  ['a NUL', Buffer.from('\0')],
  ['broken JSON', Buffer.from('{"amount":')],
  ['a scalar', Buffer.from('null')],
  ['no UTF-8', Buffer.from([0xff, 0xfe, 0x80])],
  ['deep brackets', Buffer.from('['.repeat(50_000) + ']'.repeat(50_000))],
  ['deep metadata', Buffer.from(`{"metadata":${'['.repeat(600)}${']'.repeat(600)}}`)],
  ['a number beyond the range', Buffer.from('{"amount":1e999,"currency":"dzd"}')],
  ['a lone surrogate', Buffer.from(String.raw`{"description":"\ud800","outcome":"\ud800"}`)],
  ['too much', Buffer.alloc(2_000_000, 'x')],
]

test('a malformed body, path or amount gets a 4xx', async () => {
  const emu = await emulator()
  const { id } = await newCheckout(emu)
  const broken: string[] = []
  for (const path of ['/test/api/v2/checkouts', `/test/checkouts/${id}/pay`, '/_sandbox/faults'])
    for (const type of ['application/json', 'application/x-www-form-urlencoded', '///'])
      for (const [name, body] of BODIES) {
        const headers = { authorization: `Bearer ${KEY}`, 'content-type': type }
        const { status } = await fetch(emu.url + path, { method: 'POST', headers, body, redirect: 'manual' })
        if (status >= 500) broken.push(`${status} for ${name} at ${path} as ${type}`)
      }
  expect(broken).toEqual([])
  expect(emu.checkouts()).toMatchObject([{ status: 'pending' }])
  for (const path of ['/%', '/test/checkouts/%ff/pay', '/test/api/v2/checkouts/%zz', '//x']) {
    const { status } = await fetch(emu.url + path, { headers: { authorization: `Bearer ${KEY}` } })
    expect([path, Math.floor(status / 100)]).toEqual([path, 4])
  }
  for (const amount of [true, [2000], { a: 1 }, '2000.5', '1e3', ' ', Number.MAX_SAFE_INTEGER + 1])
    expect((await call(emu, 'POST', '/checkouts', { ...ORDER, amount })).status, String(amount)).toBe(422)
})

test('text with NULs, quotes and direction marks comes back unchanged', async () => {
  const emu = await emulator()
  const description = 'a\u0000b "c" \\ \u202e \u{1F642} خطة </p>'
  const { id } = await newCheckout(emu, { description, metadata: { 'k\u0000': description } })
  const answer = await call(emu, 'GET', `/checkouts/${id}`)
  expect(answer.body).toMatchObject({ description, metadata: { 'k\u0000': description } })
})

// The signed bytes. The vector is the published one: made with PHP's escapes, checked with openssl.
test('the published vector has the published signature', () => {
  expect(Buffer.byteLength(VECTOR_BODY)).toBe(972)
  expect(sign(VECTOR_BODY, VECTOR_KEY)).toBe(VECTOR_SIGNATURE)
})

test("the vector's data, in any order, is encoded to the vector's bytes", () => {
  const { id, data } = JSON.parse(VECTOR_BODY)
  const shuffled = Object.fromEntries(Object.entries<never>(data).reverse())
  const event = { id, type: 'checkout.paid', at: 1_700_000_015, livemode: false, data: shuffled } as const
  expect(encodeWireEvent(event)).toBe(VECTOR_BODY)
})

test('JSON is escaped and ordered as PHP and MySQL do it', () => {
  expect(encodePhpJson('a/b "é" \u{1F642}\n\u0001')).toBe(String.raw`"a\/b \"\u00e9\" \ud83d\ude42\n\u0001"`)
  expect(encodePhpJson({ metadata: {}, list: [{}] })).toBe('{"metadata":[],"list":[[]]}')
  // Keys are sorted by their length in bytes, then by their bytes; é is two bytes.
  const sorted = inMysqlOrder({ long: 1, é: 2, z: [{ bb: 1, a: 2 }], B: 3, ab: 4 })
  expect(JSON.stringify(sorted)).toBe('{"B":3,"z":[{"a":2,"bb":1}],"ab":4,"é":2,"long":1}')
  expect(encodePhpJson(inMysqlOrder(JSON.parse('{"__proto__":{"a":1}}')))).toBe('{"__proto__":{"a":1}}')
})
