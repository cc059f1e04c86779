// The client against the real service, and against one that is down, slow or stumbling.
import {
  BillingConfigurationError,
  BillingUnreachableError,
  type ClientOptions,
  createClient,
} from '../../packages/client/src/index.js'
import { makeCodes, VOUCHER } from '../support/codes.js'
import { emptyDatabase } from '../support/databases.js'
import { operatorOf } from '../support/operator.js'
import { PLATFORM_KEY } from '../support/platform.js'
import { jpeg } from '../support/proof-files.js'
import { TRANSFER_FILE } from '../support/setting-files.js'
import { checkoutIdOf, createWorld } from '../support/world.js'

const A_URL = 'the address of billing, as https://billing.example.dz'
const A_KEY = 'one of the keys of the service, in ASCII on one line'
const FRENCH = { lang: 'fr' } as const

let users = 0
let userId: string
const world = await createWorld(await emptyDatabase('pglite'), { env: { TRANSFER_FILE } })
beforeEach(() => {
  users += 1
  userId = `user/${users}`
})
afterAll(() => world.stop())

it('an address or a key that no call can work with is refused at once, and the key is not shown', () => {
  const host = 'example.dz'
  for (const url of [host, 'localhost:3000', `ftp://${host}`, `http://a:b@${host}`, 'http://', ''])
    expect(() => clientOf({ url }), url).toThrow(new TypeError(`url must be ${A_URL}`))
  for (const apiKey of ['', 'secret\nkey', 'clé', 'secret\n', 'secret…', undefined])
    expect(() => clientOf({ apiKey: apiKey as string }), apiKey).toThrow(
      new TypeError(`apiKey must be ${A_KEY}`),
    )
})

/** The road to billing, which can be cut: what a platform sees of an outage. */
function road() {
  const state = { isCut: false, calls: 0, answersLost: 0 }
  const send: typeof fetch = async (input, init) => {
    state.calls += 1
    if (state.isCut) throw new TypeError('fetch failed')
    const response = await fetch(input, init)
    if (state.answersLost === 0) return response
    state.answersLost -= 1
    throw new TypeError('terminated')
  }
  return { state, send }
}

function clientOf(options: Partial<ClientOptions> = {}) {
  return createClient({
    url: world.url,
    apiKey: PLATFORM_KEY,
    whenUnreachable: 'closed',
    // The usual second may pass on a busy machine.
    timeoutMs: 60_000,
    now: () => world.clock.now(),
    ...options,
  })
}

