import { createHmac } from 'node:crypto'
import { databaseWith } from '../../../../test/support/database-with.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { sql } from '../../../../test/support/sql.js'
import { CHARGILY_KEY, type World } from '../../../../test/support/world.js'
import { statement } from '../database/database.js'

const WEBHOOK = '/api/v1/billing/webhook'
const countRows = (table: string) =>
  statement(`test.count_${table}`, `select count(*)::int as count from ${table}`)

/** An event about this checkout, in Chargily's form. `changes` make it unusual. */
function anEvent(checkout: Record<string, unknown>, changes: Record<string, unknown> = {}) {
  return { id: 'evt-1', entity: 'event', type: 'checkout.paid', livemode: false, data: checkout, ...changes }
}

const moveVersions = sql('update users set version = version + 1')

const sign = (body: string) => createHmac('sha256', CHARGILY_KEY).update(body).digest('hex')

describeWorldOnEach('the webhook', {}, ({ world, database, beside }) => {
  const deliver = (event: unknown, signature?: string, to: Pick<World, 'call'> = world) => {
    const body = JSON.stringify(event)
    const headers = { signature: signature ?? sign(body), 'content-type': 'application/json' }
    return to.call('POST', WEBHOOK, { body, headers })
  }
  const opened = async (changes: Record<string, unknown> = {}, userId = 'user-1') => {
    const { paymentId, checkoutId } = await world.as(userId).upgrade()
    const metadata = { payment_id: paymentId, user_id: userId }
    const now = world.clock.now() / 1000
    const checkout = {
      ...{ id: checkoutId, entity: 'checkout', status: 'paid', amount: 2000, currency: 'dzd' },
      ...{ livemode: false, metadata, payment_method: 'cib', created_at: now, updated_at: now },
      ...changes,
    }
    return { paymentId, checkoutId, checkout }
  }
  const statusOf = async (user: string) => (await world.as(user).get('/api/v1/billing/status')).body
  const rows = async (table: string) => Number((await database().query(countRows(table)))[0]?.count)

  it('books a payment once, whether an event comes again or a second one comes for it', async () => {
    const { checkout } = await opened()
    const answer = await deliver(anEvent(checkout))
    expect([answer.status, answer.text]).toEqual([200, '{"received":true}'])
    expect(await statusOf('user-1')).toMatchObject({ plan: 'pro', payment_method: 'cib' })
    const before = await statusOf('user-1')
    const known = await deliver(anEvent(checkout))
    expect([known.status, known.text]).toEqual([200, '{"received":true,"duplicate":true}'])
    expect(await statusOf('user-1')).toEqual(before)
    const second = await deliver(anEvent(checkout, { id: 'evt-2' }))
    expect(second.text).toBe('{"received":true}')
    expect((await statusOf('user-1')).current_period_end).toBe('2026-12-21T12:00:00Z')
    expect(await rows('documents')).toBe(1)
    // A second paid checkout of one payment is another month.
    const other = { ...checkout, id: '01m7yyyyyyyyyyyyyyyyyyyyyy' }
    await deliver(anEvent(other, { id: 'evt-3' }))
    expect((await statusOf('user-1')).current_period_end).toBe('2027-01-21T12:00:00Z')
    const { data } = (await world.as('user-1').get('/api/v1/billing/payments?status=paid')).body
    expect(data).toHaveLength(2)
  })

  it('books a payment whose fees are above its amount, and its month can still be read', async () => {
    const { checkout } = await opened({ fees_on_merchant: Number.MAX_SAFE_INTEGER })
    expect((await deliver(anEvent(checkout))).text).toBe('{"received":true}')
    const month = await operatorOf(world).get('/months/2026-11')
    expect([month.status, month.body.paid]).toEqual([
      200,
      expect.objectContaining({ count: 1, fees: 0, fees_unknown: 1, net: 2_000 }),
    ])
  })

  it('answers 503 with Retry-After where it loses every race, and books what comes again', async () => {
    const { checkout } = await opened()
    const contending = databaseWith(database, {
      query: async (asked, ...given) => {
        if (asked.name === 'settlements.save') await database().query(moveVersions)
        return database().query(asked, ...given)
      },
    })
    const contended = await beside({}, contending)
    const refused = await deliver(anEvent(checkout), undefined, contended)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await deliver(anEvent(checkout))).text).toBe('{"received":true}')
    expect(await statusOf('user-1')).toMatchObject({ plan: 'pro' })
  })

  it('keeps 50 events for one paid checkout that come at once, and answers each 200', async () => {
    const { checkout } = await opened()
    const events = Array.from({ length: 50 }, (_, index) => anEvent(checkout, { id: `evt-${index}` }))
    const answers = await Promise.all(events.map((event) => deliver(event)))
    expect(answers.map(({ status }) => status)).toEqual(events.map(() => 200))
    expect([await rows('provider_events'), await rows('documents')]).toEqual([50, 1])
    expect((await statusOf('user-1')).current_period_end).toBe('2026-12-21T12:00:00Z')
    const again = await Promise.all(events.map((event) => deliver(event)))
    expect(again.filter(({ body }) => body.duplicate)).toHaveLength(50)
  })

  it('stopped while events come, has booked those that it answered, and books the others later', async () => {
    const users = Array.from({ length: 8 }, (_, index) => `stopped-${index}`)
    const checkouts = await Promise.all(users.map((user) => opened({}, user)))
    const events = checkouts.map(({ checkout }, index) => anEvent(checkout, { id: `evt-${index}` }))
    const stopping = await beside()
    const answers = events.map((event) =>
      deliver(event, undefined, stopping).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    await Promise.race(answers)
    await stopping.stop()
    const plans = () => Promise.all(users.map(async (user) => (await statusOf(user)).plan))
    const before = await plans()
    for (const [index, status] of (await Promise.all(answers)).entries())
      expect([users[index], status, before[index]]).toEqual(
        status === 200 ? [users[index], 200, 'pro'] : [users[index], status, expect.anything()],
      )
    for (const event of events) expect((await deliver(event)).status).toBe(200)
    expect(await plans()).toEqual(users.map(() => 'pro'))
  })

  it('refuses what is not signed as it is, is no JSON, or is too large, and stores nothing', async () => {
    const { checkout } = await opened()
    for (const signature of ['', 'f'.repeat(64)]) {
      const answer = await deliver(anEvent(checkout), signature)
      expect([signature, answer.status, answer.body.code]).toEqual([signature, 401, 'invalid_signature'])
    }
    // The bytes were changed after signing, but mean the same.
    const body = JSON.stringify(anEvent(checkout))
    const changed = { body: `${body} `, headers: { signature: sign(body) } }
    expect((await world.call('POST', WEBHOOK, changed)).status).toBe(401)
    for (const [odd, status, code] of [
      ['{"id":', 400, 'malformed_json'],
      ['{}', 422, 'event_without_checkout'],
      [JSON.stringify(anEvent({})), 422, 'event_without_checkout'],
      ['x'.repeat(64 * 1024 + 1), 413, 'payload_too_large'],
    ] as const) {
      const answer = await world.call('POST', WEBHOOK, { body: odd, headers: { signature: sign(odd) } })
      expect([answer.status, answer.body.code]).toEqual([status, code])
    }
    expect(await rows('provider_events')).toBe(0)
    expect((await statusOf('user-1')).plan).toBe('free')
  })

  it('keeps events about checkouts and types that we do not know, and answers 200', async () => {
    const { checkout } = await opened()
    const foreign = { ...checkout, id: '01m7zzzzzzzzzzzzzzzzzzzzzz', metadata: null }
    expect((await deliver(anEvent(foreign))).text).toBe('{"received":true}')
    expect((await deliver(anEvent(foreign))).text).toBe('{"received":true,"duplicate":true}')
    const strange = anEvent({}, { id: 'evt-9', type: 'payout.sent', data: { entity: 'payout' } })
    expect((await deliver(strange)).status).toBe(200)
    expect([await rows('provider_events'), await rows('unmatched_events')]).toEqual([0, 2])
  })
})
