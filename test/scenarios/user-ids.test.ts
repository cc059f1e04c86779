// User ids are the platform's. An id that a token may name works everywhere; any other is refused.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { statement } from '../../packages/ishtirak/src/database/database.js'
import { describeScenario } from '../support/databases.js'
import { PLATFORM_KEY, platformFor, WITH_PLATFORM } from '../support/platform.js'
import { anEvent, postEvent } from '../support/provider-events.js'
import { createWorld, type World } from '../support/world.js'

const UPGRADE = '/api/v1/billing/upgrade'

/** As it is between the provider's answer and our saving it: a crash there leaves this. */
const forgetAnswer = statement(
  'test.ids.forget_answer',
  `update payments set status = 'requested', method_reference = null, checkout_url = null`,
)

describeScenario('the id of a user', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), { env: WITH_PLATFORM })
  })
  afterEach(() => world.stop())

  it('of any other signs buys, and is asked about as it is', async () => {
    for (const userId of [
      ' lead',
      'trail ',
      '   ',
      '\u00a0',
      '\u200bzero',
      '\ufeff',
      'a/b?c#d%',
      'e\u0301',
      '😀'.repeat(255),
    ] as const) {
      await world.as(userId).buy()
      const { body } = await platformFor(world, userId).read()
      expect.soft([body.user_id === userId, body.plan], String(userId)).toEqual([true, 'pro'])
      expect
        .soft((await platformFor(world, userId.trim() || 'x').read()).body.plan, String(userId))
        .toBe(userId.trim() === userId ? 'pro' : 'free')
    }
  })

  it('is refused in a token with 401', async () => {
    for (const userId of ['', '.', '..', 'x'.repeat(256), 'a\u0000', 'a\nb', '\u0085', '\ud800'] as const) {
      const { status, body } = await world.as(userId).post(UPGRADE, { plan: 'pro' })
      expect.soft([status, body.code], String(userId)).toEqual([401, 'unauthenticated'])
      expect.soft(world.emulator.checkouts(), String(userId)).toEqual([])
    }
  })

  it('is refused in an address with 422', async () => {
    for (const userId of ['x'.repeat(256), 'a\nb', '\u0085'] as const) {
      const headers = { authorization: `Bearer ${PLATFORM_KEY}` }
      const path = `/api/v1/platform/users/${encodeURIComponent(userId)}`
      expect.soft((await world.call('GET', path, { headers })).status, String(userId)).toBe(422)
    }
  })

  it('is not mixed up with another’s by a plan that continues it', async () => {
    const clicks = [
      world.as('x y').post(UPGRADE, { plan: 'pro' }),
      world.as('y').post(UPGRADE, { plan: 'pro x' }),
    ]
    expect((await Promise.all(clicks)).map(({ status }) => status)).toEqual([200, 422])
  })

  describe('that an event leaves out', () => {
    const payOf = async (metadata: (paymentId: string) => Record<string, string>) => {
      const { paymentId, checkoutId } = await world.as('user-1').upgrade()
      await database().query(forgetAnswer)
      await postEvent(world, anEvent(world, checkoutId, 'paid', { metadata: metadata(paymentId) }))
      return (await world.as('user-1').get(`/api/v1/billing/payments/${paymentId}`)).body.status
    }

    it('is not needed: our payment id finds the payment', async () => {
      expect(await payOf((payment_id) => ({ payment_id }))).toBe('paid')
    })

    it('but is compared where it is there', async () => {
      expect(await payOf((payment_id) => ({ payment_id, user_id: 'user-2' }))).toBe('review')
    })
  })
})
