// What the pages say where something went wrong or is about to: what it means for the plan and the money, and
// whom to call.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { platformFor, WITH_PLATFORM } from '../../../../test/support/platform.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { createWorld, type World } from '../../../../test/support/world.js'

const PHONE = '+213 00 00 00 00'

describeScenario('the pages say', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), { env: { ...OPERATOR_ENV, ...WITH_PLATFORM } })
  })
  afterEach(() => world.stop())

  const returned = async (paymentId: string, locale: string) => {
    const headers = { 'accept-language': locale }
    return wordsOf((await world.call('GET', `/billing/return/${paymentId}`, { headers })).text)
  }
  const portal = async (locale: string) =>
    wordsOf((await (await enterPortal(world, 'user-1', locale)).open()).text)

  it.each([
    ['en', `Your plan has not changed. If your bank shows a debit, call Example Hosting: ${PHONE}.`],
    ['fr', 'Votre offre n’a pas changé. Si votre banque affiche un débit, appelez'],
    ['ar', 'لم تتغيّر باقتك. إن ظهر خصم في حسابك البنكي فاتصل'],
  ])('of a payment that failed that nothing changed, and whom to call (%s)', async (locale, said) => {
    const { paymentId, checkoutId } = await world.as('user-1').upgrade()
    await world.emulator.pay(checkoutId, 'failed')
    const page = await returned(paymentId, locale)
    expect(page).toContain(said)
    expect(page).toContain(PHONE)
  })

  it.each([
    ['en', 'We received 50 DA; the order is for 2 000 DA. Do not pay again'],
    ['fr', 'Nous avons reçu 50 DA ; la commande est de 2 000 DA.'],
    ['ar', 'استلمنا 50 دج، ومبلغ الطلب 2 000 دج.'],
  ])('both sums and the telephone where less money came (%s)', async (locale, said) => {
    world.emulator.setFaults({ wrong_amount: { times: 1 } })
    const { paymentId } = await world.as('user-1').buy()
    for (const page of [await returned(paymentId, locale), await portal(locale)]) {
      expect(page).toContain(said)
      expect(page).toContain(PHONE)
    }
  })

  it('the telephone also where something else than the sum differs', async () => {
    world.emulator.setFaults({ wrong_mode: { times: 1 } })
    const { paymentId } = await world.as('user-1').buy()
    for (const page of [await returned(paymentId, 'en'), await portal('en')]) {
      expect(page).toContain('does not match')
      expect(page).toContain(PHONE)
      expect(page).not.toContain('We received 2 000 DA')
    }
  })

  it.each([
    ['en', 'Your session has ended Nothing was carried out, and nothing was debited.'],
    ['fr', 'Votre session a expiré Rien n’a été exécuté et rien n’a été débité.'],
    ['ar', 'انتهت جلستك لم يُنفَّذ شيء ولم يُخصم شيء.'],
  ])(
    'that nothing was debited where the session was over at the button to pay (%s)',
    async (locale, said) => {
      const own = await enterPortal(world, 'user-1', locale)
      await world.advance(13 * 3600)
      const page = await own.submit('/portal/upgrade', { plan: 'pro' })
      expect([page.status, wordsOf(page.text)]).toEqual([401, expect.stringContaining(said)])
      expect(world.emulator.checkouts()).toEqual([])
      // Who only opens the portal has sent nothing.
      expect(wordsOf((await own.open()).text)).not.toContain(said)
    },
  )

  describe('on top', () => {
    it.each([
      ['en', 'Pro ended on 21 December 2026. Renew in time', 'You use 10 of 10: Projects.'],
      [
        'fr',
        'L’offre Pro s’est terminée le 21 décembre 2026. Renouvelez à temps',
        'Vous utilisez 10 sur 10 :',
      ],
      ['ar', 'انتهت باقة Pro في 21 ديسمبر 2026. جدّد', 'تستعمل 10 من 10:'],
    ])('that the plan has ended, and which limit is reached (%s)', async (locale, ended, full) => {
      await world.as('user-1').buy()
      await world.advance(31 * 86_400)
      await platformFor(world, 'user-1').report('projects', { used: 10 })
      const page = await portal(locale)
      const pay = page.indexOf('2 000')
      for (const said of [ended, full]) {
        expect(page).toContain(said)
        expect(page.indexOf(said)).toBeLessThan(pay)
      }
    })
  })

  it('of granted time that ended that it ended, not that it was paid', async () => {
    await world.as('user-1').upgrade()
    await operatorOf(world).post('/users/user-1/grant', { days: 7, why: 'a trial' })
    for (const days of [1, 7, 3]) {
      for (const [locale, wrong] of [
        ['en', /paid (time|until)/i],
        ['fr', /période payée|payée jusqu/i],
        ['ar', /المدفوعة|مدفوعة إلى/],
      ] as const)
        expect(await portal(locale)).not.toMatch(wrong)
      await world.advance(days * 86_400)
    }
  })
})
