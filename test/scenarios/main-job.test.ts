// The main job, as its users do it: plans, upgrade, pay, confirmed, status, history.
// The document of the two plans holds to the letter, also where a dearer plan is sold beside them.
import { describeWorldOnEach } from '../support/describe-world.js'
import { PLANS_FILE } from '../support/setting-files.js'
import { createWorld } from '../support/world.js'

const TEAM =
  '{"id":"team","name":"Team","price":9000,"currency":"DZD",' +
  '"limits":{"projects":50,"domains_per_project":20,"deploys_per_day":500,"storage_mb":51200}}'

describeWorldOnEach('the main job', { env: { PLANS_FILE } }, ({ database, world }) => {
  it('gives exactly the two plans of the seed to anybody, and a dearer one beside them', async () => {
    await using seed = await createWorld(database())
    for (const [at, others] of [
      [world, `,${TEAM}`],
      [seed, ''],
    ] as const) {
      const answer = await at.call('GET', '/api/v1/billing/plans')
      expect(answer.status).toBe(200)
      expect(answer.text).toBe(
        '[{"id":"free","name":"Free","price":0,"currency":"DZD",' +
          '"limits":{"projects":3,"domains_per_project":1,"deploys_per_day":10,"storage_mb":500}},' +
          '{"id":"pro","name":"Pro","price":2000,"currency":"DZD",' +
          '"limits":{"projects":10,"domains_per_project":5,"deploys_per_day":50,"storage_mb":5120}}' +
          `${others}]`,
      )
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(answer.headers.get('ratelimit')).toBe('"default";r=299;t=60')
    }
    const etag = (await world.call('GET', '/api/v1/billing/plans')).headers.get('etag') ?? ''
    const again = await world.call('GET', '/api/v1/billing/plans', { headers: { 'if-none-match': etag } })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    const other = await world.call('GET', '/api/v1/billing/plans', { headers: { 'if-none-match': '"old"' } })
    expect(other.status).toBe(200)
  })

  it('shows a user who never paid as free and active, with exactly four fields', async () => {
    const { text } = await world.as('user-1').get('/api/v1/billing/status')
    expect(text).toBe('{"plan":"free","status":"active","current_period_end":null,"payment_method":null}')
  })

  it('sells a month of pro, paid with either card', async () => {
    for (const method of ['edahabia', 'cib'] as const) {
      const user = world.as(`user-${method}`)
      const answer = await user.post('/api/v1/billing/upgrade', { plan: 'pro' })
      expect(Object.keys(answer.body)).toEqual(['checkout_url', 'payment_id'])
      const paid = await fetch(answer.body.checkout_url, {
        method: 'POST',
        body: new URLSearchParams({ payment_method: method, outcome: 'paid' }),
        redirect: 'manual',
      })
      expect(paid.status).toBe(303)
      expect(paid.headers.get('location')).toContain(`/portal/return/${answer.body.payment_id}?checkout_id=`)
      await world.emulator.settled()

      const { text } = await user.get('/api/v1/billing/status')
      // Bought on 21 November at 12:00:00, one calendar month.
      expect(text).toBe(
        '{"plan":"pro","status":"active","current_period_end":"2026-12-21T12:00:00Z",' +
          `"payment_method":"${method}"}`,
      )
    }
  })

  it('keeps the payment in the history, with what it bought, and for no other user', async () => {
    const user = world.as('user-1')
    const { paymentId } = await user.buy()
    const { body } = await user.get('/api/v1/billing/payments')
    const at = (day: string, time = '12:00:00') => `${day}T${time}Z`
    const [start, end] = [at('2026-11-21'), at('2026-12-21')]
    const bought = {
      kind: 'purchase',
      plan: 'pro',
      months: 1,
      amount: 2000,
      amount_asked: null,
      currency: 'DZD',
    }
    const paid = {
      status: 'paid',
      method: 'card',
      payment_method: 'edahabia',
      checkout_url: null,
      paid_at: start,
    }
    const payment = {
      ...{ id: paymentId, bought_by: null, ...bought, ...paid, transfer: null, created_at: start },
      ...{ expires_at: at('2026-11-21', '12:30:00'), period_start: start, period_end: end },
      receipt_url: `${world.url}/api/v1/billing/payments/${paymentId}/receipt`,
    }
    expect(body).toEqual({ data: [payment], has_more: false, next_cursor: null })
    expect((await user.get(`/api/v1/billing/payments/${paymentId}`)).body).toEqual(body.data[0])
    const theirs = await world.as('user-2').get(`/api/v1/billing/payments/${paymentId}`)
    const none = await world.as('user-2').get('/api/v1/billing/payments/pay_00000000000000000000000000')
    expect([theirs.status, theirs.body.code]).toEqual([404, 'not_found'])
    const { instance: _1, request_id: _2, ...same } = theirs.body
    expect(none.body).toMatchObject(same)
  })
})
