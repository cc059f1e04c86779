import { expect, it } from 'vitest'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { platformFor } from '../../../../test/support/platform.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'

const PHONE = '+213 00 00 00 00'

describeWorld('the pages say', {}, ({ world }) => {
  const returned = async (paymentId: string) => {
    const headers = { 'accept-language': 'en' }
    return wordsOf((await world.call('GET', `/portal/return/${paymentId}`, { headers })).text)
  }
  const portal = async (userId = 'user-1') => wordsOf((await (await enterPortal(world, userId)).open()).text)

  it('of a payment that failed that nothing changed, and whom to call', async () => {
    const { paymentId, checkoutId } = await world.as('user-1').upgrade()
    await world.emulator.pay(checkoutId, 'failed')
    expect(await returned(paymentId)).toContain(
      `Your plan has not changed. If your bank shows a debit, call Example Hosting: ${PHONE}.`,
    )
  })

  it('both sums and the telephone where less money came, or what else differs', async () => {
    for (const [userId, fault, said] of [
      ['user-1', 'wrong_amount', 'We received 50 DA; the order is for 2 000 DA. Do not pay again'],
      ['user-2', 'wrong_mode', 'does not match'],
    ] as const) {
      world.emulator.setFaults({ [fault]: { times: 1 } })
      const { paymentId } = await world.as(userId).buy()
      for (const page of [await returned(paymentId), await portal(userId)])
        for (const part of [said, PHONE]) expect(page).toContain(part)
      const { text } = await (await enterPortal(world, userId)).open()
      expect(text).not.toMatch(/\/portal\/(upgrade|choice)/)
    }
  })

  it('that nothing was debited where the session was over at the button to pay', async () => {
    const said = 'Your session has ended Nothing was carried out, and nothing was debited.'
    const session = await enterPortal(world, 'user-1')
    world.clock.advance(13 * 3_600_000)
    const page = await session.submit('/portal/upgrade', { plan: 'pro' })
    expect([page.status, wordsOf(page.text)]).toEqual([401, expect.stringContaining(said)])
    // Who only opens the portal has sent nothing.
    expect(wordsOf((await session.open()).text)).not.toContain(said)
    expect(world.emulator.checkouts()).toEqual([])
  })

  it('on top that the plan has ended, and which limit is reached', async () => {
    await world.as('user-1').buy()
    await world.advance(31 * 86_400)
    await platformFor(world, 'user-1').report('projects', { used: 10 })
    const page = await portal()
    for (const part of ['Pro ended on 21 December 2026. Renew in time', 'You use 10 of 10: Projects.']) {
      expect(page).toContain(part)
      expect(page.indexOf(part)).toBeLessThan(page.indexOf('2 000'))
    }
    await world.advance(3 * 86_400)
    expect(await portal()).toContain('Subscribe to Pro again')
  })

  it('of granted time that ended that it ended, not that it was paid', async () => {
    await operatorOf(world).post('/users/user-1/grant', { plan: 'pro', days: 7, why: 'a trial' })
    for (const days of [1, 7, 3]) {
      expect(await portal()).not.toMatch(/paid (time|until)/i)
      await world.advance(days * 86_400)
    }
  })
})
