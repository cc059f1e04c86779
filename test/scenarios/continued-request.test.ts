// A request that was left half way and continued later. Its checkout is young although the payment is old.
// Found by the simulation (seed 49): the looks were counted from the request, so the last could be over
// before anybody had paid.
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findPayment } from '../../packages/ishtirak/src/ledger/payments.sql.js'
import { describeScenario } from '../support/databases.js'
import { checkoutIdOf, createWorld, type World } from '../support/world.js'

const MINUTE = 60
const HOUR = 60 * MINUTE

/** It has a second plan, `team`. */
const PLANS_FILE = path.resolve(import.meta.dirname, '../fixtures/terms.json')

describeScenario('a request that is continued later', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), { env: { PLANS_FILE } })
  })
  afterEach(() => world.stop())

  it('is booked by the sweep, although its payer never came back and no webhook came', async () => {
    const user = world.as('user-1')
    world.emulator.setFaults({ drop: {}, api_timeout_before: {} })
    expect((await user.post('/api/v1/billing/upgrade', { plan: 'pro' })).status).toBe(503)
    // The provider is unreachable all day, so the service cannot learn that there is no checkout.
    await world.advance(23 * HOUR + 50 * MINUTE)
    world.emulator.setFaults({ api_timeout_before: null })

    const { paymentId, checkoutId } = await user.upgrade()
    // The last look, counted from the request, comes at 24:00, and finds the checkout open.
    await world.advance(15 * MINUTE)
    await world.emulator.pay(checkoutId, 'paid')
    // Paid at 24:05 of the request, 15 minutes into the checkout, whose next look is after 35.
    await world.advance(25 * MINUTE)
    const payment = await findPayment(database(), 'user-1', paymentId)
    expect(payment?.status).toBe('paid')
  })

  it('is not reused for another plan: the next click on another plan gets that plan’s checkout', async () => {
    const user = world.as('user-1')
    world.emulator.setFaults({ api_timeout_before: {} })
    expect((await user.post('/api/v1/billing/upgrade', { plan: 'team' })).status).toBe(503)
    world.emulator.setFaults({ api_timeout_before: null })
    const { body } = await user.post('/api/v1/billing/upgrade', { plan: 'pro' })
    const shown = world.emulator.checkouts().find(({ id }) => id === checkoutIdOf(body.checkout_url))
    expect(shown).toMatchObject({ amount: 2_000, status: 'pending' })
    expect(world.emulator.checkouts().filter(({ status }) => status === 'pending')).toHaveLength(1)
  })
})
