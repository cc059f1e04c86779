import { describeWorld } from '../../../../test/support/describe-world.js'
import { catalogueOf, FREE, NOON, PRO } from '../../../../test/support/fixtures.js'
import { setProfile } from '../../../../test/support/profile.js'
import { readMessage, sinkOfTests } from '../../../../test/support/smtp-sink.js'
import { sql } from '../../../../test/support/sql.js'
import { atCatalogue, type StandingOrder } from '../core/balance.js'
import { checkOrders } from './order.js'

const BALANCE = '/api/v1/billing/balance'
const DAY = 86_400

const selectMails = sql('select kind from mails where due_at is not null')

it('an order is held against what is sold: as agreed, at another price, or no more', () => {
  const order: StandingOrder = { plan: PRO, months: 1, price: 2_000, offered: null }
  const at = (price: number) => catalogueOf([FREE, { ...PRO, price }])
  expect(atCatalogue(order, at(2_000), NOON)).toEqual(order)
  const offered = atCatalogue(order, at(2_500), NOON)
  expect(offered).toEqual({ ...order, offered: { price: 2_500, at: NOON } })
  expect(offered && atCatalogue(offered, at(2_500), NOON + 1)).toEqual(offered)
  expect(offered && atCatalogue(offered, at(2_000), NOON + 1)).toEqual(order)
  expect(atCatalogue(order, catalogueOf([FREE]), NOON)).toBe(null)
  expect(atCatalogue({ ...order, months: 3 }, at(2_000), NOON)).toBe(null)
})

const sink = await sinkOfTests()
const ENV = { BALANCE_MAX: '50000', SMTP_URL: sink.url }

describeWorld('a standing order', { env: ENV }, ({ world, database }) => {
  beforeEach(async () => {
    await setProfile(world, 'user-1', { email: 'n@example.dz', locale: 'en' })
    const { body } = await world.as('user-1').post(`${BALANCE}/top-ups`, { amount: 5_000 })
    await world.pay(body.checkout_url)
    await order()
  })
  const order = () => world.as('user-1').put(`${BALANCE}/renewal`, { plan: 'pro' })
  const check = (price: number | null) => {
    const catalogue = catalogueOf(price === null ? [FREE] : [FREE, { ...PRO, price }])
    return checkOrders({ ...world.service.parts, catalogue }, 10)
  }
  const balance = async () => (await world.as('user-1').get(BALANCE)).body
  const owed = async () => (await database().query(selectMails)).map(({ kind }) => kind)
  const subjects = () => sink.messages.map((one) => readMessage(one).headers.subject ?? '')

  it('stands at the agreed price, with the other beside it, until the user agrees', async () => {
    expect([await check(2_500), await check(2_500)]).toEqual([1, 0])
    expect((await balance()).renewal).toMatchObject({ price: 2_000, offered_price: 2_500 })
    expect(await owed()).toContain('order_offered')
    // It renews at the agreed price.
    await world.emulator.advance(40 * DAY)
    expect((await balance()).amount).toBe(1_000)
    await order()
    expect((await balance()).renewal).toMatchObject({ price: 2_000, offered_price: null })
  })

  it('ends where its plan is sold no more; the money stays', async () => {
    expect(await check(null)).toBe(1)
    expect(await balance()).toMatchObject({ renewal: null, amount: 3_000 })
    await world.advance(1)
    expect(subjects()).toContain('Your subscription is no longer renewed automatically')
  })

  it('is told of a week before it buys, once, and nothing says that the time ends', async () => {
    await world.advance(24 * DAY)
    await world.advance(DAY)
    await world.advance(4 * DAY)
    const told = subjects().filter((subject) => !subject.startsWith('Your receipt'))
    expect(told).toEqual(['Your subscription renews automatically on 21 December 2026'])
  })
})
