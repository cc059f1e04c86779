// The typesetter's packages are optional.

import { describeWorld } from '../../../../test/support/describe-world.js'
import { ownerNamed } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { readMessage, sinkOfTests } from '../../../../test/support/smtp-sink.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { refund } from '../ledger/refund.js'
import { missingForReceipts } from './typesetter.js'

const sink = await sinkOfTests()

describeWorld('without the typesetter', { env: { SMTP_URL: sink.url } }, ({ world }) => {
  beforeEach(() => {
    Object.assign(world.service.parts.printer, { typesetter: null })
  })

  it('the receipt is refused with its number', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const receipt = (user: string, id: string) => world.as(user).get(`/api/v1/billing/payments/${id}/receipt`)
    const refused = await receipt('user-1', paymentId)
    const expected = [501, 'receipts_unavailable', 'TEST-2026-000001']
    expect([refused.status, refused.body.code, refused.body.receipt_number]).toEqual(expected)
    // Earlier checks refuse as usual.
    const { paymentId: unpaid } = await world.as('user-2').upgrade()
    expect((await receipt('user-2', unpaid)).body.code).toBe('payment_not_paid')
    expect((await receipt('user-2', paymentId)).body.code).toBe('not_found')
  })

  it('mail about a payment names the number, and where a copy is had', async () => {
    await setProfile(world, 'user-1', { email: 'amina@example.dz', locale: 'en' })
    const { paymentId } = await world.as('user-1').buy()
    await world.service.runner.runAll()
    await doAct(world.service.parts, refund, callBy(ownerNamed('tests'), paymentId, { why: 'asked for' }))
    await world.service.runner.runAll()
    const messages = sink.messages.map((message) => readMessage(message))
    const expected = ['Your receipt TEST-2026-000001: 2 000 DA', 'Your payment was refunded: 2 000 DA']
    expect(messages.map(({ headers }) => headers.subject)).toEqual(expected)
    for (const { parts } of messages) {
      expect(parts['text/plain']?.toString()).toContain('The receipt has the number TEST-2026-000001.')
      expect(parts['text/plain']?.toString()).not.toContain('attached')
      expect(Object.keys(parts)).not.toContain('application/pdf')
    }
  })
})

it('the packages of the typesetter are found where they are installed', () => {
  expect(missingForReceipts()).toEqual([])
})
