import { expect, it, onTestFinished, vi } from 'vitest'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { ownerNamed } from '../../../../test/support/operator.js'
import { enterPortal } from '../../../../test/support/portal.js'
import { anEvent, postEvent } from '../../../../test/support/provider-events.js'
import { checkoutIdOf } from '../../../../test/support/world.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { refund } from '../ledger/refund.js'
import { showPayment } from '../overview/read-files.js'

const UPGRADE = '/api/v1/billing/upgrade'
const HISTORY = '/api/v1/billing/payments'

describeWorld('a checkout that outlives its purpose', {}, ({ world }) => {
  const user = world.as('user-1')

  const atProvider = (checkoutId: string) =>
    world.emulator.checkouts().find(({ id }) => id === checkoutId)?.status
  const isPro = async () => (await user.get('/api/v1/billing/status')).body.plan === 'pro'
  const portal = async () => (await (await enterPortal(world, 'user-1')).open()).text

  /** Two checkouts, of which the first is paid although its half hour is over. */
  const payFirstAfterSecond = async () => {
    const first = await user.upgrade()
    await world.advance(30 * 60)
    const second = await user.upgrade()
    expect(await portal()).toContain(second.checkoutUrl)
    await postEvent(world, anEvent(world, first.checkoutId, 'paid'))
    expect(await isPro()).toBe(true)
    return { first, second }
  }

  it('is shown nowhere once the other payment came, and ended at the provider soon', async () => {
    const { second } = await payFirstAfterSecond()
    const expected = { status: 'canceled', checkout_url: null }
    expect((await user.get(`${HISTORY}/${second.paymentId}`)).body).toMatchObject(expected)
    expect((await user.get(HISTORY)).text).not.toContain(second.checkoutUrl)
    expect((await user.get('/api/v1/billing/overview')).body.pending_payment).toBeNull()
    expect(await portal()).not.toContain(second.checkoutUrl)
    expect((await user.post(UPGRADE, { plan: 'pro' })).body.code).toBe('already_subscribed')
    expect(atProvider(second.checkoutId)).toBe('pending')
    await world.advance(10)
    expect(atProvider(second.checkoutId)).toBe('expired')
    const { payment } = await showPayment(world.service.parts, second.paymentId)
    expect([payment.status, payment.nextCheckAt]).toEqual(['canceled', null])
  })

  it('is ended before the user gets another, and none is given while it cannot be ended', async () => {
    const { second } = await payFirstAfterSecond()
    world.emulator.setFaults({ api_5xx: { times: 1, scope: 'expire_checkout' } })
    expect((await user.post(HISTORY, { plan: 'pro' })).body.code).toBe('provider_unavailable')
    expect(world.emulator.checkouts().filter(({ status }) => status === 'pending')).toMatchObject([
      { id: second.checkoutId },
    ])
    world.emulator.clearFaults()
    const { body } = await user.post(HISTORY, { plan: 'pro' })
    expect(body.status).toBe('pending')
    const expected = ['expired', 'pending']
    expect([atProvider(second.checkoutId), atProvider(checkoutIdOf(body.checkout_url))]).toEqual(expected)
  })

  it('is ended before the user gets another, however long before its page the payment began', async () => {
    const first = await user.upgrade()
    await world.advance(30 * 60)
    world.emulator.setFaults({ api_5xx: { times: 1, scope: 'create_checkout' } })
    expect((await user.post(UPGRADE, { plan: 'pro' })).body.code).toBe('provider_unavailable')
    // No job runs meanwhile.
    world.clock.advance(2 * 3_600_000)
    const second = await user.upgrade()
    await postEvent(world, anEvent(world, first.checkoutId, 'paid'))
    await doAct(
      world.service.parts,
      refund,
      callBy(ownerNamed('lina'), first.paymentId, { why: 'asked for' }),
    )
    const third = await user.upgrade()
    expect([atProvider(second.checkoutId), atProvider(third.checkoutId)]).toEqual(['expired', 'pending'])
  })

  it('and whose address was never heard is found and ended', async () => {
    const first = await user.upgrade()
    await world.advance(30 * 60)
    world.emulator.setFaults({ api_timeout_after: { times: 1 } })
    expect((await user.post(UPGRADE, { plan: 'pro' })).status).toBe(503)
    await postEvent(world, anEvent(world, first.checkoutId, 'paid'))
    await world.advance(10)
    expect(world.emulator.checkouts().map(({ status }) => status)).toEqual(['expired', 'expired'])
    const { body } = await user.get(HISTORY)
    expect(body.data.map(({ status }: { status: string }) => status)).toEqual(['canceled', 'paid'])
  })

  it('while the provider makes it is not given to the waiting click', async () => {
    const first = await user.upgrade()
    await world.advance(30 * 60)
    const chargily = world.service.parts.methods.of('chargily')
    const { createCheckout } = chargily
    const slow = vi.spyOn(chargily, 'createCheckout').mockImplementationOnce(async (order) => {
      const made = await createCheckout(order)
      await postEvent(world, anEvent(world, first.checkoutId, 'paid'))
      return made
    })
    onTestFinished(() => slow.mockRestore())
    expect((await user.post(UPGRADE, { plan: 'pro' })).body.code).toBe('already_subscribed')
    expect(world.emulator.checkouts().map(({ status }) => status)).toEqual(['expired', 'expired'])
  })

  it('stays where the other payment is old and leaves the user without a plan', async () => {
    const first = await user.upgrade()
    await world.advance(60 * 86_400)
    const second = await user.upgrade()
    const long = Math.floor(world.clock.now() / 1000) - 60 * 86_400 + 60
    await postEvent(world, anEvent(world, first.checkoutId, 'paid', { updated_at: long }))
    expect(await isPro()).toBe(false)
    expect((await user.upgrade()).checkoutUrl).toBe(second.checkoutUrl)
  })
})
