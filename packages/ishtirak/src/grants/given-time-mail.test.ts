// Mail about time that no payment bought: a code's speaks of the code, and no such time is called paid.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CODE_ENV, makeCodes, VOUCHER } from '../../../../test/support/codes.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { png } from '../../../../test/support/proof-files.js'
import { readMessage, type SmtpSink, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { createWorld, tokenOf, type World } from '../../../../test/support/world.js'

describeScenario('mail about time without a payment', ({ database }) => {
  let world: World
  let sink: SmtpSink
  beforeEach(async () => {
    sink = await startSmtpSink()
    const env = { ...OPERATOR_ENV, ...CODE_ENV, SMTP_URL: sink.url, TRANSFER_FILE }
    world = await createWorld(database(), { env })
  })
  afterEach(async () => {
    await world.stop()
    await sink[Symbol.asyncDispose]()
  })

  /** All that was sent, each as its subject and its text in one line. */
  const sent = () =>
    sink.messages.map(readMessage).map(({ headers, parts }) => {
      const text = `${headers.subject} ${parts['text/plain']?.toString()}`
      return text.replace(/[\u2066-\u2069]/g, '').replace(/\s+/g, ' ')
    })
  const days = async (count: number) => world.advance(count * 86_400)

  it.each([
    ['ar', 'استُعمل رمزك: شهر من باقة Pro', 'منحك رمزك شهر من باقة Pro', /أضفنا/],
    ['fr', 'Votre code a été utilisé : 1 mois de l’offre Pro', 'Vous n’avez rien payé.', /Nous avons ajouté/],
    [
      'en',
      'Your code was redeemed: 1 month of Pro',
      'Your code gave you 1 month of the Pro plan, until',
      /We added/,
    ],
  ] as const)(
    'of a code says that it was redeemed and what it gave (%s)',
    async (locale, subject, what, wrong) => {
      await setProfile(world, 'user-1', { email: 'amina@example.dz', locale })
      const { code } = await makeCodes(operatorOf(world), VOUCHER)
      await world.as('user-1').post('/api/v1/billing/redeem', { code })
      await world.service.runner.runAll()
      const [mail] = sent()
      for (const part of [subject, what]) expect(mail).toContain(part)
      expect(mail).not.toMatch(wrong)
    },
  )

  it.each([
    ['ar', /المدفوعة|مدفوعة إلى/, 'انتهى اشتراكك في باقة Pro'],
    ['fr', /[Pp]ériode payée|payée jusqu/, 'Votre abonnement à l’offre Pro s’est terminé'],
    ['en', /paid time|is paid until/, 'Your subscription to the Pro plan ended on'],
  ] as const)('of granted days that end never calls them paid (%s)', async (locale, wrong, ended) => {
    await setProfile(world, 'user-1', { email: 'amina@example.dz', locale })
    await operatorOf(world).post('/users/user-1/grant', { days: 10, why: 'a trial' })
    for (const count of [4, 4, 2, 4]) await days(count)
    const mails = sent()
    expect(mails).toHaveLength(5)
    for (const mail of mails) expect(mail).not.toMatch(wrong)
    for (const mail of mails.slice(-2)) expect(mail).toContain(ended)
  })

  it.each([
    ['ar', 'تبدأ المدة الجديدة من نهاية القديمة', /تُحتسب من تاريخ إرسال الوصل/],
    ['fr', 'la nouvelle période part de la fin de l’ancienne', /date du justificatif|prolongé/],
    [
      'en',
      'If you sent the slip in time, the new time starts where the old one ends.',
      /counts from the slip/,
    ],
  ] as const)(
    'of a slip says from where its time counts, where there is old time (%s)',
    async (locale, said, wrong) => {
      const sendSlip = async (userId: string) => {
        await setProfile(world, userId, { email: `${userId}@example.dz`, locale })
        const wanted = { plan: 'pro', method: 'transfer' }
        const { body } = await world.as(userId).post('/api/v1/billing/payments', wanted)
        await world.service.runner.runAll()
        const authorization = `Bearer ${await tokenOf({ sub: userId })}`
        const address = `/api/v1/billing/payments/${body.id}/proof`
        await world.call('PUT', address, { body: png(), headers: { authorization } })
        await world.service.runner.runAll()
        return sent().at(-1) ?? ''
      }
      await world.as('user-1').buy()
      await days(28)
      expect(await sendSlip('user-1')).toContain(said)
      expect(await sendSlip('user-2')).not.toContain(said)
      for (const mail of sent()) expect(mail).not.toMatch(wrong)
    },
  )
})
