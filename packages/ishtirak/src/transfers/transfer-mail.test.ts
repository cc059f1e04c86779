// What a user without a card is sent: where the money goes, and why it was refused.
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { readMessage, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { orderTransfer, sendProof } from '../../../../test/support/transfers.js'
import { sendDueMail } from '../mail/send-mail.js'

const sink = await startSmtpSink()
afterAll(() => sink[Symbol.asyncDispose]())
describeWorld('mail about a transfer', { env: { SMTP_URL: sink.url, TRANSFER_FILE } }, ({ world }) => {
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
    const body = await orderTransfer(world, 'user-1')
    const { reference } = body.transfer
    const asked = await sent()
    expect(asked.subject).toContain('Transfer 2 000 DA with the reference')
    const account = 'Number: 0023456789\nKey: 88\nRIP: 00799999002345678941'
    for (const text of [asked.text, asked.html])
      for (const part of [reference, account, 'DZ7000000001000000001211']) expect(text).toContain(part)
    // The reference is not broken into two lines.
    expect(asked.html).toContain(`<span style="white-space:nowrap">${reference}</span>`)
    await sendProof(world, 'user-1', body.id)
    const came = await sent()
    expect(came.subject).toContain('We have received your slip')
    expect(came.text).toContain(reference)
    await operatorOf(world).post(`/payments/${body.id}/refuse`, { why: 'nothing came <b>' })
    const told = await sent()
    expect(told.subject).toContain('was not accepted')
    expect(told.text).toContain('Reason: nothing came <b>')
    expect(told.html).toContain('Reason: nothing came &lt;b>')
  })
})
