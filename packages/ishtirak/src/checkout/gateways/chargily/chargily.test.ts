import { freePort } from '../../../../../../test/support/free-port.js'
import {
  CHECKOUT,
  chargilyWithStub,
  KEY,
  ORDER,
  type Reply,
} from '../../../../../../test/support/stub-provider.js'
import type { Send } from '../../../runtime/http-client.js'
import { apiAddressOf } from './account.js'
import { redact } from './call.js'
import { createChargily } from './chargily.js'

describe('opening a checkout', () => {
  test('sends exactly what was ordered, the key in its header only, and says it in our words', async () => {
    const { chargily, asked } = await chargilyWithStub(() => ({ json: CHECKOUT }))
    const answer = await chargily.createCheckout(ORDER)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ method: 'POST', path: '/test/api/v2/checkouts' })
    expect(asked[0]?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Bearer ${KEY}`,
    })
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      ...{ amount: 2000, currency: 'dzd', success_url: ORDER.successUrl, failure_url: ORDER.failureUrl },
      ...{ webhook_endpoint: ORDER.webhookUrl, description: ORDER.description, locale: 'fr' },
      chargily_pay_fees_allocation: 'merchant',
      metadata: { payment_id: ORDER.paymentId, user_id: 'user_42', plan_id: 'pro', months: '12' },
    })
    expect(answer).toEqual({
      ok: true,
      value: {
        ...{ method: 'chargily', checkoutId: CHECKOUT.id, status: 'pending', amount: 2000, currency: 'DZD' },
        ...{ live: false, paymentId: ORDER.paymentId, userId: 'user_42', instrument: null },
        ...{ checkoutUrl: CHECKOUT.checkout_url, createdAt: 1_700_000_000_000 },
        updatedAt: 1_700_000_000_000,
      },
    })
  })

  test('sends no user id that would not come back the same', async () => {
    const { chargily, asked } = await chargilyWithStub(() => ({ json: CHECKOUT }))
    const userIds = ['', ' padded ', 'x'.repeat(256), 'nul\u0000']
    for (const userId of userIds) await chargily.createCheckout({ ...ORDER, userId })
    const metadata = { payment_id: ORDER.paymentId, plan_id: 'pro', months: '12' }
    expect(asked.map(({ body }) => JSON.parse(body).metadata)).toEqual(userIds.map(() => metadata))
  })
})

describe('a call that failed says whether it may have been carried out', () => {
  const mayHaveBeen: [string, Reply, string][] = [
    ['silence after the request', 'no_answer', 'timeout'],
    ['the line cut after the request', 'cut', 'network'],
    ['an answer cut in the middle', 'partial', 'network'],
    ['a 500', { status: 500, json: { message: 'Server Error' } }, 'server_error'],
    ['a 502 page of a proxy', { status: 502, text: '<html>' }, 'server_error'],
    ['a 504', { status: 504, text: '' }, 'server_error'],
    ['a 408', { status: 408, text: '' }, 'timeout'],
    ['a 200 that is not JSON', { text: '<html>ok</html>' }, 'unreadable'],
    ['a 200 with a JSON list', { json: [CHECKOUT] }, 'unreadable'],
    ['a 200 without an id', { json: { ...CHECKOUT, id: null } }, 'unreadable'],
    ['a 200 that is malformed UTF-8', { text: Buffer.from('{"id":"\xff"}', 'latin1') }, 'unreadable'],
    ['a 200 of more than a mebibyte', { text: `"${'x'.repeat(1024 * 1024)}"` }, 'unreadable'],
    ['a redirect', { status: 302, headers: { location: '/login' } }, 'unreadable'],
  ]
  test('yes: whatever broke off after the request, or does not say it in full', async () => {
    for (const [name, reply, reason] of mayHaveBeen) {
      // Only silence needs a short limit. An answer gets the time that it needs.
      const timeouts = reply === 'no_answer' ? { timeouts: { writeMs: 150 } } : undefined
      const { chargily } = await chargilyWithStub(() => reply, timeouts)
      const failure = { kind: 'unavailable', reason, outcomeUnknown: true }
      expect([name, await chargily.createCheckout(ORDER)]).toMatchObject([name, { ok: false, failure }])
    }
  })

  test('no: the connection is refused, or it asked us to slow down', async () => {
    const chargily = createChargily({ secretKey: KEY, apiUrl: `http://127.0.0.1:${await freePort()}` })
    const expected = { ok: false, failure: { kind: 'unavailable', reason: 'network', outcomeUnknown: false } }
    expect(await chargily.createCheckout(ORDER)).toMatchObject(expected)
    const slow = await chargilyWithStub(() => ({ status: 429, headers: { 'retry-after': '17' } }))
    expect(await slow.chargily.createCheckout(ORDER)).toMatchObject({
      ok: false,
      failure: { reason: 'rate_limited', outcomeUnknown: false, retryAfterSeconds: 17 },
    })
  })

  test('no call is repeated by itself or follows a redirect: the key goes to one address only', async () => {
    const redirect = { status: 307, headers: { location: '/elsewhere' } }
    const led = await chargilyWithStub(() => redirect)
    await led.chargily.createCheckout(ORDER)
    expect(led.asked.map(({ path }) => path)).toEqual(['/test/api/v2/checkouts'])
    const { chargily, asked } = await chargilyWithStub(() => ({ status: 503 }))
    await chargily.createCheckout(ORDER)
    await chargily.getCheckout(CHECKOUT.id)
    expect(asked).toHaveLength(2)
  })
})

