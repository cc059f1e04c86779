// A tax of sales whose end is known: operators are told before it and after it, and what is booked after it
// bears it all the same.
import { readFileSync } from 'node:fs'
import { sellerFile } from '../../../../test/support/config-files.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { type ReceivedMessage, readMessage, startSmtpSink } from '../../../../test/support/smtp-sink.js'

const MINUTE = 60
const sink = await startSmtpSink()
afterAll(() => sink[Symbol.asyncDispose]())
const [term] = JSON.parse(readFileSync('docs/seller.example.json', 'utf8')).tax
const ENV = {
  SELLER_FILE: sellerFile({ tax: [{ ...term, until: '2026-12-31' }] }),
  SMTP_URL: sink.url,
  OPERATOR_MAIL: 'amina@example.dz',
  OPERATOR_MAIL_LOCALE: 'en',
}

describeWorld('a tax of sales with a known end', { env: ENV }, ({ world }) => {
  beforeEach(() => {
    ;(sink.messages as ReceivedMessage[]).length = 0
  })

  const advanceTo = (instant: string) => world.advance((Date.parse(instant) - world.clock.now()) / 1_000)
  const subjects = () => sink.messages.map((message) => readMessage(message).headers.subject)

  it('is told of when it is near, and louder after it, by the days of Algiers', async () => {
    const verdicts = []
    for (const instant of ['2026-11-30T22:59:59Z', '2026-11-30T23:00:00Z', '2026-12-31T23:00:00Z']) {
      world.clock.advance(Date.parse(instant) - world.clock.now())
      const { checks } = (await operatorOf(world).get('/health')).body
      verdicts.push(checks.find(({ subject }: { subject: string }) => subject === 'tax').verdict)
    }
    expect(verdicts).toEqual(['ok', 'warn', 'fail'])
  })

  it('is mailed to operators once when it is near, and once when it is over', async () => {
    await world.advance(MINUTE)
    expect(subjects()).toEqual([])
    await advanceTo('2026-12-01T08:00:00Z')
    await world.advance(60 * MINUTE)
    await advanceTo('2026-12-20T08:00:00Z')
    expect(subjects()).toHaveLength(1)
    const [first] = sink.messages
    if (!first) throw new Error('no mail came')
    const { parts } = readMessage(first)
    for (const type of ['text/plain', 'text/html']) {
      const text = parts[type]?.toString() ?? ''
      expect(text).toContain('SELLER_FILE')
      expect(text).toContain(`${world.config.publicUrl}/console/health`)
    }
    await advanceTo('2027-01-01T08:00:00Z')
    await world.advance(60 * MINUTE)
    await advanceTo('2027-02-01T08:00:00Z')
    expect(subjects()).toHaveLength(2)
  })

  it('is booked by after its last day, as stands on the page of health', async () => {
    world.clock.advance(Date.parse('2027-01-05T08:00:00Z') - world.clock.now())
    const { paymentId } = await world.as('user-1').buy()
    const { receipt } = await operatorOf(world).payment(paymentId)
    expect(receipt.number).toBe('TEST-2027-000001')
    const { by_rate } = (await operatorOf(world).get('/months/2027-01')).body
    expect(by_rate).toMatchObject([{ tva_percent: null, paid: { ht: 2000, tva: 0 } }])
    const { text } = await (await enterConsole(world, OPERATOR_KEY)).open('/console/health')
    const [, checks = ''] = text.split('id="checks"')
    expect(wordsOf(checks.split('</section>', 1)[0] ?? '')).toContain(
      'ended on 31 December 2026, and receipts still state it',
    )
  })
})
