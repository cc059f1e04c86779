// What a user without a card is sent: where the money goes, and why it was refused.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { png } from '../../../../test/support/proof-files.js'
import { readMessage, type SmtpSink, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { createWorld, tokenOf, type World } from '../../../../test/support/world.js'

describeScenario('mail about a transfer', ({ database }) => {
  let world: World
  let sink: SmtpSink
  beforeEach(async () => {
    sink = await startSmtpSink()
    world = await createWorld(database(), {
      env: { ...OPERATOR_ENV, SMTP_URL: sink.url, TRANSFER_FILE, BALANCE_MAX: '10000' },
    })
  })
  afterEach(async () => {
    await world.stop()
    await sink[Symbol.asyncDispose]()
  })
  const messages = () =>
    sink.messages.map(readMessage).map(({ headers, parts }) => {
      const plain = (text = '') =>
        text
          .replace(/[\u2066-\u2069]/g, '')
          .replaceAll('\u00a0', ' ')
          .replaceAll('\r\n', '\n')
      return {
        subject: headers.subject ?? '',
        text: plain(parts['text/plain']?.toString()),
        html: plain(parts['text/html']?.toString()).replaceAll('<br>', '\n'),
      }
    })

  it.each([
    [
      'ar',
      'حوّل 2 000 دج مع ذكر المرجع',
      'الرقم: 0023456789\nالمفتاح: 88\nRIP: 00799999002345678941',
      'استلمنا وصل تحويلك',
      'لم يُقبل تحويلك',
      'السبب: nothing came',
    ],
    [
      'fr',
      'Virement de 2 000 DA à effectuer : référence',
      'Numéro : 0023456789\nClé : 88\nRIP : 00799999002345678941',
      'Nous avons reçu le justificatif',
      'n’a pas été accepté',
      'Motif : nothing came',
    ],
    [
      'en',
      'Transfer 2 000 DA with the reference',
      'Number: 0023456789\nKey: 88\nRIP: 00799999002345678941',
      'We have received your slip',
      'was not accepted',
      'Reason: nothing came',
    ],
  ] as const)(
    'names reference and accounts, a line for each value and none broken, then that the slip came, ' +
      'then the reason of a refusal (%s)',
    async (locale, subject, account, received, refused, reason) => {
      await setProfile(world, 'user-1', { email: 'amina@example.dz', locale })
      const { body } = await world
        .as('user-1')
        .post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
      await world.service.runner.runAll()
      const { reference } = body.transfer
      const [asked] = messages()
      expect(asked?.subject).toContain(subject)
      for (const text of [asked?.text, asked?.html]) {
        expect(text).toContain(reference)
        expect(text).toContain(account)
        expect(text).toContain('DZ7000000001000000001211')
      }
      expect(asked?.html).toContain(`<span style="white-space:nowrap">${reference}</span>`)
      const authorization = `Bearer ${await tokenOf({ sub: 'user-1' })}`
      const address = `/api/v1/billing/payments/${body.id}/proof`
      await world.call('PUT', address, { body: png(), headers: { authorization } })
      await world.service.runner.runAll()
      const [, came] = messages()
      expect(came?.subject).toContain(received)
      expect(came?.text).toContain(reference)
      await operatorOf(world).post(`/payments/${body.id}/refuse`, { why: 'nothing came <b>' })
      await world.service.runner.runAll()
      const [, , told] = messages()
      expect(told?.subject).toContain(refused)
      expect(told?.text).toContain(`${reason} <b>`)
      expect(told?.html).toContain(`${reason} &lt;b>`)
      expect(sink.messages).toHaveLength(3)
    },
  )

  it('says what a top-up and a change come to, not that time is added', async () => {
    await setProfile(world, 'user-1', { email: 'amina@example.dz', locale: 'en' })
    await world.as('user-1').post('/api/v1/billing/balance/top-ups', { amount: 3_000, method: 'transfer' })
    await world.service.runner.runAll()
    const [requested] = messages()
    expect(requested?.text).toContain('It is on your balance once we have seen the money on our account.')
    expect(requested?.text).not.toContain('Your time is added')
  })
})