test('Retry-After is read in seconds or as a date, up to an hour', async () => {
  const read = async (headers: Record<string, string>) => {
    const date = 'Sat, 21 Nov 2026 12:00:00 GMT'
    const { chargily } = await chargilyWithStub(() => ({ status: 429, headers: { date, ...headers } }))
    const answer = await chargily.checkKey()
    return answer.ok ? answer : Object(answer.failure).retryAfterSeconds
  }
  const dates = ['12:01:30', '14:00:00', '11:59:00'].map((time) => `Sat, 21 Nov 2026 ${time} GMT`)
  const given = ['120', '31536000', 'soon', '-5', ...dates, 'Sat, x GMT']
  const found = await Promise.all(given.map((text) => read({ 'retry-after': text })))
  expect([...found, await read({})]).toEqual([...[120, 3600, null, null, 90, 3600, null, null, null]])
})

test('a refusal carries its status and its message', async () => {
  const sentence = 'The amount field must be greater than or equal to 50.'
  const { chargily } = await chargilyWithStub(() => ({ status: 422, json: { message: sentence } }))
  expect(await chargily.createCheckout(ORDER)).toEqual({
    ok: false,
    failure: { kind: 'rejected', status: 422, detail: `HTTP 422: ${sentence}` },
  })
  const bare = await chargilyWithStub(() => ({ status: 409, text: '' }))
  const failure = { kind: 'rejected', status: 409 }
  expect(await bare.chargily.createCheckout(ORDER)).toMatchObject({ ok: false, failure })
})

const answered = async (reply: Reply) => (await chargilyWithStub(() => reply)).chargily
const UNREADABLE = { ok: false, failure: { kind: 'unavailable', reason: 'unreadable' } }

describe('a checkout', () => {
  test('that the provider does not know is null, by a 404 of Chargily’s and by no other', async () => {
    const unknown = await answered({ status: 404, json: { message: 'Not Found.' } })
    expect(await unknown.getCheckout(CHECKOUT.id)).toEqual({ ok: true, value: null })
    expect(await unknown.expireCheckout(CHECKOUT.id)).toEqual({ ok: true, value: null })
    const message = 'The route test/api/v2/checkouts/x could not be found.'
    for (const other of [{ text: '<html>nginx</html>' }, { json: { message } }]) {
      const chargily = await answered({ status: 404, ...other })
      expect(await chargily.getCheckout(CHECKOUT.id)).toMatchObject(UNREADABLE)
    }
  })

  test('whose id is none is null without a call; another checkout is unreadable', async () => {
    const { chargily, asked } = await chargilyWithStub(() => ({ json: CHECKOUT }))
    for (const id of ['', '.', '..', '../balance', 'a/b', 'a?b', 'x'.repeat(65), 'né']) {
      expect([id, await chargily.getCheckout(id)]).toEqual([id, { ok: true, value: null }])
      expect([id, await chargily.expireCheckout(id)]).toEqual([id, { ok: true, value: null }])
    }
    expect(asked).toEqual([])
    expect(await chargily.getCheckout('another')).toMatchObject(UNREADABLE)
  })

  test('is ended while it is pending; where that is refused, the answer is what it is instead', async () => {
    const { chargily, asked } = await chargilyWithStub(() => ({ json: { ...CHECKOUT, status: 'expired' } }))
    const ended = await chargily.expireCheckout(CHECKOUT.id)
    expect(ended).toMatchObject({ ok: true, value: { status: 'expired' } })
    const calls = asked.map(({ method, path }) => `${method} ${path}`)
    expect(calls).toEqual([`POST /test/api/v2/checkouts/${CHECKOUT.id}/expire`])
    for (const [status, now] of [
      [400, 'expired'],
      [403, 'paid'],
    ] as const) {
      const refused = await chargilyWithStub(({ method }) =>
        method === 'POST' ? { status, json: { message: 'no' } } : { json: { ...CHECKOUT, status: now } },
      )
      const answer = await refused.chargily.expireCheckout(CHECKOUT.id)
      expect(answer).toMatchObject({ ok: true, value: { status: now } })
    }
    // The second lookup does not hide that the key is refused.
    const forbidden = await answered({ status: 403, json: { message: 'Forbidden' } })
    const answer = await forbidden.expireCheckout(CHECKOUT.id)
    expect(answer).toMatchObject({ ok: false, failure: { status: 403 } })
  })
})

