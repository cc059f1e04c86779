import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { afterOf, beforeOf } from '../../../../test/support/preview.js'
import { sql } from '../../../../test/support/sql.js'

const forgetAnswer = sql(
  `update payments set status = 'requested', method_reference = null, checkout_url = null`,
)

describeWorld('a look at a payment', {}, ({ world, database }) => {
  it('says what a recheck and an acceptance would do, and does neither', async () => {
    world.emulator.setFaults({ wrong_amount: { times: 1 } })
    const { paymentId } = await world.as('user-1').buy()
    const operator = operatorOf(world)
    const look = async (act = 'recheck') => (await operator.get(`/payments/${paymentId}/${act}`)).body
    expect(beforeOf(await look())).toMatchObject({ providerSays: 'status_paid', access: { plan: 'free' } })
    const accepted = await look('accept')
    expect(beforeOf(accepted)).toMatchObject({ status: 'review', access: { plan: 'free' } })
    expect(afterOf(accepted)).toMatchObject({
      status: 'paid',
      access: { plan: 'pro', current_period_end: '2026-12-21T12:00:00Z' },
    })
    world.emulator.setFaults({ api_5xx: {} })
    expect(afterOf(await look())).toMatchObject({ providerSays: 'providerSilent', status: 'review' })
    const file = await operator.payment(paymentId)
    expect([file.payment.status, file.audit]).toEqual(['review', []])
  })

  it('is followed for each checkout that the provider has, also under an operation_id', async () => {
    const { paymentId, checkoutId } = await world.as('user-1').upgrade()
    await database().query(forgetAnswer)
    const { list, getCheckout } = world.service.parts.methods.of('chargily')
    const answer = await getCheckout(checkoutId)
    if (!list || !answer.ok || !answer.value) throw new Error('the provider has no such checkout')
    const paid = { ...answer.value, status: 'paid' as const, updatedAt: world.clock.now() }
    const second = { ...paid, checkoutId: 'chk_second', createdAt: world.clock.now() + 1 }
    vi.spyOn(list, 'find').mockResolvedValue({ ok: true, value: [paid, second] })
    const operator = operatorOf(world)
    const request = { why: 'no event came', operation_id: 'ticket 1' }
    for (const sent of [request, request])
      expect((await operator.post(`/payments/${paymentId}/recheck`, sent)).status).toBe(200)
    const { payments, audit } = (await operator.get('/users/user-1')).body
    expect(payments.map(({ status }: { status: string }) => status)).toEqual(['paid', 'paid'])
    expect(audit.map(({ act }: { act: string }) => act)).toEqual(['payment.recheck', 'payment.recheck'])
  })
})
