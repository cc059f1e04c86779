// User ids are the platform's. An id that a token may name works everywhere. Those that are refused are in
// http/auth.test.ts and platform-key.test.ts.

import { describeWorldOnEach } from '../support/describe-world.js'
import { platformFor } from '../support/platform.js'
import { anEvent, postEvent } from '../support/provider-events.js'
import { sql } from '../support/sql.js'

/** As it is between the provider's answer and our saving it: a crash there leaves this. */
const forgetAnswer =
  sql(`update payments set status = 'requested', method_reference = null, checkout_url = null
    where status = 'pending'`)

describeWorldOnEach('the id of a user', {}, ({ database, world }) => {
  it('of any signs buys, is asked about as it is, and never for another that looks like it', async () => {
    const odd = [' lead', '\u00a0', 'a/b?c#d%', 'e\u0301']
    for (const userId of [...odd, '😀'.repeat(255)]) {
      await world.as(userId).buy()
      const { body } = await platformFor(world, userId).read()
      expect.soft([body.user_id === userId, body.plan], userId).toEqual([true, 'pro'])
      const trimmed = (await platformFor(world, userId.trim() || 'x').read()).body.plan
      expect.soft(trimmed, userId).toBe(userId.trim() === userId ? 'pro' : 'free')
    }
    const click = (userId: string, plan: string) => world.as(userId).post('/api/v1/billing/upgrade', { plan })
    const clicks = await Promise.all([click('x y', 'pro'), click('y', 'pro x')])
    expect(clicks.map(({ status }) => status)).toEqual([200, 422])
  })

  it('that an event leaves out is not needed, and is compared where it is there', async () => {
    for (const [metadata, status] of [
      [{}, 'paid'],
      [{ user_id: 'another' }, 'review'],
    ] as const) {
      const user = world.as(`to-be-${status}`)
      const { paymentId, checkoutId } = await user.upgrade()
      await database().query(forgetAnswer)
      const event = anEvent(world, checkoutId, 'paid', { metadata: { payment_id: paymentId, ...metadata } })
      await postEvent(world, event)
      expect((await user.get(`/api/v1/billing/payments/${paymentId}`)).body.status).toBe(status)
    }
  })
})
