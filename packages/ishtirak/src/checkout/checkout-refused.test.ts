import { beforeEach, describe, expect, it } from 'vitest'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { anEvent, postEvent } from '../../../../test/support/provider-events.js'
import type { FaultSettings } from '../../../chargily-emulator/src/faults.js'
import { showPayment } from '../overview/read-files.js'
import { createLog } from '../runtime/log.js'

const UPGRADE = '/api/v1/billing/upgrade'
const HISTORY = '/api/v1/billing/payments'

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
