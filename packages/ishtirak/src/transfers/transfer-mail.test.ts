// What a user without a card is sent: where the money goes, and why it was refused.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { png } from '../../../../test/support/proof-files.js'
import { readMessage, type SmtpSink, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { createWorld, tokenOf, type World } from '../../../../test/support/world.js'
import { sendDueMail } from '../mail/send-mail.js'

describeScenario('mail about a transfer', ({ database }) => {
  let world: World
  let sink: SmtpSink
  beforeAll(async () => {
    sink = await startSmtpSink()
  })
  afterAll(() => sink[Symbol.asyncDispose]())
  beforeEach(async () => {
    const env = { ...OPERATOR_ENV, SMTP_URL: sink.url, TRANSFER_FILE, BALANCE_MAX: '10000' }
    world = await createWorld(database(), { env })
    return () => world.stop()
  })

  const plain = (text = '') =>
    text
      .replace(/[\u2066-\u2069]/g, '')
      .replaceAll('\u00a0', ' ')
      .replaceAll('\r\n', '\n')
  /** The one mail that is due. */
  const sent = async () => {
    const before = sink.messages.length
    await sendDueMail(world.service.parts, 100)
    const [message, ...more] = sink.messages.slice(before)
    if (!message || more.length > 0) throw new Error(`${more.length} mails came beside one`)
    const { headers, parts } = readMessage(message)
    return {
      subject: headers.subject ?? '',
      text: plain(parts['text/plain']?.toString()),
      html: plain(parts['text/html']?.toString()).replaceAll('<br>', '\n'),
    }
  }

  it('names reference and accounts line by line; then that the slip came; then the refusal', async () => {
    await setProfile(world, 'user-1', { email: 'amina@example.dz', locale: 'en' })
    const { post } = world.as('user-1')
    const { body } = await post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
    const { reference } = body.transfer
    const asked = await sent()
    expect(asked.subject).toContain('Transfer 2 000 DA with the reference')
    const account = 'Number: 0023456789\nKey: 88\nRIP: 00799999002345678941'
    for (const text of [asked.text, asked.html])
      for (const part of [reference, account, 'DZ7000000001000000001211']) expect(text).toContain(part)
    // The reference is not broken into two lines.
    expect(asked.html).toContain(`<span style="white-space:nowrap">${reference}</span>`)
    const authorization = `Bearer ${await tokenOf({ sub: 'user-1' })}`
    const address = `/api/v1/billing/payments/${body.id}/proof`
    await world.call('PUT', address, { body: png(), headers: { authorization } })
    const came = await sent()
    expect(came.subject).toContain('We have received your slip')
    expect(came.text).toContain(reference)
    await operatorOf(world).post(`/payments/${body.id}/refuse`, { why: 'nothing came <b>' })
    const told = await sent()
    expect(told.subject).toContain('was not accepted')
    expect(told.text).toContain('Reason: nothing came <b>')
    expect(told.html).toContain('Reason: nothing came &lt;b>')
  })

  it('says what a top-up and a change come to, not that time is added', async () => {
    await setProfile(world, 'user-1', { email: 'amina@example.dz', locale: 'en' })
    await world.as('user-1').post('/api/v1/billing/balance/top-ups', { amount: 3_000, method: 'transfer' })
    const requested = await sent()
    expect(requested.text).toContain('It is on your balance once we have seen the money on our account.')
    expect(requested.text).not.toContain('Your time is added')
  })
})
