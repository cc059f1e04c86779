// The mail to operators: what entered the inbox, at most once in 15 minutes, and never what is known already.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV } from '../../../../test/support/operator.js'
import { readMessage, type SmtpSink, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { statement } from '../database/database.js'

const MINUTE = 60
/** Users whose mail failed, by number: an entry of the inbox each. */
const fail = statement(
  'test.operator_mail.fail',
  `with known as (
     insert into users (user_id, created_at)
     select 'user-' || n, '2026-11-20' from generate_series($1::int, $2::int) n on conflict do nothing)
   insert into mails (user_id, kind, about, queued_at, outcome)
   select 'user-' || n, 'receipt', n, '2026-11-20', 'refused: 550' from generate_series($1::int, $2::int) n`,
)
const settle = statement('test.operator_mail.settle', 'delete from mails where about = $1')

describeScenario('the mail to operators', ({ database }) => {
  let world: World
  let sink: SmtpSink
  const env = (locale = 'en') => ({
    ...OPERATOR_ENV,
    SMTP_URL: sink.url,
    OPERATOR_MAIL: 'amina@example.dz, lina@example.dz',
    OPERATOR_MAIL_LOCALE: locale,
  })
  beforeEach(async () => {
    sink = await startSmtpSink()
    world = await createWorld(database(), { env: env() })
    await world.as('user-1').buy()
  })
  afterEach(async () => {
    await world.stop()
    await sink[Symbol.asyncDispose]()
  })

  const enter = (first: number, last = first) => database().query(fail, [first, last])
  const messages = () => sink.messages.map(readMessage)
  const subjects = () => messages().map(({ headers }) => headers.subject)

  it.each([
    ['en', 'New in the inbox (2)', 'Mail not sent: 2'],
    ['fr', 'Nouveaux éléments à traiter (2)', 'E-mail non envoyé : 2'],
    ['ar', 'عناصر جديدة بانتظار المعالجة (2)', '\u2068رسالة لم تُرسَل\u2069: \u20682\u2069'],
  ])('says what entered the inbox, and leads there (%s)', async (locale, subject, line) => {
    await world.stop()
    world = await createWorld(database(), { env: env(locale) })
    await enter(1, 2)
    await world.advance(MINUTE)
    const [message] = sink.messages
    if (!message) throw new Error('no mail came')
    const { headers, parts } = readMessage(message)
    expect([message.to, sink.messages.length]).toEqual([['amina@example.dz', 'lina@example.dz'], 1])
    expect([headers.subject, headers['content-language']]).toEqual([subject, locale])
    for (const type of ['text/plain', 'text/html']) {
      const text = parts[type]?.toString().replaceAll('\u00a0', ' ') ?? ''
      expect(text).toContain(line)
      expect(text).toContain(`${world.config.publicUrl}/console`)
      expect(text).not.toContain('user-1')
    }
  })

  it('is one in 15 minutes at most, and names nothing twice', async () => {
    await enter(1)
    await world.advance(MINUTE)
    await enter(2)
    for (let minute = 0; minute < 14; minute++) await world.advance(MINUTE)
    expect(subjects()).toEqual(['New in the inbox (1)'])
    await world.advance(MINUTE)
    expect(subjects()).toEqual(['New in the inbox (1)', 'New in the inbox (1)'])
    for (let minute = 0; minute < 40; minute++) await world.advance(MINUTE)
    expect(sink.messages).toHaveLength(2)
  })

  it('is one for all processes', async () => {
    await using other = await createWorld(database(), {
      env: { ...env(), PUBLIC_URL: world.config.publicUrl },
      clock: world.clock,
      emulator: world.emulator,
      host: 'none',
    })
    await enter(1)
    for (let minute = 0; minute < 5; minute++) {
      world.clock.advance(MINUTE * 1_000)
      await Promise.all([world.service.runner.runAll(), other.service.runner.runAll()])
    }
    expect(subjects()).toEqual(['New in the inbox (1)'])
  })

  it('does not name what was dealt with before; what left and comes again is new', async () => {
    await enter(1)
    await database().query(settle, ['1'])
    await world.advance(MINUTE)
    expect(sink.messages).toEqual([])
    await enter(2)
    await world.advance(MINUTE)
    await database().query(settle, ['2'])
    await world.advance(15 * MINUTE)
    await enter(2)
    await world.advance(MINUTE)
    expect(subjects()).toEqual(['New in the inbox (1)', 'New in the inbox (1)'])
  })

  it('counts the thousand that wait longest; what moves up is new, what was pushed back is not', async () => {
    await enter(1_001, 2_001)
    await world.advance(MINUTE)
    await database().query(settle, ['1001'])
    await world.advance(15 * MINUTE)
    expect(subjects()).toEqual(['New in the inbox (1000)', 'New in the inbox (1)'])
    await enter(1_000)
    await world.advance(15 * MINUTE)
    await database().query(settle, ['1000'])
    await world.advance(15 * MINUTE)
    expect(subjects().slice(2)).toEqual(['New in the inbox (1)'])
  })

  it('is tried again after a failure, with what came since; an address that is refused is not', async () => {
    await enter(1)
    sink.answer = (command) => (command === 'DATA' ? '451 later' : undefined)
    await world.advance(MINUTE)
    await enter(2)
    sink.answer = () => undefined
    await world.advance(14 * MINUTE)
    expect(subjects()).toEqual([])
    await world.advance(MINUTE)
    expect(subjects()).toEqual(['New in the inbox (2)'])
    sink.answer = (command) => (command === 'RCPT' ? '550 nobody here' : undefined)
    await enter(3)
    await world.advance(15 * MINUTE)
    sink.answer = () => undefined
    await world.advance(15 * MINUTE)
    expect(sink.messages).toHaveLength(1)
  })

  it('does not name a transfer that nothing is known of but the order', async () => {
    await world.stop()
    world = await createWorld(database(), { env: { ...env(), TRANSFER_FILE } })
    await world.as('user-1').post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
    await world.advance(MINUTE)
    expect(subjects()).toEqual([])
  })

  it('is not sent without OPERATOR_MAIL', async () => {
    await world.stop()
    world = await createWorld(database(), { env: { ...OPERATOR_ENV, SMTP_URL: sink.url } })
    await enter(1)
    await world.advance(MINUTE)
    expect(sink.messages).toEqual([])
  })
})
