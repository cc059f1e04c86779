// The metadata that the platform notes at a payment.
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { PLATFORM_KEY, platformFor } from '../../../../test/support/platform.js'
import { enterPortal } from '../../../../test/support/portal.js'
import type { Answer } from '../../../../test/support/world.js'
import { writtenEvents } from '../../../../test/support/written-events.js'

const NOTED = { order: 'A-1042', 'crm id': 'مرجع\nثان' }
const PAYMENTS = '/api/v1/billing/payments'

describeWorldOnEach('metadata', { env: { BALANCE_MAX: '50000' } }, ({ world, database }) => {
  const platform = platformFor(world, 'user-1')
  const order = (metadata?: unknown, more: object = {}) =>
    platform.post('/payments', { plan: 'pro', ...more, metadata })
  const told = async () =>
    (await writtenEvents(database(), 'user-1')).map(({ data }) => data.payment?.metadata ?? null)

  const expectWithout = ({ status, text }: Answer) => {
    expect(status).toBe(200)
    expect(text).not.toMatch(/A-1042|"metadata"/)
  }

  it('is in the platform’s payment, events, export and case file, and not where its user looks', async () => {
    const ordered = await order(NOTED)
    expect([ordered.status, ordered.body.metadata]).toEqual([201, NOTED])
    const { id, checkout_url } = ordered.body
    await world.pay(checkout_url)
    expect((await platform.get(`/payments/${id}`)).body.metadata).toEqual(NOTED)
    expect((await platform.get('/payments')).body.data).toMatchObject([{ id, metadata: NOTED }])
    const listed = await world.call('GET', '/api/v1/platform/payments', {
      headers: { authorization: `Bearer ${PLATFORM_KEY}` },
    })
    expect(listed.body.data).toMatchObject([{ id, metadata: NOTED }])
    expect(await told()).toEqual([NOTED, NOTED])
    const operator = operatorOf(world)
    expect((await operator.get(`/payments/${id}`)).body.payment.metadata).toEqual(NOTED)
    expect((await operator.get('/users/user-1')).body.payments[0].metadata).toEqual(NOTED)
    expect((await operator.get('/exports/payments')).text).toContain('A-1042')
    const found = (await operator.get('/search?q=A-1042')).body
    expect([found.payments, found.users]).toEqual([[], []])

    const user = world.as('user-1')
    const [portal, admin] = [await enterPortal(world, user), await enterConsole(world, OPERATOR_KEY)]
    for (const path of [PAYMENTS, `${PAYMENTS}/${id}`, '/api/v1/billing/overview'])
      expectWithout(await user.get(path))
    for (const path of ['/portal', `/portal/return/${id}`]) expectWithout(await portal.open(path))
    for (const path of [`/payments/${id}`, '/users/user-1', '/payments'])
      expectWithout(await admin.open(`/console${path}`))
  })

  it('is the first one where an order is repeated, until it is replaced; what was told stays', async () => {
    const { id, checkout_url } = (await order({ n: '1' })).body
    expect((await order({ n: '2' })).body).toMatchObject({ id, metadata: { n: '1' } })
    await world.pay(checkout_url)
    const replace = (metadata: object) => platform.put(`/payments/${id}/metadata`, { metadata })
    expect((await replace({ m: '3' })).body).toMatchObject({ id, status: 'paid', metadata: { m: '3' } })
    expect(await told()).toEqual([{ n: '1' }, { n: '1' }])
    await operatorOf(world).post(`/payments/${id}/refund`, { why: 'asked for' })
    expect((await told()).slice(2)).toEqual([{ m: '3' }, { m: '3' }])
    expect((await replace({})).body.metadata).toEqual({})
  })

  it('is kept by what a balance pays for, and by a top-up', async () => {
    const topUp = await platform.post('/balance/top-ups', { amount: 5_000, metadata: { n: '1' } })
    expect([topUp.status, topUp.body.metadata]).toEqual([201, { n: '1' }])
    await world.pay(topUp.body.checkout_url)
    const bought = await order({ n: '2' }, { method: 'balance' })
    expect([bought.body.status, bought.body.metadata]).toEqual(['paid', { n: '2' }])
  })

  it('beyond its bounds, or from the user, is refused by pointer, and nothing is ordered', async () => {
    const texts = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}`.padStart(40, 'k'), 'é'.repeat(500)]))
    const long = 'k'.repeat(41)
    for (const [metadata, pointer] of [
      [texts(21), '/metadata'],
      [{ [long]: '' }, `/metadata/${long}`],
      [{ '': '' }, '/metadata/'],
      [{ order: 'x'.repeat(501) }, '/metadata/order'],
      [{ order: 7 }, '/metadata/order'],
      [{ order: null }, '/metadata/order'],
      [['A-1042'], '/metadata'],
    ] as const) {
      const answers = [await order(metadata), await platform.put('/payments/pay_1/metadata', { metadata })]
      for (const { status, body } of answers)
        expect([pointer, status, body.errors?.map((one: { pointer: string }) => one.pointer)]).toEqual([
          ...[pointer, 422],
          [pointer],
        ])
    }
    const user = world.as('user-1')
    const { status, body } = await user.post(PAYMENTS, { plan: 'pro', metadata: NOTED })
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '/metadata', code: 'unknown_field' }]])
    expect((await user.get(PAYMENTS)).body.data).toEqual([])
    const most = await order(texts(20))
    expect([most.status, most.body.metadata]).toEqual([201, texts(20)])
    const path = `/payments/${most.body.id}/metadata`
    expect((await user.put(`/api/v1/billing${path}`, { metadata: {} })).status).toBe(404)
    expect((await platformFor(world, 'user-2').put(path, { metadata: {} })).status).toBe(404)
  })
})
