// Changes of plan and balances at odd times: each is a way in which money could be lost, or counted twice.

import { describeWorldOnEach } from '../support/describe-world.js'
import { PRO } from '../support/fixtures.js'
import { PLANS_FILE, TRANSFER_FILE } from '../support/setting-files.js'
import { sql } from '../support/sql.js'
import { type Caller, checkoutIdOf } from '../support/world.js'

const BILLING = '/api/v1/billing'
const BALANCE = `${BILLING}/balance`
const PAYMENTS = `${BILLING}/payments`
const DAY = 86_400
const PRO_MONTHLY = { plan: PRO, months: 1, price: 2_000, offered: null }
const setOrder = sql(
  'update users set renews_at = $2::timestamptz, standing_order = $3::jsonb where user_id = $1',
)
const selectSums = sql('select user_id, balance from users order by user_id')
const ENV = { BALANCE_MAX: '50000', PLANS_FILE, TRANSFER_FILE }

describeWorldOnEach('odd money', { env: ENV }, ({ database, world }) => {
  let user: Caller
  beforeEach(() => {
    user = world.as('user-1')
  })

  const pay = async (checkoutUrl: string) => {
    await world.emulator.pay(checkoutIdOf(checkoutUrl), 'paid')
    await world.emulator.settled()
  }
  const topUp = async (amount: number, one = user) =>
    pay((await one.post(`${BALANCE}/top-ups`, { amount })).body.checkout_url)

  it('two choices at once that differ in when they begin are two', async () => {
    await user.buy()
    await world.advance(DAY)
    const starts = ['now', 'end', 'now', 'end']
    const answers = await Promise.all(
      starts.map((start) => user.post(PAYMENTS, { plan: 'team', start, method: 'transfer' })),
    )
    for (const [index, { status, body }] of answers.entries())
      if (status === 201) expect(body.kind).toBe(starts[index] === 'now' ? 'change' : 'purchase')
    expect(answers.some(({ status }) => status === 201)).toBe(true)
  })

  it('a user whose renewal cannot be booked holds up no other', async () => {
    // The first due is of a plan that no one knows.
    const orders = [
      ['user-1', '2026-11-21T11:00:00Z', { price: 1 }],
      ['user-2', '2026-11-21T12:00:00Z', PRO_MONTHLY],
    ] as const
    for (const [userId, at, order] of orders) {
      await topUp(2_000, world.as(userId))
      await database().query(setOrder, [userId, at, JSON.stringify(order)])
    }
    await world.advance(1)
    expect((await database().query(selectSums)).map(({ balance }) => balance)).toEqual([2_000, 0])
  })
})
