import { describeWorld } from '../../../../test/support/describe-world.js'
import { enterPortal, SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { createWorld } from '../../../../test/support/world.js'

type Visit = Awaited<ReturnType<typeof enterPortal>>

describeWorld('the balance in the portal', { env: { BALANCE_MAX: '50000' } }, ({ world, database }) => {
  const enter = () => enterPortal(world, 'user-1')
  const words = async (visit: Visit) => wordsOf((await visit.open('/portal/balance')).text)
  const topUp = async (visit: Visit, amount: string, in_ = world) => {
    const opened = await visit.submit('/portal/balance/top-up', { amount })
    await in_.pay(opened.headers.get('location') ?? '')
  }

  it('is topped up, renews by itself and is stopped, and each change of it is told', async () => {
    const visit = await enter()
    expect(await words(visit)).toContain('Your balance 0 DA')
    await topUp(visit, '5 000')
    expect(await words(visit)).toContain('You have no paid period: if your balance is enough, the first one')
    await visit.submit('/portal/balance/renewal', { offer: '1 pro' })
    const page = await words(visit)
    expect(page).toContain('Your balance 3 000 DA')
    expect(page).toContain(
      'Renews automatically on 21 December 2026: Pro · 1 month for 2 000 DA, from your balance.',
    )
    const first = wordsOf((await visit.open()).text)
    expect(first).toContain('Renews automatically from your balance: you need do nothing. Pro until')
    expect(first).toContain('Your balance 3 000 DA')
    expect(page).toContain('−2 000 DA Renewal · balance 3 000 DA')
    expect(page).toContain('+5 000 DA Top-up · balance 5 000 DA')
    await visit.submit('/portal/balance/renewal', { off: 'yes' })
    expect(await words(visit)).not.toMatch(/Stop automatic renewal|you need do nothing/)
  })

  it('says what is missing, and by when', async () => {
    await world.as('user-1').buy()
    const visit = await enter()
    expect(await words(visit)).not.toContain('You have no paid period')
    await visit.submit('/portal/balance/renewal', { offer: '1 pro' })
    expect(await words(visit)).toContain(
      'Renews automatically on 21 December 2026: Pro · 1 month for 2 000 DA. You need 2 000 DA more: top up',
    )
  })

  it('takes no more than the page showed, and agrees to no other price', async () => {
    const visit = await enter()
    await topUp(visit, '5000')
    const agreed = await visit.submit('/portal/balance/renewal', { offer: '1 pro 1900' })
    expect([agreed.status, agreed.headers.get('location')]).toEqual([303, `${world.base}/portal/balance`])
    const page = await visit.open('/portal/balance')
    expect(wordsOf(page.text)).toContain('Your balance 5 000 DA')
    expect(page.text).toContain('<option value="1 pro 2000"')
    const buy = (fields: object) =>
      visit.submit('/portal/balance/buy', { plan: 'pro', months: '1', ...fields })
    const shown = await buy({ shown: '1900' })
    expect(wordsOf(shown.text)).toContain('Pay 2 000 DA from your balance')
    expect(shown.text).toContain('name="shown" value="2000"')
    expect(await words(visit)).toContain('Your balance 5 000 DA')
    expect((await buy({ months: '1.5' })).status).toBe(422)
    expect((await buy({ shown: '2000' })).headers.get('location')).toMatch(/\/portal\/return\/pay_/)
    expect(await words(visit)).toContain('Your balance 3 000 DA')
  })

  it('says what to type in place of what is no amount', async () => {
    const visit = await enter()
    const says = expect.stringContaining('Type whole dinars')
    for (const amount of ['1.980', 'much', '49', '']) {
      const { status, text } = await visit.submit('/portal/balance/top-up', { amount })
      expect([amount, status, wordsOf(text)]).toEqual([amount, 422, says])
    }
  })

  it('is a way to pay; too low for what is chosen it says what is missing', async () => {
    await using shop = await createWorld(database(), {
      env: { BALANCE_MAX: '50000', PLANS_FILE: SELLING_PLANS },
    })
    const visit = await enterPortal(shop, 'user-1')
    const order = (offer: string, method: string) => visit.submit('/portal/choice', { offer, method })
    expect((await order('1 starter', 'card')).text).toContain('name="method" value="balance"')
    expect(wordsOf((await order('1 starter', 'balance')).text)).toContain('You need 900 DA more.')
    await topUp(visit, '1000', shop)
    expect(wordsOf((await order('1 starter', 'balance')).text)).toContain('Pay 900 DA from your balance')
    const dearer = await order('1 pro', 'balance')
    expect(wordsOf(dearer.text)).toContain('You need 1 400 DA more. Top up')
    expect(dearer.text).not.toContain('/portal/balance/buy')
  })
})
