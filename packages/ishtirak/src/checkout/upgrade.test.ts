import { describeWorld, describeWorldOnEach } from '../../../../test/support/describe-world.js'

const UPGRADE = '/api/v1/billing/upgrade'

describeWorldOnEach('upgrading', {}, ({ world, beside }) => {
  const user = world.as('user-1')
  it('fifty times at once, in two processes, opens one checkout and gives fifty equal answers', async () => {
    const other = await beside()
    const clicks = Array.from({ length: 50 }, (_, index) =>
      (index % 2 === 0 ? world : other).as('user-1').post(UPGRADE, { plan: 'pro' }),
    )
    const answers = await Promise.all(clicks)
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(world.emulator.checkouts()).toHaveLength(1)
  })

  it('again while the checkout is open gives the same one, until the provider closes it', async () => {
    const first = await user.upgrade()
    await world.advance(30 * 60 - 1)
    expect(await user.upgrade()).toEqual(first)
    await world.advance(1)
    const second = await user.upgrade()
    expect(second.paymentId).not.toBe(first.paymentId)
    expect((await user.get(`/api/v1/billing/payments/${first.paymentId}`)).body.status).toBe('expired')
  })

  it('while the bank still decides, past the end: 409, and no second checkout', async () => {
    world.emulator.setFaults({ processing: { seconds: 20 * 60, times: 1 } })
    const first = await user.upgrade()
    await world.advance(20 * 60)
    await world.emulator.pay(first.checkoutId, 'failed')
    await world.advance(15 * 60)
    const meanwhile = await user.post(UPGRADE, { plan: 'pro' })
    expect([meanwhile.status, meanwhile.body.code]).toEqual([409, 'conflict'])
    expect(meanwhile.headers.get('retry-after')).toBe('60')
    expect(world.emulator.checkouts()).toHaveLength(1)
    await world.advance(6 * 60)
    expect((await user.upgrade()).paymentId).not.toBe(first.paymentId)
  })

  it('is bounded at ten new checkouts an hour; clicking again on an open one is free', async () => {
    for (let made = 0; made < 10; made++) {
      const { checkoutId } = await user.upgrade()
      await user.upgrade()
      await world.pay(checkoutId, 'canceled')
    }
    const refused = await user.post(UPGRADE, { plan: 'pro' })
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_checkouts'])
    // All ten were made at one instant of the standing clock, so the first may be repeated an hour later.
    expect(refused.headers.get('retry-after')).toBe('3600')
    await world.advance(3600)
    expect((await user.post(UPGRADE, { plan: 'pro' })).status).toBe(200)
  })

  it('for a user who has just paid says until when, and from when they can renew', async () => {
    await user.buy()
    const { status, body } = await user.post(UPGRADE, { plan: 'pro' })
    expect([status, body.code]).toEqual([409, 'already_subscribed'])
    // The window is the last 7 days of the period.
    const expected = ['2026-12-21T12:00:00Z', '2026-12-14T12:00:00Z']
    expect([body.current_period_end, body.renewable_from]).toEqual(expected)
  })

  it('while the provider fails answers 503, and the next click finds what was made', async () => {
    world.emulator.setFaults({ api_timeout_after: { times: 1 } })
    const lost = await user.post(UPGRADE, { plan: 'pro' })
    expect([lost.status, lost.body.code]).toEqual([503, 'provider_unavailable'])
    expect(Number(lost.headers.get('retry-after'))).toBeGreaterThan(0)
    const { checkoutId } = await user.upgrade()
    expect(world.emulator.checkouts().map((checkout) => checkout.id)).toEqual([checkoutId])
  })

  it('continues under the same payment when nothing was made', async () => {
    world.emulator.setFaults({ api_5xx: { times: 1 } })
    expect((await user.post(UPGRADE, { plan: 'pro' })).status).toBe(503)
    const { paymentId } = await user.upgrade()
    const { body } = await user.get('/api/v1/billing/payments')
    expect(body.data.map((payment: { id: string }) => payment.id)).toEqual([paymentId])
  })
})

describeWorld('a history', {}, ({ world }) => {
  it('gives each payment once, page by page, when all were made in one millisecond', async () => {
    const user = world.as('user-1')
    const made: string[] = []
    // The clock stands still, and ids of one instant have no order.
    for (let count = 0; count < 4; count++) {
      const { checkoutId, paymentId } = await user.upgrade()
      made.push(paymentId)
      await world.pay(checkoutId, 'canceled')
    }
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await user.get(`/api/v1/billing/payments?limit=1${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.next_cursor
    }
    expect(seen.sort()).toEqual([...made].sort())
  })
})