describe('a client in reach of billing', () => {
  it('asks, gives back, reports and reads; an answer that was lost counts once', async () => {
    const { state, send } = road()
    const client = clientOf({ fetch: send })
    state.answersLost = 1
    expect(await client.consume(userId, 'deploys_per_day', { operation_id: 'd-1' })).toEqual({
      ...{ allowed: true, limit: 10, used: 1, remaining: 9, reason: null },
      ...{ resets_at: '2026-11-21T23:00:00Z', source: 'billing' },
    })
    expect((await client.release(userId, 'deploys_per_day', { operation_id: 'd-1' })).used).toBe(0)
    await client.reportUsage(userId, 'storage_mb', { used: 120 })
    await client.updateUser(userId, { email: 'a@example.dz', locale: 'fr' })
    const user = await client.user(userId)
    expect([user.user_id, user.usage.storage_mb, user.locale]).toEqual([userId, 120, 'fr'])
  })

  it('reads the lists of all users, payments and events', async () => {
    const client = clientOf()
    await world.as(userId).buy()
    const { data: users } = await client.listUsers({ state: 'active', plan: 'pro' })
    expect(users.map((user) => user.user_id)).toContain(userId)
    const { data: payments } = await client.listPayments({ created_from: '2026-11-21', limit: 1 })
    expect(payments).toMatchObject([{ user_id: userId, status: 'paid' }])
    const { next_cursor: after } = await client.listEvents({ limit: 1000 })
    await world.as(`${userId}/other`).buy()
    const { data: events, has_more: hasMore } = await client.listEvents({ after })
    expect([events.map(({ type }) => type), hasMore]).toEqual([
      ['payment.paid', 'subscription.activated'],
      false,
    ])
    await expect(client.listEvents({ after: 'x' })).rejects.toMatchObject({ code: 'invalid_cursor' })
  })

  it('sells a month whole: portal, page to pay on, payments, receipt, status', async () => {
    const client = clientOf()
    expect((await client.plans()).map(({ id }) => id)).toEqual(['free', 'pro'])
    const link = await client.openPortal(userId, { return_path: '/settings' })
    expect((await fetch(link.url, { redirect: 'manual' })).headers.get('location')).toMatch(/\/portal$/)
    expect(new URL((await client.openPortal(userId)).url).pathname).toMatch(/\/portal\/open$/)
    const { checkout_url, payment_id } = await client.upgrade(userId, 'pro')
    expect((await client.overview(userId)).pending_payment?.id).toBe(payment_id)
    await expect(client.receipt(userId, payment_id)).rejects.toMatchObject({ code: 'payment_not_paid' })
    await world.emulator.pay(checkoutIdOf(checkout_url), 'paid')
    await world.emulator.settled()
    const page = await client.payments(userId, { status: 'paid', limit: 1 })
    expect(page.data).toEqual([await client.payment(userId, payment_id)])
    const own = await client.receipt(userId, payment_id)
    expect(Buffer.from(own).toString('latin1', 0, 5)).toBe('%PDF-')
    expect(Buffer.from(await client.receipt(userId, payment_id, FRENCH)).equals(own)).toBe(false)
    expect(await client.status(userId)).toMatchObject({ plan: 'pro', status: 'active' })
  })

  it('says what is sold, quotes it, and buys it once', async () => {
    const { state, send } = road()
    const client = clientOf({ fetch: send })
    const offer = { plan: 'pro', months: 1, price: 2000, currency: 'DZD' }
    expect(await client.offers()).toEqual([{ ...offer, saves: 0 }])
    const quote = await client.quote(userId, { plan: 'pro' })
    expect(quote).toMatchObject({ ...offer, amount: 2000, would_end: '2026-12-21T12:00:00Z' })
    state.answersLost = 1
    const payment = await client.createPayment(userId, { plan: 'pro', months: 1 })
    expect(payment).toMatchObject({ status: 'pending', amount: quote.amount, method: 'card' })
    expect((await client.createPayment(userId, { plan: 'pro' })).id).toBe(payment.id)
    state.answersLost = 1
    expect((await client.upgrade(userId, 'pro')).payment_id).toBe(payment.id)
  })

  it('asks for a transfer, and shows it', async () => {
    const client = clientOf()
    const { id, transfer } = await client.createPayment(userId, { plan: 'pro', method: 'transfer' })
    const of = `/api/v1/platform/users/${encodeURIComponent(userId)}/payments/${id}`
    expect(transfer?.proof_url).toContain(of)
    const file = new Uint8Array(jpeg())
    expect(await client.uploadProof(userId, id, file)).toMatchObject({ n: 1, type: 'image/jpeg' })
    expect(await client.uploadProof(userId, id, new Blob([file]))).toMatchObject({ n: 1 })
  })

  it('redeems a code once: where the answer is lost it does not repeat, and the list tells', async () => {
    const { state, send } = road()
    const client = clientOf({ fetch: send })
    const [code = '', other = ''] = (await makeCodes(operatorOf(world), { ...VOUCHER, count: 2 })).codes
    expect(await client.redeem(userId, code)).toMatchObject({ plan: 'pro', months: 1 })
    state.answersLost = 1
    const callsBefore = state.calls
    await expect(client.redeem(userId, other)).rejects.toThrow(BillingUnreachableError)
    expect(state.calls).toBe(callsBefore + 1)
    const { data } = await client.redemptions(userId)
    expect(data).toMatchObject([{ plan: 'pro' }, { plan: 'pro' }])
    expect(await client.redeem(userId, other)).toMatchObject({ plan: 'pro', months: 1 })
    expect((await client.redemptions(userId)).data).toEqual(data)
  })

  it('throws what billing refuses, with its code, and asks only once', async () => {
    const { state, send } = road()
    const refused = clientOf({ fetch: send }).consume(userId, 'domains_per_project', { operation_id: 'd-1' })
    const name = 'BillingApiError'
    await expect(refused).rejects.toMatchObject({ name, status: 422, code: 'validation_failed' })
    expect(state.calls).toBe(1)
  })

  it('throws a wrong key as an error of configuration, whatever the call and the policy', async () => {
    const client = clientOf({ apiKey: 'not_the_key_of_the_platform', whenUnreachable: 'open' })
    const calls = [
      () => client.consume(userId, 'projects', { operation_id: 'p-1' }),
      () => client.user(userId),
      () => client.createPayment(userId, { plan: 'pro' }),
      () => client.uploadProof(userId, 'pay_1', new Uint8Array(9)),
      () => client.redeem(userId, 'CODE'),
      () => client.receipt(userId, 'pay_1'),
    ]
    for (const call of calls) {
      const error = await call().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(BillingConfigurationError)
      expect(error).toMatchObject({ status: 401, code: 'unauthenticated' })
    }
  })
})

