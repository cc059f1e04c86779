import { describeWorld } from '../../../../test/support/describe-world.js'
import { PLANS_FILE } from '../../../../test/support/setting-files.js'
import { writtenEvents } from '../../../../test/support/written-events.js'

const PAYMENTS = '/api/v1/billing/payments'
const QUOTE = '/api/v1/billing/quote'
const UPGRADE = '/api/v1/billing/upgrade'

describeWorld('a term', { env: { PLANS_FILE } }, ({ world, database, beside }) => {
  const user = world.as('user-1')

  const ask = (months: number, plan = 'pro') => user.post(PAYMENTS, { plan, months })
  const quote = async (months: number) => (await user.get(`${QUOTE}?plan=pro&months=${months}`)).body
  const status = async () => (await user.get('/api/v1/billing/status')).body
  const buy = async (months: number) => {
    const { body } = await ask(months)
    await world.pay(body.checkout_url)
    return (await user.get(`${PAYMENTS}/${body.id}`)).body
  }
  const payable = () =>
    world.emulator
      .checkouts()
      .filter((checkout) => checkout.status === 'pending')
      .map(({ amount }) => amount)

  it('is offered with what it saves, in the order of plans and months, cached as the plans are', async () => {
    const answer = await world.call('GET', '/api/v1/billing/offers')
    expect(answer.body).toEqual([
      { plan: 'pro', months: 1, price: 2000, currency: 'DZD', saves: 0 },
      { plan: 'pro', months: 3, price: 6000, currency: 'DZD', saves: 0 },
      { plan: 'pro', months: 6, price: 11_000, currency: 'DZD', saves: 1000 },
      { plan: 'pro', months: 12, price: 20_000, currency: 'DZD', saves: 4000 },
      { plan: 'team', months: 1, price: 9000, currency: 'DZD', saves: 0 },
    ])
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' }
    expect((await world.call('GET', '/api/v1/billing/offers', { headers })).status).toBe(304)
  })

  it('is ordered as it was quoted, and bought as it was ordered', async () => {
    const quoted = await quote(12)
    const expected = { plan: 'pro', months: 12, price: 20_000, discount: 0, amount: 20_000, currency: 'DZD' }
    expect(quoted).toMatchObject(expected)
    const answer = await user.post(PAYMENTS, { plan: 'pro', months: 12 }, { 'accept-language': 'ar' })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('location')).toBe(`${world.url}${PAYMENTS}/${answer.body.id}`)
    expect(answer.body).toMatchObject({ months: 12, amount: 20_000, status: 'pending', method: 'card' })
    expect(answer.body).toEqual((await user.get(PAYMENTS)).body.data[0])
    const [checkout] = world.emulator.checkouts()
    expect(checkout).toMatchObject({ amount: 20_000, description: 'Pro · 12\u00a0شهرًا' })
    expect(checkout?.metadata).toMatchObject({ plan_id: 'pro', months: '12' })
    await world.pay(answer.body.checkout_url)
    expect((await user.get(`${PAYMENTS}/${answer.body.id}`)).body).toMatchObject({
      status: 'paid',
      period_start: quoted.would_start,
      period_end: quoted.would_end,
    })
    expect((await status()).current_period_end).toBe('2027-11-21T12:00:00Z')
    const told = { type: 'payment.paid', data: { payment: { amount: 20_000, months: 12, method: 'card' } } }
    expect((await writtenEvents(database()))[0]).toMatchObject(told)
  })

  it('is bought ahead, stacked, up to the limit; a click on upgrade buys nothing by accident', async () => {
    await buy(12)
    expect((await user.post(UPGRADE, { plan: 'pro' })).body.code).toBe('already_subscribed')
    const quoted = await quote(12)
    const expected = { period_start: '2027-11-21T12:00:00Z', period_end: quoted.would_end }
    expect(await buy(12)).toMatchObject(expected)
    const refused = await ask(1)
    expect([refused.status, refused.body.code]).toEqual([409, 'prepaid_limit_reached'])
    expect(refused.body).toMatchObject({
      current_period_end: '2028-11-21T12:00:00Z',
      fits_from: '2026-12-21T12:00:00Z',
    })
    expect((await quote(1)).code).toBe('prepaid_limit_reached')
  })

  it('that is not sold is refused, nothing is ordered, and an upgrade has no such field', async () => {
    for (const [body, code] of [
      [{ plan: 'pro', months: 2 }, 'unknown_term'],
      [{ plan: 'pro', months: '12' }, 'validation_failed'],
      [{ plan: 'free', months: 12 }, 'plan_not_purchasable'],
      [{ plan: 'gold' }, 'unknown_plan'],
      [{ plan: 'pro', method: 'chargily' }, 'unknown_method'],
    ] as const) {
      const answer = await user.post(PAYMENTS, body)
      expect([body, answer.status, answer.body.code]).toEqual([body, 422, code])
    }
    expect(world.emulator.checkouts()).toEqual([])
    const answer = await user.post(UPGRADE, { plan: 'pro', months: 12 })
    expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/months' }] })
  })

  it('fifty of them at once, in two processes, leave one payable checkout: the last choice', async () => {
    const other = await beside({ env: { PLANS_FILE } })
    const users = [user, other.as('user-1')]
    const choices = [12, 1, 6, 12, 3]
    const monthsOf = (index: number) => choices[index % choices.length]
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        users[index % users.length]?.post(PAYMENTS, { plan: 'pro', months: monthsOf(index) }),
      ),
    )
    // Simultaneous choices may have to wait, or exceed the checkouts of an hour.
    for (const answer of answers) expect([201, 429, 503]).toContain(answer?.status)
    for (const [index, answer] of answers.entries())
      if (answer?.status === 201) expect(answer.body.months).toBe(monthsOf(index))
    expect(answers.some((answer) => answer?.status === 201)).toBe(true)
    expect(payable()).toHaveLength(1)
    await world.advance(3600)
    for (const months of [6, 12, 3]) expect((await ask(months)).status).toBe(201)
    expect(payable()).toEqual([6000])
  })

  it('while the one before is being paid: the money counts, and it is not sold unasked', async () => {
    const first = (await ask(1)).body
    world.emulator.setFaults({ drop: { times: 1 } })
    await world.pay(first.checkout_url)
    expect(await ask(12)).toMatchObject({ status: 409, body: { code: 'already_subscribed' } })
    expect(await status()).toMatchObject({ plan: 'pro', current_period_end: '2026-12-21T12:00:00Z' })
    expect(payable()).toEqual([])
    expect(await buy(12)).toMatchObject({ period_start: '2026-12-21T12:00:00Z', status: 'paid' })
  })
})
