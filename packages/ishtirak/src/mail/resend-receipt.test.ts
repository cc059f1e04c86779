import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { readMessage, sinkOfTests } from '../../../../test/support/smtp-sink.js'
import { createWorld } from '../../../../test/support/world.js'
import { sendDueMail } from './send-mail.js'

const MINUTE_SECONDS = 60

const sink = await sinkOfTests()

describeWorld('resending a receipt', { env: { SMTP_URL: sink.url } }, ({ world, database }) => {
  let paymentId: string
  beforeEach(async () => {
    await setProfile(world, 'user-1', { email: 'amina@example.dz', locale: 'en' })
    paymentId = (await world.as('user-1').buy()).paymentId
  })

  const send = () => sendDueMail(world.service.parts, 100)
  const minutes = (count: number) => world.clock.advance(count * MINUTE_SECONDS * 1_000)
  const support = () => operatorOf(world, ROLE_KEYS.support)
  const address = () => `/payments/${paymentId}/resend-receipt`
  const resend = (body = {}) => support().post(address(), body)
  const acts = async () => (await support().payment(paymentId)).audit
  const done = async () => (await acts()).filter(({ act }: { act: string }) => act !== 'operator.refused')

  async function receiptArrived() {
    await send()
    minutes(6)
  }

  it('brings the same mail again, under an id of its own, to the address that the user has now', async () => {
    await receiptArrived()
    await setProfile(world, 'user-1', { email: 'amina@other.example' })
    expect((await support().get(address())).body.changes).toMatchObject([
      { what: 'email', after: 'amina@other.example' },
      { what: 'mailQueued', after: '2026-11-21T12:00:00Z' },
      { what: 'outcome', after: 'sent' },
      { what: 'receiptMail', before: null, after: 'mailToBeSent' },
    ])
    expect((await resend({ why: 'ticket 4711' })).status).toBe(200)
    await send()
    await send()
    const [first, again, ...more] = sink.messages
    if (!first || !again) throw new Error('no mail came')
    expect([more, first.to, again.to]).toEqual([[], ['amina@example.dz'], ['amina@other.example']])
    const [before, after] = [readMessage(first), readMessage(again)]
    expect(after.headers.subject).toBe(before.headers.subject)
    expect(after.headers['message-id']).not.toBe(before.headers['message-id'])
    expect(after.parts['text/plain']).toEqual(before.parts['text/plain'])
    expect(after.parts['application/pdf']?.subarray(0, 5).toString()).toBe('%PDF-')
    expect(await acts()).toMatchObject([
      { actor: 'support', act: 'payment.resend_receipt', why: 'ticket 4711', before: { outcome: 'sent' } },
    ])
    expect(JSON.stringify(await acts())).not.toContain('@')
  })

  it('waits for the mail that is under way, and five minutes', async () => {
    const refused = async () => {
      const { status, body } = await resend()
      return [status, body.code, body.queued_at]
    }
    const underWay = [409, 'mail_under_way', '2026-11-21T12:00:00Z']
    expect(await refused()).toEqual(underWay)
    minutes(6)
    expect(await refused()).toEqual(underWay)
    await send()
    const [one, other] = await Promise.all([resend(), resend()])
    expect([one?.status, other?.status].sort()).toEqual([200, 409])
    await send()
    minutes(4)
    expect((await resend()).status).toBe(409)
    minutes(1)
    expect((await resend()).status).toBe(200)
    await send()
    expect([sink.messages.length, (await done()).length]).toEqual([3, 2])
  })

  it('does not wait for a later attempt of one that failed', async () => {
    sink.answer = (command) => (command === 'RCPT' ? '450 later' : undefined)
    for (const wait of [0, 2, 6, 16]) {
      minutes(wait)
      await send()
    }
    sink.answer = () => undefined
    expect((await resend()).status).toBe(200)
    await send()
    expect(sink.messages).toHaveLength(1)
  })

  it('is refused without a receipt, an address or mail at all, and after a refund', async () => {
    await using unmailed = await createWorld(database())
    const { status, body } = await operatorOf(unmailed, ROLE_KEYS.support).post(address())
    expect([status, body.code]).toEqual([501, 'mail_unavailable'])
    const begun = await world.as('user-2').post('/api/v1/billing/upgrade', { plan: 'pro' })
    const code = async (id: string) => {
      const refused = await support().post(`/payments/${id}/resend-receipt`)
      return [refused.status, refused.body.code]
    }
    expect(await code(begun.body.payment_id)).toEqual([409, 'payment_not_paid'])
    expect(await code('pay_x')).toEqual([404, 'not_found'])
    const { paymentId: unknown } = await world.as('user-3').buy()
    expect(await code(unknown)).toEqual([409, 'no_email_address'])
    await receiptArrived()
    await operatorOf(world, ROLE_KEYS.accountant).post(`/payments/${paymentId}/refund`, { why: 'x' })
    // The trail is sorted by time.
    minutes(1)
    expect(await code(paymentId)).toEqual([409, 'already_refunded'])
    const refusal = { act: 'payment.resend_receipt', code: 'already_refunded' }
    expect(await acts()).toMatchObject([{ act: 'payment.refund' }, { after: refusal }])
  })
})
