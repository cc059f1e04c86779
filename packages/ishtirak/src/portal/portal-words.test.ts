// What the pages say where something went wrong or is about to: what it means for the plan and the money, and
// whom to call.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { platformFor, WITH_PLATFORM } from '../../../../test/support/platform.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { LOCALES } from '../core/locale.js'

const PHONE = '+213 00 00 00 00'

describeScenario('the pages say', ({ database }) => {
  let world: World
  beforeEach(async () => {
    world = await createWorld(database(), { env: { ...OPERATOR_ENV, ...WITH_PLATFORM } })
  })
  afterEach(() => world.stop())

  const returned = async (paymentId: string, locale: string) => {
    const headers = { 'accept-language': locale }
    return wordsOf((await world.call('GET', `/portal/return/${paymentId}`, { headers })).text)
  }
  const portal = async (locale: string, userId = 'user-1') =>
    wordsOf((await (await enterPortal(world, userId, locale)).open()).text)

  it('of a payment that failed that nothing changed, and whom to call', async () => {
    const said = {
      en: `Your plan has not changed. If your bank shows a debit, call Example Hosting: ${PHONE}.`,
      fr: 'Votre offre n’a pas changé. Si votre banque affiche un débit, appelez',
      ar: 'لم تتغيّر باقتك. إن ظهر خصم في حسابك البنكي فاتصل',
    }
    const { paymentId, checkoutId } = await world.as('user-1').upgrade()
    await world.emulator.pay(checkoutId, 'failed')
    for (const locale of LOCALES) {
      const page = await returned(paymentId, locale)
      for (const part of [said[locale], PHONE]) expect(page).toContain(part)
    }
  })

  it('both sums and the telephone where less money came, or what else differs', async () => {
    const said = {
      en: 'We received 50 DA; the order is for 2 000 DA. Do not pay again',
      fr: 'Nous avons reçu 50 DA ; la commande est de 2 000 DA.',
      ar: 'استلمنا 50 دج، ومبلغ الطلب 2 000 دج.',
    }
    world.emulator.setFaults({ wrong_amount: { times: 1 } })
    const { paymentId } = await world.as('user-1').buy()
    for (const locale of LOCALES)
      for (const page of [await returned(paymentId, locale), await portal(locale)])
        for (const part of [said[locale], PHONE]) expect(page).toContain(part)
    world.emulator.setFaults({ wrong_mode: { times: 1 } })
    const other = await world.as('user-2').buy()
    for (const page of [await returned(other.paymentId, 'en'), await portal('en', 'user-2')]) {
      for (const part of ['does not match', PHONE]) expect(page).toContain(part)
      expect(page).not.toContain('We received 2 000 DA')
    }
  })

  it('that nothing was debited where the session was over at the button to pay', async () => {
    const said = {
      en: 'Your session has ended Nothing was carried out, and nothing was debited.',
      fr: 'Votre session a expiré Rien n’a été exécuté et rien n’a été débité.',
      ar: 'انتهت جلستك لم يُنفَّذ شيء ولم يُخصم شيء.',
    }
    const sessions = await Promise.all(LOCALES.map((locale) => enterPortal(world, 'user-1', locale)))
    world.clock.advance(13 * 3_600_000)
    for (const [index, locale] of LOCALES.entries()) {
      const own = sessions[index]
      const page = await own?.submit('/portal/upgrade', { plan: 'pro' })
      const words = wordsOf(page?.text ?? '')
      expect([page?.status, words]).toEqual([401, expect.stringContaining(said[locale])])
      // Who only opens the portal has sent nothing.
      expect(wordsOf((await own?.open())?.text ?? '')).not.toContain(said[locale])
    }
    expect(world.emulator.checkouts()).toEqual([])
  })

  it('on top that the plan has ended, and which limit is reached', async () => {
    const said = {
      en: ['Pro ended on 21 December 2026. Renew in time', 'You use 10 of 10: Projects.'],
      fr: ['L’offre Pro s’est terminée le 21 décembre 2026. Renouvelez à temps', 'Vous utilisez 10 sur 10 :'],
      ar: ['انتهت باقة Pro في 21 ديسمبر 2026. جدّد', 'تستعمل 10 من 10:'],
    }
    await world.as('user-1').buy()
    await world.advance(31 * 86_400)
    await platformFor(world, 'user-1').report('projects', { used: 10 })
    for (const locale of LOCALES) {
      const page = await portal(locale)
      for (const part of said[locale]) {
        expect(page).toContain(part)
        expect(page.indexOf(part)).toBeLessThan(page.indexOf('2 000'))
      }
    }
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
