// The timeline of a user: everything that happened, newest first, page by page without a gap or a repetition.

import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { sql } from '../../../../test/support/sql.js'

const setAmount = sql('update provider_events set amount = $1::bigint')

describeWorld('the timeline of a user', {}, ({ world, database }) => {
  const operator = operatorOf(world)

  type Entry = { kind: string; what: string; at: string; id: string }
  const page = async (query = '') => (await operator.get(`/users/user-1/timeline${query}`)).body
  const said = (entries: readonly Entry[]) => entries.map(({ kind, what }) => `${kind} ${what}`)

  it('has what was asked for, paid, told, mailed, granted and done, of this user alone', async () => {
    const { paymentId } = await world.as('user-1').buy()
    await world.as('user-2').buy()
    world.clock.advance(3_600_000)
    await operator.post('/users/user-1/grant', { days: 14, why: 'an outage' })
    world.clock.advance(3_600_000)
    await operator.post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    const { data, next_cursor } = await page()
    expect(next_cursor).toBeNull()
    // What happened at one instant stands in no order of its own.
    expect(said(data).sort()).toEqual(
      [
        ...['act payment.refund', 'mail refunded', 'event payment.refunded'],
        ...['act user.grant', 'mail granted', 'event subscription.granted', 'grant 14 days'],
        ...['mail receipt', 'event payment.paid', 'event subscription.activated', 'report checkout.paid'],
        ...['paid pro', 'payment pro'],
      ].sort(),
    )
    expect(data[0]).toMatchObject({ payment_id: paymentId, actor: 'amina', why: 'asked for' })
    expect(data.at(-1)).toMatchObject({ id: paymentId, amount: 2000, actor: 'chargily', why: 'refunded' })
    const expected = { why: 'an outage', actor: 'amina' }
    expect(data.find(({ kind }: Entry) => kind === 'grant')).toMatchObject(expected)
  })

  it('has a period once it has begun', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const periods = async () => (await page()).data.filter(({ kind }: Entry) => kind === 'period')
    expect(await periods()).toMatchObject([{ id: paymentId, until: '2026-12-21T12:00:00Z' }])
    world.clock.advance(28 * 86_400_000)
    await world.as('user-1').buy()
    expect(await periods()).toHaveLength(1)
    world.clock.advance(3 * 86_400_000)
    expect(await periods()).toHaveLength(2)
  })

  it('has a report whatever amount the provider names', async () => {
    await world.as('user-1').buy()
    await database().query(setAmount, ['9000000000'])
    const { data } = await page()
    expect(data.find(({ kind }: Entry) => kind === 'report')).toMatchObject({ amount: 9_000_000_000 })
  })

  it('is read page by page, and refuses a foreign cursor and an unknown user', async () => {
    await world.as('user-1').buy()
    const all = (await page()).data
    const read = (await operator.pages('/users/user-1/timeline?limit=2')).flat()
    expect(read).toEqual(all)
    expect(all.length).toBeGreaterThan(5)
    expect((await page('?cursor=x')).code).toBe('invalid_cursor')
    expect((await operator.get('/users/nope/timeline')).status).toBe(404)
  })
})
