// A year that is refunded in its fourth month: what moves and what is left is known before, and is what then
// happens.
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { afterOf, beforeOf } from '../../../../test/support/preview.js'
import { PLANS_FILE } from '../../../../test/support/setting-files.js'
import type { Caller } from '../../../../test/support/world.js'

describeWorld('a refund of a year', { env: { PLANS_FILE } }, ({ world }) => {
  let user: Caller
  const operator = operatorOf(world)
  beforeEach(async () => {
    user = world.as('user-1')
  })

  const buy = async (months: number) => (await user.buyWanted({ plan: 'pro', months })).paymentId
  const preview = async (paymentId: string) => (await operator.get(`/payments/${paymentId}/refund`)).body
  const refund = (paymentId: string) => operator.post(`/payments/${paymentId}/refund`, { why: 'on request' })
  const standing = async () => {
    const { plan, status, current_period_end } = (await user.get('/api/v1/billing/status')).body
    return { plan, status, current_period_end }
  }
  const periodOf = async (paymentId: string) => {
    const { period_start, period_end } = (await user.get(`/api/v1/billing/payments/${paymentId}`)).body
    return [period_start, period_end]
  }

  it('that later terms follow ends the year now, and the later terms begin', async () => {
    const [year, half, month] = [await buy(12), await buy(6), await buy(1)]
    await world.advance(100 * 86_400)
    const previewed = await preview(year)
    expect(previewed.changes).toMatchObject([
      { what: 'amount', before: 20_000, after: 20_000 },
      { what: 'status', before: 'paid', after: 'refunded' },
      {
        what: 'access',
        before: { plan: 'pro', status: 'active', current_period_end: '2028-06-21T12:00:00Z' },
        after: { plan: 'pro', status: 'active', current_period_end: '2027-10-01T12:00:00Z' },
      },
      {
        ...{ what: 'period', of: half },
        before: { start: '2027-11-21T12:00:00Z', end: '2028-05-21T12:00:00Z' },
        after: { start: '2027-03-01T12:00:00Z', end: '2027-09-01T12:00:00Z' },
      },
      { what: 'period', of: month, after: { start: '2027-09-01T12:00:00Z' } },
    ])
    expect(await standing()).toEqual(beforeOf(previewed).access)
    const { audit } = (await refund(year)).body
    const moved = (start: string) => ({ moved_periods: [{ id: half, period_start: start }, { id: month }] })
    const expected = { before: moved('2027-11-21T12:00:00Z'), after: moved('2027-03-01T12:00:00Z') }
    expect(audit[0]).toMatchObject(expected)
    expect(await standing()).toEqual(afterOf(previewed).access)
    for (const { of, after } of previewed.changes.slice(3))
      expect(await periodOf(of)).toEqual([after.start, after.end])
  })
})
