import { describeWorld } from '../../../../test/support/describe-world.js'
import { ownerNamed } from '../../../../test/support/operator.js'
import { enterPortal } from '../../../../test/support/portal.js'
import { anEvent, postEvent } from '../../../../test/support/provider-events.js'
import { checkoutIdOf } from '../../../../test/support/world.js'
import type { FaultSettings } from '../../../chargily-emulator/src/faults.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { refund } from '../ledger/refund.js'
import { showPayment } from '../overview/read-files.js'
import { createLog } from '../runtime/log.js'

const UPGRADE = '/api/v1/billing/upgrade'
const HISTORY = '/api/v1/billing/payments'

describeWorld('a checkout that outlives its purpose', {}, ({ world }) => {
  const user = world.as('user-1')

  const atProvider = (checkoutId: string) =>
    world.emulator.checkouts().find(({ id }) => id === checkoutId)?.status
  const isPro = async () => (await user.get('/api/v1/billing/status')).body.plan === 'pro'
  const portal = async () => (await (await enterPortal(world, 'user-1')).open()).text

  /** Two checkouts. The first is paid although its half hour is over. */
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

const errors: string[] = []
const log = createLog({ level: 'error', destination: { write: (line) => errors.push(line) } })

describeWorld('a new checkout that is not what was ordered', { log }, ({ world }) => {
  const payer = world.as('payer')
  beforeEach(() => {
    errors.length = 0
  })

  const differences = async (paymentId: string) =>
    (await showPayment(world.service.parts, paymentId)).payment.review?.differences.join()
  const newest = async (user = payer) => (await user.get(HISTORY)).body.data[0]
  const atProvider = () => world.emulator.checkouts().map(({ status }) => status)

  const lies: readonly [string, FaultSettings<'false_checkout'>][] = [
    ['amount: ours is 2000, the provider says 50', { amount: 50 }],
    ['currency: ours is DZD, the provider says EUR', { what: 'currency' }],
    ['live: ours is false, the provider says true', { what: 'mode' }],
    ['the provider says pay_of_another', { what: 'payment_id' }],
    ['checkout_url', { what: 'script_address' }],
  ]
  it('is refused, ended and shown to the operator alone, whatever differs', async () => {
    for (const [index, lie] of lies.entries()) await checkLie(`user-${index}`, ...lie)
  })

  async function checkLie(userId: string, difference: string, lie: FaultSettings<'false_checkout'>) {
    const before = atProvider()
    const user = world.as(userId)
    errors.length = 0
    world.emulator.setFaults({ false_checkout: { ...lie, times: 1 } })
    const { status, body } = await user.post(UPGRADE, { plan: 'pro' })
    expect([status, body.code]).toEqual([502, 'provider_rejected'])
    expect([difference, ...atProvider()]).toEqual([difference, ...before, 'expired'])
    const payment = await newest(user)
    expect(payment).toMatchObject({ status: 'canceled', checkout_url: null })
    expect(await differences(payment.id)).toContain(difference)
    expect((await user.get('/api/v1/billing/overview')).body.pending_payment).toBeNull()
    const [line, ...more] = errors.map((text) => JSON.parse(text))
    expect([line, more]).toMatchObject([{ level: 'error', payment_id: payment.id, outcome: 'refused' }, []])
    expect((await user.post(UPGRADE, { plan: 'pro' })).status).toBe(200)
  }

  it('is refused where an interrupted attempt goes on, too, and the click gets a good one', async () => {
    world.emulator.setFaults({ false_checkout: { times: 1 }, api_timeout_after: { times: 1 } })
    expect((await payer.post(UPGRADE, { plan: 'pro' })).status).toBe(503)
    const interrupted = await newest()
    const { paymentId } = await payer.upgrade()
    expect(paymentId).not.toBe(interrupted.id)
    expect(atProvider()).toEqual(['expired', 'pending'])
    expect(await differences(interrupted.id)).toContain('20000')
    expect(errors).toHaveLength(1)
  })

  it('is refused as well where the sweep finds it', async () => {
    world.emulator.setFaults({ false_checkout: { times: 1 }, api_timeout_after: { times: 1 } })
    expect((await payer.post(UPGRADE, { plan: 'pro' })).status).toBe(503)
    await world.advance(61)
    expect(await newest()).toMatchObject({ status: 'canceled', checkout_url: null })
    expect(atProvider()).toEqual(['expired'])
    expect(await differences((await newest()).id)).toContain('20000')
    expect(errors).toHaveLength(1)
  })

  describe('that cannot be ended at once', () => {
    beforeEach(async () => {
      world.emulator.setFaults({
        false_checkout: { times: 1 },
        api_5xx: { scope: 'expire_checkout', times: 2 },
      })
      expect((await payer.post(UPGRADE, { plan: 'pro' })).status).toBe(502)
      expect(atProvider()).toEqual(['pending'])
    })

    it('is ended by the sweep, which repeats it', async () => {
      await world.advance(1)
      expect(atProvider()).toEqual(['pending'])
      await world.advance(121)
      expect(atProvider()).toEqual(['expired'])
      expect((await newest()).status).toBe('canceled')
    })

    it('and is paid goes to review', async () => {
      const [checkout] = world.emulator.checkouts()
      await postEvent(world, anEvent(world, String(checkout?.id), 'paid', { amount: 20_000 }))
      expect((await newest()).status).toBe('review')
      expect((await payer.get('/api/v1/billing/status')).body.plan).toBe('free')
    })
  })

  it('because it is another user’s is not shown, and stays theirs', async () => {
    const other = await world.as('user-2').upgrade()
    world.emulator.setFaults({ false_checkout: { what: 'another_checkout', times: 1 } })
    const refused = await payer.post(UPGRADE, { plan: 'pro' })
    expect(refused.status).toBe(502)
    expect(await newest()).toMatchObject({ status: 'canceled', checkout_url: null })
    expect(errors).toEqual([expect.stringContaining(`"request_id":"${refused.headers.get('x-request-id')}"`)])
    expect((await world.as('user-2').upgrade()).checkoutUrl).toBe(other.checkoutUrl)
    await world.pay(other.checkoutId)
    expect((await world.as('user-2').get('/api/v1/billing/status')).body.plan).toBe('pro')
    expect((await payer.get('/api/v1/billing/status')).body.plan).toBe('free')
  })
})
