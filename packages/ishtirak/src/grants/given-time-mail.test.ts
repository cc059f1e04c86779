// Mail about time that no payment bought: a code's speaks of the code, and no such time is called paid.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { CODE_ENV, makeCodes, VOUCHER } from '../../../../test/support/codes.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { png } from '../../../../test/support/proof-files.js'
import { readMessage, type SmtpSink, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { createWorld, tokenOf, type World } from '../../../../test/support/world.js'
import { LOCALES, type Locale } from '../core/locale.js'

describeScenario('mail about time without a payment', ({ database }) => {
  let world: World
  /** Messages of the tests before. */
  let before = 0
  const messages = () => sink.messages.slice(before)
  let sink: SmtpSink
  // One for all: a world with the same options is kept.
  beforeAll(async () => {
    sink = await startSmtpSink()
  })
  afterAll(() => sink[Symbol.asyncDispose]())
  beforeEach(async () => {
    before = sink.messages.length
    const env = { ...OPERATOR_ENV, ...CODE_ENV, SMTP_URL: sink.url, TRANSFER_FILE }
    world = await createWorld(database(), { env })
  })
  afterEach(() => world.stop())

  /** All that was sent, each as its subject and its text in one line. */
  const sent = (address?: string) =>
    messages()
      .filter(({ to }) => address === undefined || to[0] === address)
      .map(readMessage)
      .map(({ headers, parts }) => {
        const text = `${headers.subject} ${parts['text/plain']?.toString()}`
        return text.replace(/[\u2066-\u2069]/g, '').replace(/\s+/g, ' ')
      })
  const days = async (count: number) => world.advance(count * 86_400)

  it('of a code says that it was redeemed and what it gave', async () => {
    const said = {
      ar: ['استُعمل رمزك: شهر من باقة Pro', 'منحك رمزك شهر من باقة Pro', /أضفنا/],
      fr: ['Votre code a été utilisé : 1 mois de l’offre Pro', 'Vous n’avez rien payé.', /Nous avons ajouté/],
      en: [
        'Your code was redeemed: 1 month of Pro',
        'Your code gave you 1 month of the Pro plan, until',
        /We added/,
      ],
    } as const
    for (const locale of LOCALES) {
      await setProfile(world, locale, { email: `${locale}@example.dz`, locale })
      const { code } = await makeCodes(operatorOf(world), VOUCHER)
      await world.as(locale).post('/api/v1/billing/redeem', { code })
      await world.service.runner.runAll()
      const mail = sent().at(-1)
      const [subject, what, wrong] = said[locale]
      for (const part of [subject, what]) expect(mail).toContain(part)
      expect(mail).not.toMatch(wrong)
    }
  })

  it('of granted days says how many there are, and never calls them paid', async () => {
    const said = {
      ar: [/المدفوعة|مدفوعة إلى/, 'انتهى اشتراكك في باقة Pro', 'مدة أُضيفت إلى اشتراكك: 10 أيام', 'باقة Pro'],
      fr: [
        ...[/[Pp]ériode payée|payée jusqu/, 'Votre abonnement à l’offre Pro s’est terminé'],
        ...['Durée ajoutée à votre abonnement : 10 jours', '10 jours de l’offre Pro'],
      ],
      en: [
        ...[/paid time|is paid until/, 'Your subscription to the Pro plan ended on'],
        ...['Time added to your subscription: 10 days', '10 days of the Pro plan'],
      ],
    } as const
    for (const locale of LOCALES) {
      await setProfile(world, locale, { email: `${locale}@example.dz`, locale })
      await operatorOf(world).post(`/users/${locale}/grant`, { days: 10, why: 'a trial' })
    }
    for (const count of [4, 4, 2, 4]) await days(count)
    for (const locale of LOCALES) {
      const mails = sent(`${locale}@example.dz`)
      const [wrong, ended, ...granted] = said[locale]
      expect([locale, mails.length]).toEqual([locale, 5])
      for (const part of [...granted, `${world.url}/portal`]) expect(mails.join()).toContain(part)
      for (const mail of mails) expect(mail).not.toMatch(wrong)
      for (const mail of mails.slice(-2)) expect(mail).toContain(ended)
    }
  })

  it('of a slip says from where its time counts, where there is old time', async () => {
    const said = {
      ar: ['تبدأ المدة الجديدة من نهاية القديمة', /تُحتسب من تاريخ إرسال الوصل/],
      fr: ['la nouvelle période part de la fin de l’ancienne', /date du justificatif|prolongé/],
      en: [
        'If you sent the slip in time, the new time starts where the old one ends.',
        /counts from the slip/,
      ],
    } as const
    const sendSlip = async (userId: string, locale: Locale) => {
      await setProfile(world, userId, { email: `${userId}@example.dz`, locale })
      const wanted = { plan: 'pro', method: 'transfer' }
      const { body } = await world.as(userId).post('/api/v1/billing/payments', wanted)
      await world.service.runner.runAll()
      const authorization = `Bearer ${await tokenOf({ sub: userId })}`
      const address = `/api/v1/billing/payments/${body.id}/proof`
      await world.call('PUT', address, { body: png(), headers: { authorization } })
      await world.service.runner.runAll()
      return sent(`${userId}@example.dz`).at(-1) ?? ''
    }
    for (const locale of LOCALES) await world.as(`old-${locale}`).buy()
    await days(28)
    for (const locale of LOCALES) {
      const [counts, wrong] = said[locale]
      expect(await sendSlip(`old-${locale}`, locale)).toContain(counts)
      expect(await sendSlip(`new-${locale}`, locale)).not.toContain(counts)
      for (const mail of sent()) expect(mail).not.toMatch(wrong)
    }
  })
})
