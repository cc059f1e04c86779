// A tax of sales whose end is known: operators are told before it and after it, and what is booked after it
// bears it all the same.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import {
  type ReceivedMessage,
  readMessage,
  type SmtpSink,
  startSmtpSink,
} from '../../../../test/support/smtp-sink.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { statement } from '../database/database.js'
import { mailOperators } from './operator-mail.js'

const MINUTE = 60
const seller = JSON.parse(readFileSync('docs/seller.example.json', 'utf8'))
const forgetMailed = statement('test.tax_end.forget', 'delete from inbox_known')
const exempt = { ...seller.tax[0], until: '2026-12-31' }

describeScenario('a tax of sales with a known end', ({ database }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tax-end-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let world: World
  let sink: SmtpSink
  beforeAll(async () => {
    sink = await startSmtpSink()
  })
  afterAll(() => sink[Symbol.asyncDispose]())
  beforeEach(() => {
    ;(sink.messages as ReceivedMessage[]).length = 0
  })
  afterEach(() => world.stop())

  async function start(tax: readonly object[]) {
    const SELLER_FILE = path.join(
      folder,
      `${createHash('sha256').update(JSON.stringify(tax)).digest('hex')}.json`,
    )
    writeFileSync(SELLER_FILE, JSON.stringify({ ...seller, tax }))
    const mail = { SMTP_URL: sink.url, OPERATOR_MAIL: 'amina@example.dz', OPERATOR_MAIL_LOCALE: 'en' }
    world = await createWorld(database(), { env: { ...OPERATOR_ENV, ...mail, SELLER_FILE } })
  }
  const advanceTo = (instant: string) => world.advance((Date.parse(instant) - world.clock.now()) / 1_000)
  const check = async () => {
    const { checks } = (await operatorOf(world).get('/health')).body
    return checks.find(({ subject }: { subject: string }) => subject === 'tax')
  }
  const subjects = () => sink.messages.map((message) => readMessage(message).headers.subject)

  it('is told of from 30 days before its last day, and louder after it, by the days of Algiers', async () => {
    await start([exempt])
    await advanceTo('2026-11-30T22:59:59Z')
    expect(await check()).toMatchObject({ verdict: 'ok', found: 'set until 2026-12-31' })
    await advanceTo('2026-11-30T23:00:00Z')
    expect(await check()).toMatchObject({
      verdict: 'warn',
      found: 'set until 2026-12-31; no later term is set',
      remedy: expect.stringContaining('SELLER_FILE'),
    })
    await advanceTo('2026-12-31T22:59:59Z')
    expect(await check()).toMatchObject({ verdict: 'warn' })
    await advanceTo('2026-12-31T23:00:00Z')
    expect(await check()).toMatchObject({ verdict: 'fail' })
  })

  it('is mailed to operators once when it is near, and once when it is over', async () => {
    await start([exempt])
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

  it('is told in the language of the operators', async () => {
    await start([exempt])
    world.clock.advance(Date.parse('2026-12-01T08:00:00Z') - world.clock.now())
    for (const locale of ['en', 'fr', 'ar'] as const) {
      await database().query(forgetMailed)
      await mailOperators({ ...world.service.parts, operatorMail: { to: ['amina@example.dz'], locale } })
      world.clock.advance(15 * MINUTE * 1_000)
    }
    expect(subjects().map((subject) => subject?.replaceAll('\u00a0', ' '))).toEqual([
      'Tax of sales: set until 31 December 2026; no later term is set',
      'Taxe des ventes : fixée jusqu’au 31 décembre 2026 ; aucune règle n’est prévue ensuite',
      'الرسم على المبيعات: محدّد إلى غاية 31 ديسمبر 2026، ولا قاعدة محدّدة بعده',
    ])
  })

  it('is booked by after its last day, as stands on the page of health', async () => {
    await start([exempt])
    world.clock.advance(Date.parse('2027-01-05T08:00:00Z') - world.clock.now())
    const { paymentId } = await world.as('user-1').buy()
    const { receipt } = await operatorOf(world).payment(paymentId)
    expect(receipt.number).toBe('TEST-2027-000001')
    const { by_rate } = (await operatorOf(world).get('/months/2027-01')).body
    expect(by_rate).toMatchObject([{ tva_percent: null, paid: { ht: 2000, tva: 0 } }])
    const { text } = await (await enterConsole(world, OPERATOR_KEY)).open('/console/health')
    const [, lines = ''] = text.split('id="lines"')
    expect(wordsOf(lines.split('</section>', 1)[0] ?? '')).toContain(
      'set until 31 December 2026; receipts since then bear this tax all the same',
    )
    expect(text).toContain('<details open')
  })
})
