// The card of the balance on a user's page: what they read and press, without a script.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { checkoutIdOf, createWorld, type World } from '../../../../test/support/world.js'

describeScenario('the balance in the portal', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), { env: { BALANCE_MAX: '50000' } })
  })
  afterEach(() => world.stop())
  const enter = (locale = 'en') => enterPortal(world, 'user-1', locale)
  const words = async (visit: Awaited<ReturnType<typeof enter>>) => wordsOf((await visit.open()).text)

  it('is topped up, renews by itself and is stopped, and each change of it is told', async () => {
    const visit = await enter()
    expect(await words(visit)).toContain('Your balance 0 DA')
    const opened = await visit.submit('/portal/balance/top-up', { amount: '5 000' })
    expect(opened.status).toBe(303)
    await world.emulator.pay(checkoutIdOf(opened.headers.get('location') ?? ''), 'paid')
    await world.emulator.settled()
    expect(await words(visit)).toContain('You have no paid time: if your balance is enough, the first term')
    await visit.submit('/portal/balance/renewal', { offer: '1 pro' })
    const page = await words(visit)
    expect(page).toContain('Your balance 3 000 DA')
    expect(page).toContain(
      'Renews by itself on 21 December 2026: Pro · 1 month for 2 000 DA, from your balance.',
    )
    expect(page).toContain('− 2 000 DA Renewed · balance 3 000 DA')
    expect(page).toContain('+ 5 000 DA Top-up · balance 5 000 DA')
    await visit.submit('/portal/balance/renewal', { off: 'yes' })
    expect(await words(visit)).not.toContain('Stop renewing')
  })

  it('shows what was bought since, in each of its lists, where no job has run', async () => {
    const before = await enter()
    const opened = await before.submit('/portal/balance/top-up', { amount: '5000' })
    await world.emulator.pay(checkoutIdOf(opened.headers.get('location') ?? ''), 'paid')
    await world.emulator.settled()
    await before.submit('/portal/balance/renewal', { offer: '1 pro' })
    await world.advance(31 * 86_400)
    const page = wordsOf((await (await enter()).open('/portal?payments=all')).text)
    expect(page).toContain('Your balance 1 000 DA')
    expect(page).toContain('− 2 000 DA Renewed · balance 1 000 DA')
    expect(page).toContain('Pro Now Paid 21 December 2026 to 21 January 2027 Receipt')
    expect(page).toContain('21 December 2026 2 000 DA Pro · 21 December 2026 to 21 January 2027')
  })

  it('says what is missing, and by when', async () => {
    await world.as('user-1').buy()
    const visit = await enter()
    expect(await words(visit)).not.toContain('You have no paid time')
    await visit.submit('/portal/balance/renewal', { offer: '1 pro' })
    expect(await words(visit)).toContain(
      'Renews by itself on 21 December 2026: Pro · 1 month for 2 000 DA. 2 000 DA more is needed: top up',
    )
  })

  it.each([
    ['fr', 'Votre solde 0 DA L’argent que vous versez ici reste à vous'],
    ['ar', 'رصيدك 0 دج المال الذي تدفعه هنا يبقى لك'],
  ])('speaks %s', async (locale, said) => {
    expect(await words(await enter(locale))).toContain(said)
  })

  it('pays for what is chosen', async () => {
    const visit = await enter()
    const opened = await visit.submit('/portal/balance/top-up', { amount: '2000' })
    await world.emulator.pay(checkoutIdOf(opened.headers.get('location') ?? ''), 'paid')
    await world.emulator.settled()
    const bought = await visit.submit('/portal/balance/buy', { plan: 'pro', months: '1', ahead: 'yes' })
    expect([bought.status, bought.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/\/billing\/return\/pay_/),
    ])
    expect(await words(visit)).toContain('Your balance 0 DA')
  })
})