test('the key is proven by the balance of its mode or of none, and by nothing else', async () => {
  const { chargily, asked } = await chargilyWithStub(() => ({ json: { entity: 'balance', livemode: false } }))
  expect(await chargily.checkKey()).toEqual({ ok: true, value: true })
  expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /test/api/v2/balance'])
  const check = async (reply: Reply) => (await answered(reply)).checkKey()
  expect(await check({ json: { entity: 'balance' } })).toEqual({ ok: true, value: true })
  const rejected = { ok: false, failure: { kind: 'rejected' } }
  const wrong = await check({ status: 401, json: { message: 'Unauthenticated.' } })
  expect(wrong).toMatchObject({ ok: false, failure: { kind: 'rejected', status: 401 } })
  expect(await check({ json: { entity: 'balance', livemode: 'true' } })).toMatchObject(rejected)
  expect(await check({ json: { hello: 'world' } })).toMatchObject(UNREADABLE)
})

const TEST_KEY = 'test_sk_abc'
const LIVE_KEY = 'live_sk_abc'

const CALLED = [
  [TEST_KEY, undefined, 'https://pay.chargily.net/test/api/v2'],
  [LIVE_KEY, undefined, 'https://pay.chargily.net/api/v2'],
  [TEST_KEY, 'http://127.0.0.1:3001', 'http://127.0.0.1:3001/test/api/v2'],
  [LIVE_KEY, 'http://127.0.0.1:3001/', 'http://127.0.0.1:3001/api/v2'],
  [LIVE_KEY, 'http://localhost:3001', 'http://localhost:3001/api/v2'],
  [TEST_KEY, 'http://emulator:4000/chargily', 'http://emulator:4000/chargily/test/api/v2'],
  [TEST_KEY, 'https://proxy.example.dz/pay/api/v2/', 'https://proxy.example.dz/pay/api/v2'],
] as const

test('a key calls the side of its mode, at any address', () => {
  for (const [secretKey, apiUrl, baseUrl] of CALLED) {
    const account = { secretKey, ...(apiUrl && { apiUrl }) }
    expect(apiAddressOf(account)).toBe(baseUrl)
    expect(createChargily(account).live).toBe(secretKey === LIVE_KEY)
  }
})

// The log of a call has enough to understand it, and nothing that a thief could use.
describe('what is logged', () => {
  test('one line a call, with its path, status and duration', async () => {
    const { chargily, lines } = await chargilyWithStub(() => ({ json: CHECKOUT }))
    await chargily.createCheckout(ORDER)
    expect(lines).toEqual([
      {
        ...{ event: 'provider_called', method: 'POST', path: '/checkouts', status: 200 },
        took_ms: expect.any(Number),
      },
    ])
  })

  test('no key, signature, e-mail address or merchant document, whatever the answer repeats', async () => {
    const signature = 'ab'.repeat(32)
    const leak = `Bearer ${KEY} test_pk_public ${signature} owner@shop.example.dz \u0000`
    const { chargily, lines } = await chargilyWithStub(() => ({
      status: 422,
      json: { message: leak, errors: { [KEY]: [leak] }, account: { nif: '000016001234567' } },
    }))
    const answer = await chargily.createCheckout(ORDER)
    const written = JSON.stringify([lines, answer])
    expect(lines).toHaveLength(1)
    for (const secret of [KEY, 'test_pk_public', signature, 'owner@shop', '000016001234567', '\\u0000']) {
      expect(written).not.toContain(secret)
    }
    expect(written).toContain('[key]')
  })

  test('a key of an unusual alphabet is known all the same', () => {
    const key = 'live_sk_a.b/c+d'
    expect(redact(`Bearer ${key}!`, [key])).toBe('Bearer [key]!')
  })

  test('a network failure that names the header keeps the key to itself', async () => {
    const lines: unknown[] = []
    const failing: Send = async () => {
      throw new TypeError(`invalid header value "Bearer ${KEY}"`)
    }
    const chargily = createChargily({ secretKey: KEY, send: failing, log: (line) => lines.push(line) })
    const answer = await chargily.createCheckout(ORDER)
    expect(JSON.stringify([lines, answer])).not.toContain(KEY)
    expect(JSON.stringify(lines)).toContain('provider_call_failed')
  })
})