describe('a client out of reach', () => {
  it('decides on the last known figures, and counts what it lets through', async () => {
    const { state, send } = road()
    const client = clientOf({ fetch: send })
    await client.consume(userId, 'deploys_per_day', { operation_id: 'known', amount: 8 })
    state.isCut = true
    const deploy = (id: string) => client.consume(userId, 'deploys_per_day', { operation_id: id })
    expect(await deploy('one')).toMatchObject({ allowed: true, used: 9, source: 'remembered' })
    expect(await deploy('one')).toMatchObject({ allowed: true, used: 9 })
    expect(await deploy('two')).toMatchObject({ allowed: true, used: 10, remaining: 0 })
    expect(await deploy('three')).toMatchObject({ allowed: false, used: 10, reason: 'limit_reached' })
    state.isCut = false
    // Billing has not heard of the two.
    expect(await deploy('four')).toMatchObject({ used: 9, source: 'billing' })
  })

  it('says what its policy says where nothing is known', async () => {
    const { state, send } = road()
    state.isCut = true
    for (const [whenUnreachable, allowed] of [
      ['open', true],
      ['closed', false],
    ] as const) {
      const client = clientOf({ fetch: send, whenUnreachable })
      expect(await client.consume(userId, 'projects', { operation_id: 'p-1' })).toEqual({
        ...{ allowed, limit: null, used: null, remaining: null, resets_at: null },
        ...{ reason: 'billing_unreachable', source: 'policy' },
      })
    }
  })

  it('forgets after a minute, and at the end of the day', async () => {
    const { state, send } = road()
    let now = Date.parse('2026-11-21T12:00:00Z')
    const client = clientOf({ fetch: send, now: () => now })
    const ask = async (limit: 'projects' | 'deploys_per_day') =>
      (await client.consume(userId, limit, { operation_id: `${limit} ${now}` })).source
    expect([await ask('projects'), await ask('deploys_per_day')]).toEqual(['billing', 'billing'])
    state.isCut = true
    now += 60_000
    expect(await ask('projects')).toBe('remembered')
    now += 1
    expect(await ask('projects')).toBe('policy')
    // The day ended at 23:00 UTC, long before the hour in which this client remembers.
    state.isCut = false
    const patient = clientOf({ fetch: send, now: () => now, rememberLimitsMs: 24 * 3_600_000 })
    await patient.consume(userId, 'deploys_per_day', { operation_id: 'last' })
    state.isCut = true
    now = Date.parse('2026-11-21T23:00:00Z')
    const morning = await patient.consume(userId, 'deploys_per_day', { operation_id: 'morning' })
    expect(morning.source).toBe('policy')
  })

  it('throws from every other call, with nothing of an answer', async () => {
    const { state, send } = road()
    state.isCut = true
    const unreachable = clientOf({ fetch: send })
    const nothing = {
      ...{ name: 'BillingUnreachableError', message: 'billing is unreachable' },
      ...{ status: null, code: null, requestId: null, retryAfter: null, problem: null },
    }
    await expect(unreachable.user(userId)).rejects.toMatchObject(nothing)
    await expect(unreachable.reportUsage(userId, 'projects', { used: 1 })).rejects.toMatchObject(nothing)
  })
})

it('keeps what a 503 says: that billing is there, why it cannot answer, and when to ask again', async () => {
  // A second call, before that time, would have been answered.
  world.emulator.setFaults({ api_5xx: { times: 1 } })
  const call = clientOf({ timeoutMs: 4_000 }).createPayment(userId, { plan: 'pro' })
  const error = await call.catch((thrown: unknown) => thrown)
  const { requestId } = error as BillingUnreachableError
  const code = 'provider_unavailable'
  expect(error).toBeInstanceOf(BillingUnreachableError)
  expect(error).toMatchObject({
    ...{ status: 503, code, requestId: expect.stringMatching(/^\S{8,}$/), retryAfter: 5 },
    problem: { title: 'Payment provider unavailable', code, request_id: requestId },
  })
  expect(String(error)).toContain(`503 ${code} (request ${requestId})`)
})

describe('a service that stumbles', () => {
  it('is asked once more after a 503', async () => {
    let calls = 0
    const send: typeof fetch = (input, init) => {
      calls += 1
      return calls === 1 ? Promise.resolve(new Response('', { status: 503 })) : fetch(input, init)
    }
    const answer = await clientOf({ fetch: send }).consume(userId, 'projects', { operation_id: 'p-1' })
    expect([answer.source, calls]).toEqual(['billing', 2])
  })

  it.each([
    ['never answers', () => new Promise<Response>(() => undefined)],
    ['never ends its answer', async () => new Response(new ReadableStream())],
  ])('that %s is given up after the time that was given', async (_what, answer) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const answered = vi.fn()
    const hanging = vi.fn(answer)
    const client = clientOf({ fetch: hanging, timeoutMs: 200, whenUnreachable: 'open' })
    const asked = client.consume(userId, 'projects', { operation_id: 'p-1' }).then(answered)
    await vi.advanceTimersByTimeAsync(100)
    expect(hanging).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(99)
    expect(answered).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await asked
    expect(hanging).toHaveBeenCalledTimes(2)
    expect(answered).toHaveBeenCalledWith(expect.objectContaining({ source: 'policy' }))
    const reading = expect(client.receipt(userId, 'pay_1')).rejects.toThrow(BillingUnreachableError)
    await vi.advanceTimersByTimeAsync(200)
    await reading
  })
})
