// The provider's webhook: what is accepted, what is booked, and what is answered.
import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { CHARGILY_KEY, createWorld, type World } from '../../../../test/support/world.js'
import { statement } from '../database/database.js'

const WEBHOOK = '/api/v1/billing/webhook'
const countRows = (table: string) =>
  statement(`test.count_${table}`, `select count(*)::int as count from ${table}`)

/** An event as Chargily writes it, about this checkout; `changes` make it odd. */
function anEvent(checkout: Record<string, unknown>, changes: Record<string, unknown> = {}) {
  return { id: 'evt-1', entity: 'event', type: 'checkout.paid', livemode: false, data: checkout, ...changes }
}

const moveVersions = statement('test.move_versions', 'update users set version = version + 1')

const sign = (body: string | Uint8Array, key = CHARGILY_KEY) =>
  createHmac('sha256', key).update(body).digest('hex')

describeScenario('the webhook', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), {
      env: { CHARGILY_WEBHOOK_KEYS: 'test_sk_previous00000000000000000000000000000' },
    })
  })
  afterEach(() => world.stop())

  const deliver = (event: unknown, signature?: string) => {
    const body = JSON.stringify(event)
    const headers = { signature: signature ?? sign(body), 'content-type': 'application/json' }
    return world.call('POST', WEBHOOK, { body, headers })
  }
  /** A pending payment of user-1, and its checkout as the provider would report it paid. */
  const opened = async (changes: Record<string, unknown> = {}) => {
    const { paymentId, checkoutId } = await world.as('user-1').upgrade()
    const metadata = { payment_id: paymentId, user_id: 'user-1' }
    const now = world.clock.now() / 1000
    const checkout = { id: checkoutId, entity: 'checkout', status: 'paid', amount: 2000, currency: 'dzd' }
    return {
      paymentId,
      checkoutId,
      checkout: {
        ...checkout,
        livemode: false,
        metadata,
        payment_method: 'cib',
        created_at: now,
        updated_at: now,
        ...changes,
      },
    }
  }
  const statusOf = async (user: string) => (await world.as(user).get('/api/v1/billing/status')).body
  const paymentStatus = async (id: string) =>
    (await world.as('user-1').get(`/api/v1/billing/payments/${id}`)).body.status
  const rows = async (table: string) => Number((await database().query(countRows(table)))[0]?.count)

  it('books the payment, then answers 200', async () => {
    const { checkout } = await opened()
    const answer = await deliver(anEvent(checkout))
    expect([answer.status, answer.text]).toEqual([200, '{"received":true}'])
    expect(await statusOf('user-1')).toMatchObject({ plan: 'pro', payment_method: 'cib' })
  })

  it('answers a known event id with duplicate, and changes nothing', async () => {
    const { checkout } = await opened()
    await deliver(anEvent(checkout))
    const before = await statusOf('user-1')
    const answer = await deliver(anEvent(checkout))
    expect([answer.status, answer.text]).toEqual([200, '{"received":true,"duplicate":true}'])
    expect(await statusOf('user-1')).toEqual(before)
  })

  it('a second event for the same checkout changes nothing', async () => {
    const { checkout } = await opened()
    await deliver(anEvent(checkout))
    const answer = await deliver(anEvent(checkout, { id: 'evt-2' }))
    expect(answer.text).toBe('{"received":true}')
    expect((await statusOf('user-1')).current_period_end).toBe('2026-12-21T12:00:00Z')
    expect(await rows('receipts')).toBe(1)
  })

  it('200 different events for one paid checkout, all at once, are all answered 200 and kept', async () => {
    const { checkout } = await opened()
    const events = Array.from({ length: 200 }, (_, index) => anEvent(checkout, { id: `evt-${index}` }))
    const answers = await Promise.all(events.map((event) => deliver(event)))
    expect(answers.map(({ status }) => status)).toEqual(events.map(() => 200))
    expect([await rows('provider_events'), await rows('receipts')]).toEqual([200, 1])
    expect((await statusOf('user-1')).current_period_end).toBe('2026-12-21T12:00:00Z')
    const again = await Promise.all(events.map((event) => deliver(event)))
    expect(again.filter(({ body }) => body.duplicate)).toHaveLength(200)
  })

  it(
    'an event that loses every race for the user gets 503 with Retry-After, and is booked when it comes ' +
      'again',
    async () => {
      const { checkout } = await opened()
      const real = database()
      await using contended = await createWorld(
        {
          kind: real.kind,
          transaction: (work) => real.transaction(work),
          script: (sql) => real.script(sql),
          close: async () => undefined,
          query: async (asked, parameters) => {
            if (asked.name === 'settlements.save') await real.query(moveVersions)
            return real.query(asked, parameters)
          },
        },
        { emulator: world.emulator, clock: world.clock },
      )
      const body = JSON.stringify(anEvent(checkout))
      const headers = { signature: sign(body), 'content-type': 'application/json' }
      const refused = await contended.call('POST', WEBHOOK, { body, headers })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
      expect((await deliver(anEvent(checkout))).text).toBe('{"received":true}')
      expect(await statusOf('user-1')).toMatchObject({ plan: 'pro' })
    },
  )

  it('five deliveries of each event, all at once, in any order, buy one period', async () => {
    const { checkout } = await opened()
    const events = ['paid', 'failed', 'expired'].flatMap((status, index) =>
      Array.from({ length: 5 }, () =>
        anEvent({ ...checkout, status }, { id: `evt-${index}`, type: `checkout.${status}` }),
      ),
    )
    for (const order of [events, [...events].reverse()]) {
      const answers = await Promise.all(order.map((event) => deliver(event)))
      expect(answers.every((answer) => answer.status === 200)).toBe(true)
    }
    expect(await statusOf('user-1')).toMatchObject({
      plan: 'pro',
      current_period_end: '2026-12-21T12:00:00Z',
    })
    expect([await rows('provider_events'), await rows('receipts')]).toEqual([3, 1])
  })

  describe('refuses, and stores nothing', () => {
    it.each([
      ['a missing signature', ''],
      ['a wrong signature', 'f'.repeat(64)],
      ['half a signature', 'abc'],
      ['a signature that is no hex', 'z'.repeat(64)],
      ['a prefix that others use', `sha256=${'a'.repeat(64)}`],
    ])('%s', async (_name, signature) => {
      const { checkout } = await opened()
      const answer = await deliver(anEvent(checkout), signature)
      expect([answer.status, answer.body.code]).toEqual([401, 'invalid_signature'])
      expect(await rows('provider_events')).toBe(0)
      expect((await statusOf('user-1')).plan).toBe('free')
    })

    it('a body whose bytes were changed after signing, even if it means the same', async () => {
      const { checkout } = await opened()
      const body = JSON.stringify(anEvent(checkout))
      const headers = { signature: sign(body) }
      const answer = await world.call('POST', WEBHOOK, { body: `${body} `, headers })
      expect(answer.status).toBe(401)
    })

    it('a signed body that is not JSON, with 400', async () => {
      const body = '{"id":'
      const answer = await world.call('POST', WEBHOOK, { body, headers: { signature: sign(body) } })
      expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json'])
    })

    it('more than 64 KiB, with 413', async () => {
      const body = 'x'.repeat(64 * 1024 + 1)
      const answer = await world.call('POST', WEBHOOK, { body, headers: { signature: sign(body) } })
      expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large'])
    })
  })

  it('believes an event signed with the previous key while keys are rotated', async () => {
    const { checkout } = await opened()
    const body = JSON.stringify(anEvent(checkout))
    const signature = sign(body, 'test_sk_previous00000000000000000000000000000')
    expect((await deliver(anEvent(checkout), signature)).status).toBe(200)
    expect((await statusOf('user-1')).plan).toBe('pro')
  })

  it.each([
    ['amount', { amount: 50 }],
    ['amount (more than the price)', { amount: 20_000 }],
    ['currency', { currency: 'eur' }],
    ['mode', { livemode: true }],
    ['payment id', { metadata: { payment_id: 'pay_00000000000000000000000000', user_id: 'user-1' } }],
    ['metadata', { metadata: [] }],
  ])(
    'puts a payment under review when the %s differs, grants nothing, and answers 200',
    async (_name, change) => {
      const { checkout, paymentId } = await opened(change)
      expect((await deliver(anEvent(checkout))).status).toBe(200)
      expect(await paymentStatus(paymentId)).toBe('review')
      expect(await statusOf('user-1')).toMatchObject({ plan: 'free', status: 'active' })
    },
  )

  it.each(['failed', 'canceled', 'expired'])(
    'lets paid win over %s, whichever comes first',
    async (status) => {
      const { checkout, paymentId } = await opened()
      const lost = anEvent({ ...checkout, status }, { id: 'evt-lost', type: `checkout.${status}` })
      await deliver(lost)
      expect(await paymentStatus(paymentId)).toBe(status)
      await deliver(anEvent(checkout))
      await deliver({ ...lost, id: 'evt-late' })
      expect(await paymentStatus(paymentId)).toBe('paid')
      expect((await statusOf('user-1')).plan).toBe('pro')
    },
  )

  it('keeps events about checkouts and types that we do not know, and answers 200', async () => {
    const { checkout } = await opened()
    const foreign = { ...checkout, id: '01m7zzzzzzzzzzzzzzzzzzzzzz', metadata: null }
    expect((await deliver(anEvent(foreign))).text).toBe('{"received":true}')
    expect((await deliver(anEvent(foreign))).text).toBe('{"received":true,"duplicate":true}')
    const strange = anEvent({}, { id: 'evt-9', type: 'payout.sent', data: { entity: 'payout' } })
    expect((await deliver(strange)).status).toBe(200)
    expect([await rows('provider_events'), await rows('unmatched_events')]).toEqual([0, 2])
  })

  it('counts from the provider’s instant of payment, not from the arrival of the news', async () => {
    const { checkout } = await opened()
    await world.advance(3 * 3600)
    await deliver(anEvent(checkout))
    expect((await statusOf('user-1')).current_period_end).toBe('2026-12-21T12:00:00Z')
  })

  it('stacks a second paid checkout of one intent as another month, marked', async () => {
    const { checkout } = await opened()
    await deliver(anEvent(checkout))
    const second = { ...checkout, id: '01m7yyyyyyyyyyyyyyyyyyyyyy' }
    await deliver(anEvent(second, { id: 'evt-2' }))
    expect((await statusOf('user-1')).current_period_end).toBe('2027-01-21T12:00:00Z')
    const { data } = (await world.as('user-1').get('/api/v1/billing/payments?status=paid')).body
    expect(data).toHaveLength(2)
  })

  it('reads the dialect of the documents as well: livemode as text, no currency, `url`', async () => {
    const { checkout } = await opened({
      livemode: undefined,
      currency: undefined,
      url: 'https://pay.chargily.dz/x',
    })
    await deliver(anEvent(checkout, { livemode: 'false' }))
    expect((await statusOf('user-1')).plan).toBe('pro')
  })
})