// "None" leads to a second checkout, so it must be certain.
/** Seconds; the list is written in them. */
const SINCE = 1_700_000_000

/** One checkout a second, the newest first: number 0 was made at `SINCE + 100`. */
const others = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...CHECKOUT,
    id: `other${from + n}`,
    metadata: null,
    created_at: SINCE + 100 - (from + n),
  }))

/** A list server over `all`, 50 a page, with correct paging. */
function listOf(all: readonly object[]) {
  return ({ path }: { path: string }) => {
    const page = Number(new URL(path, 'http://far.side').searchParams.get('page'))
    const last_page = Math.max(1, Math.ceil(all.length / 50))
    const next_page_url = page < last_page ? `http://far.side/?page=${page + 1}` : null
    return {
      json: { data: all.slice((page - 1) * 50, page * 50), current_page: page, last_page, next_page_url },
    }
  }
}

/** Finds the checkout in `all` since then, and counts the pages asked for. */
async function find(reply: Parameters<typeof chargilyWithStub>[0], since = SINCE) {
  const { chargily, asked } = await chargilyWithStub(reply)
  return { found: await chargily.list.find(ORDER.paymentId, since * 1000), pages: asked.length }
}

const ours = { ok: true, value: [{ checkoutId: CHECKOUT.id }] }
const none = { ok: true, value: [] }
const unreadable = { ok: false, failure: { kind: 'unavailable', reason: 'unreadable' } }

test('finds the checkouts of a payment on whatever page', async () => {
  const mine = [0, 60].map((n) => ({ ...CHECKOUT, id: `mine${n}`, created_at: SINCE + n }))
  const { chargily, asked } = await chargilyWithStub(listOf([mine[0] ?? {}, ...others(0, 60), mine[1] ?? {}]))
  const answer = await chargily.list.find(ORDER.paymentId, SINCE * 1000)
  expect(answer.ok && answer.value.map(({ checkoutId }) => checkoutId)).toEqual(['mine0', 'mine60'])
  const pages = [1, 2].map((page) => `/test/api/v2/checkouts?per_page=50&page=${page}`)
  expect(asked.map(({ path }) => path)).toEqual(pages)
  expect(await find(listOf([]))).toEqual({ found: none, pages: 1 })
})

test('stops at the page on which all are older than the order, with a margin for two clocks', async () => {
  // With 600 s of margin number 701 is the first that is too old. Page 16 (750 to 799) has no other.
  expect(await find(listOf(others(0, 5_000)))).toEqual({ found: none, pages: 16 })
})

test('reads to its end a list that runs from old to new, and one without dates', async () => {
  const old = others(10_000, 120).reverse()
  // 120 old ones and ours: 50 + 50 + 21.
  expect(await find(listOf([...old, CHECKOUT]))).toMatchObject({ found: ours, pages: 3 })
  const undated = others(10_000, 50).map((other) => ({ ...other, created_at: null }))
  expect(await find(listOf([...undated, CHECKOUT]))).toMatchObject({ found: ours })
})

test('a list that is longer than we walk is no proof: the answer is "not known"', async () => {
  const longAgo = SINCE - 86_400
  expect(await find(listOf(others(0, 5_000)), longAgo)).toMatchObject({ found: unreadable, pages: 40 })
})

test('a list that promises a next page for ever, or does not turn the page, is an error', async () => {
  const endless = { data: others(0, 50), next_page_url: 'http://far.side/again' }
  // The second page brought nothing new.
  expect(await find(() => ({ json: endless }))).toMatchObject({ found: { ok: false }, pages: 2 })
  const first = { data: others(0, 50), current_page: 1, last_page: 9 }
  expect(await find(() => ({ json: first }))).toMatchObject({ found: unreadable })
})

test('trouble on a later page hides nothing that was found, and proves no absence', async () => {
  const answer = (first: object) => {
    const honest = listOf([first, ...others(0, 200)])
    return (asked: { path: string }) => (asked.path.endsWith('page=1') ? honest(asked) : { status: 500 })
  }
  expect(await find(answer(CHECKOUT))).toMatchObject({ found: ours })
  const unknown = await find(answer({ ...CHECKOUT, metadata: null }))
  expect(unknown.found).toMatchObject({ ok: false, failure: { reason: 'server_error' } })
})
