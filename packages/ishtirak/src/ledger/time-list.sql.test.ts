import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { SELLING_PLANS } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { DEARER_PLANS } from '../../../../test/support/setting-files.js'
import { toTimestamp } from '../core/instant.js'
import { readTimeLists } from './time-list.sql.js'

/** Characters with a meaning in array literals of the database, which must not be read as such. */
const ODD = 'o"d\\d,{u} ‏سر'

const OPTIONS = { env: { PLANS_FILE: SELLING_PLANS } }

describeWorldOnEach('the time of users who are read together', OPTIONS, ({ world, database }) => {
  const days = (count: number) => world.advance(count * 86_400)
  const act = async (path: string, fields: Record<string, unknown> = {}) => {
    const { status } = await operatorOf(world, ROLE_KEYS.owner).post(path, { why: 'asked', ...fields })
    expect(status).toBeLessThan(300)
  }
  const read = async (...userIds: string[]) => {
    const times = await readTimeLists(database(), userIds)
    const day = (instant: number) => toTimestamp(instant).slice(5, 10)
    return times.map((held) => held.map(({ by, start, end }) => `${by} ${day(start)} ${day(end)}`))
  }

  it('is each one’s own, in the order that was asked for; a user who is not known has none', async () => {
    await world.as('user-1').buy()
    await days(1)
    await world.as(ODD).buy()
    const [first, second] = [['paid 11-21 12-21'], ['paid 11-22 12-22']]
    expect(await read(ODD, 'user-1', 'nobody', ODD)).toEqual([second, first, [], second])
    expect(await read('user-1')).toEqual([first])
    expect(await read()).toEqual([])
  })

  it('lacks what a refund took back, and what an operator ended, of the one user alone', async () => {
    const { paymentId } = await world.as('refunded').buy()
    for (const userId of ['ended', 'granted', 'kept']) await world.as(userId).buy()
    await days(25)
    // It begins after the end but was booked before it.
    await world.as('ended').buy()
    await act(`/payments/${paymentId}/refund`)
    await act('/users/ended/end')
    await act('/users/granted/grant', { plan: 'pro', days: 5 })
    await days(2)
    await world.as('ended').buy()
    expect(await read('kept', 'ended', 'granted', 'refunded')).toEqual([
      ['paid 11-21 12-21'],
      ['paid 11-21 12-16', 'gap 12-16 12-18', 'paid 12-18 01-18'],
      ['paid 11-21 12-21', 'granted 12-21 12-26'],
      ['paid 11-21 12-16'],
    ])
  })
})

const DEARER = { env: { PLANS_FILE: DEARER_PLANS } }

describeWorldOnEach('the time of a user who changed the plan twice', DEARER, ({ world, database }) => {
  it('is on the plan of the last change from when it was made', async () => {
    await world.as('user-1').buy()
    for (const plan of ['team', 'max']) {
      await world.advance(5 * 86_400)
      const { body } = await world.as('user-1').post('/api/v1/billing/upgrade', { plan })
      await world.pay(body.checkout_url)
    }
    const [times = []] = await readTimeLists(database(), ['user-1'])
    expect(
      times.map((one) => [one.by !== 'gap' && one.plan.id, toTimestamp(one.start).slice(5, 10)]),
    ).toEqual([
      ['pro', '11-21'],
      ['team', '11-26'],
      ['max', '12-01'],
    ])
  })
})
