// What the provider says of a payment now, and what would follow; nothing is changed.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { createWorld, type World } from '../../../../test/support/world.js'

describeScenario('a look at a payment', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), { env: OPERATOR_ENV })
  })
  afterEach(() => world.stop())

  it('says what a recheck and an acceptance would do, and does neither', async () => {
    world.emulator.setFaults({ wrong_amount: { times: 1 } })
    const { paymentId } = await world.as('user-1').buy()
    const operator = operatorOf(world)
    const look = async (act = 'recheck') => (await operator.get(`/payments/${paymentId}/${act}`)).body
    expect(await look()).toMatchObject({
      payment_id: paymentId,
      answered: true,
      provider: { status: 'paid' },
      before: { plan: 'free' },
    })
    expect(await look('accept')).toMatchObject({
      payment_status: { before: 'review', after: 'paid' },
      before: { plan: 'free' },
      after: { plan: 'pro', current_period_end: '2026-12-21T12:00:00Z' },
    })
    world.emulator.setFaults({ api_5xx: {} })
    expect(await look()).toMatchObject({
      answered: false,
      provider: null,
      payment_status: { after: 'review' },
    })
    const file = await operator.payment(paymentId)
    expect([file.payment.status, file.audit]).toEqual(['review', []])
  })
})
