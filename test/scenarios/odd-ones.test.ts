// Money that does not come the ordinary way: false amounts, two checkouts for one intent, any order of
// events. What each report alone does is in core/settlement.test.ts and checkout/webhook.test.ts.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { showPayment } from '../../packages/ishtirak/src/overview/read-files.js'
import { describeOnEach } from '../support/databases.js'
import { anEvent, type EventStatus, postEvent } from '../support/provider-events.js'
import { type Caller, createWorld, type World } from '../support/world.js'

const STATUS = '/api/v1/billing/status'
const HISTORY = '/api/v1/billing/payments'

const selectOutcomes = statement(
  'test.odd.outcomes',
  'select outcome from provider_events order by received_at, id',
)
const selectReceipts = statement('test.odd.receipts', 'select number from receipts order by number')

describeOnEach('odd money', ({ database }) => {
  let world: World
  let user: Caller
  beforeEach(async () => {
    world = await createWorld(database())
    user = world.as('user-1')
  })
  afterEach(() => world.stop())

  const outcomes = async () => (await database().query(selectOutcomes)).map(({ outcome }) => outcome)
  const seen = async (paymentId: string, one = user) => [
    (await one.get(`${HISTORY}/${paymentId}`)).body.status,
    (await one.get(STATUS)).body.current_period_end,
  ]
  const PAID = ['paid', '2026-12-21T12:00:00Z']

  it('stays under review however often it is sent, and is booked by an event that agrees', async () => {
    const { paymentId, checkoutId } = await user.upgrade()
    const differing = () => postEvent(world, anEvent(world, checkoutId, 'paid', { amount: 50 }))
    for (let sent = 0; sent < 3; sent++) await differing()
    expect(await outcomes()).toEqual(['review', 'unchanged', 'unchanged'])
    expect(await seen(paymentId)).toEqual(['review', null])
    const { payment } = await showPayment(world.service.parts, paymentId)
    expect(payment.review?.differences.join()).toContain('amount')
    expect(await database().query(selectReceipts)).toEqual([])
    await postEvent(world, anEvent(world, checkoutId, 'paid'))
    expect(await seen(paymentId)).toEqual(PAID)
    // Once it is booked, it changes nothing.
    await differing()
    expect(await seen(paymentId)).toEqual(PAID)
  })

  it('of two paid checkouts for one intent buys two months, once, and the second is marked', async () => {
    const { paymentId, checkoutId } = await user.buy()
    for (let sent = 0; sent < 2; sent++)
      await postEvent(world, anEvent(world, checkoutId, 'paid', { id: 'chk_second' }))
    const { data } = (await user.get(HISTORY)).body
    expect(data).toHaveLength(2)
    const [second] = data.filter(({ id }: { id: string }) => id !== paymentId)
    expect(await seen(second.id)).toEqual(['paid', '2027-01-21T12:00:00Z'])
    const { payment } = await showPayment(world.service.parts, second.id)
    expect([payment.secondOf, payment.checkoutId]).toEqual([paymentId, 'chk_second'])
    expect(await outcomes()).toEqual(['booked', 'booked_second', 'unchanged'])
  })

  it('buys one month in each order of its four events, and when five come at once', async () => {
    const events: readonly EventStatus[] = ['paid', 'failed', 'expired', 'canceled']
    const wrong = []
    for (const [index, order] of [...ordersOf(events), null].entries()) {
      const one = world.as(`user-of-order-${index}`)
      const { checkoutId, paymentId } = await one.upgrade()
      const send = (event: EventStatus) => postEvent(world, anEvent(world, checkoutId, event))
      const statuses = []
      for (const event of order ?? []) statuses.push((await send(event)).status)
      const together = order ? [] : [...events, 'paid' as const]
      for (const { status } of await Promise.all(together.map(send))) statuses.push(status)
      const found = await seen(paymentId, one)
      if (found.join() !== PAID.join() || statuses.some((status) => status !== 200))
        wrong.push([order, statuses, found])
    }
    expect(wrong).toEqual([])
    const numbers = (await database().query(selectReceipts)).map(({ number }) => number)
    expect(numbers).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
  })
})

function ordersOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length <= 1) return [items]
  return items.flatMap((first) =>
    ordersOf(items.filter((one) => one !== first)).map((rest) => [first, ...rest]),
  )
}
