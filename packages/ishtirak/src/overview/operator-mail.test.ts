// The mail to operators: what entered the inbox, at most once in 15 minutes, and never what is known already.

import { describeWorld } from '../../../../test/support/describe-world.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { type ReceivedMessage, readMessage, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { sql } from '../../../../test/support/sql.js'
import { createInbox } from './inbox.sql.js'
import { mailOperators } from './operator-mail.js'

const MINUTE = 60
/** Users whose mail failed, by number: an entry of the inbox each. */
const fail = sql(`with known as (
     insert into users (user_id, created_at)
     select 'user-' || n, '2026-11-20' from generate_series($1::int, $2::int) n on conflict do nothing)
   insert into mails (user_id, kind, about, queued_at, outcome)
   select 'user-' || n, 'receipt', n, '2026-11-20', 'refused: 550' from generate_series($1::int, $2::int) n`)
const settle = sql('delete from mails where about = $1')

const sink = await startSmtpSink()
afterAll(() => sink[Symbol.asyncDispose]())
const to = ['amina@example.dz', 'lina@example.dz']
const MAIL = { SMTP_URL: sink.url, OPERATOR_MAIL: to.join(', '), OPERATOR_MAIL_LOCALE: 'en' }
describeWorld('the mail to operators', { env: { TRANSFER_FILE, ...MAIL } }, ({ database, world }) => {
  beforeEach(() => {
    sink.answer = () => undefined
    taken()
  })

  const enter = (first: number, last = first) => database().query(fail, [first, last])
  /** The subjects of what came since the last look. */
  const taken = () =>
    (sink.messages as ReceivedMessage[]).splice(0).map((one) => readMessage(one).headers.subject)
  const send = (inbox = world.service.parts.inbox) => mailOperators({ ...world.service.parts, inbox })
  /** The job, once in each of so many minutes. */
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute++) {
      world.clock.advance(MINUTE * 1_000)
      await send()
    }
  }
  const after = (count: number, inbox?: Parameters<typeof send>[0]) => {
    world.clock.advance(count * MINUTE * 1_000)
    return send(inbox)
  }

  it('says what entered the inbox, in the language of the operators, and leads there', async () => {
    await enter(1, 2)
    await mailOperators({ ...world.service.parts, operatorMail: { to, locale: 'fr' } })
    const [message, ...more] = (sink.messages as ReceivedMessage[]).splice(0)
    if (!message) throw new Error('no mail came')
    const { headers, parts } = readMessage(message)
    expect([message.to, more, headers.subject]).toEqual([to, [], 'Nouveaux éléments à traiter (2)'])
    for (const type of ['text/plain', 'text/html']) {
      const text = parts[type]?.toString().replaceAll('\u00a0', ' ') ?? ''
      for (const part of ['E-mail non envoyé : 2', `${world.config.publicUrl}/console`])
        expect(text).toContain(part)
      expect(text).not.toContain('user-1')
    }
  })

  it('is one in 15 minutes at most, names nothing twice, and is a job of the service', async () => {
    await enter(1)
    await world.advance(MINUTE)
    await enter(2)
    await minutes(14)
    expect(taken()).toEqual(['New in the inbox (1)'])
    await minutes(1)
    expect(taken()).toEqual(['New in the inbox (1)'])
    await minutes(40)
    expect(taken()).toEqual([])
  })

  it('is one for all processes', async () => {
    await enter(1)
    for (let minute = 0; minute < 5; minute++) {
      world.clock.advance(MINUTE * 1_000)
      await Promise.all([send(), send()])
    }
    expect(taken()).toEqual(['New in the inbox (1)'])
  })

  it('does not name what was dealt with before; what left and comes again is new', async () => {
    await enter(1)
    await database().query(settle, ['1'])
    await after(1)
    expect(taken()).toEqual([])
    await enter(2)
    await after(1)
    await database().query(settle, ['2'])
    await after(15)
    await enter(2)
    await after(1)
    expect(taken()).toEqual(['New in the inbox (1)', 'New in the inbox (1)'])
  })

  it('counts those that wait longest; what moves up is new, what was pushed back is not', async () => {
    const ten = createInbox(world.service.parts.inbox.kinds, 10)
    await enter(11, 21)
    await after(1, ten)
    await database().query(settle, ['11'])
    await after(15, ten)
    expect(taken()).toEqual(['New in the inbox (10)', 'New in the inbox (1)'])
    await enter(10)
    await after(15, ten)
    await database().query(settle, ['10'])
    await after(15, ten)
    expect(taken()).toEqual(['New in the inbox (1)'])
  })

  it('is tried again after a failure, with what came since; an address that is refused is not', async () => {
    await enter(1)
    sink.answer = (command) => (command === 'DATA' ? '451 later' : undefined)
    await after(1)
    await enter(2)
    sink.answer = () => undefined
    await after(14)
    expect(taken()).toEqual([])
    await after(1)
    expect(taken()).toEqual(['New in the inbox (2)'])
    sink.answer = (command) => (command === 'RCPT' ? '550 nobody here' : undefined)
    await enter(3)
    await after(15)
    sink.answer = () => undefined
    await after(15)
    expect(taken()).toEqual([])
  })

  it('names no transfer of which only the order is known; is none without OPERATOR_MAIL', async () => {
    await world.as('user-1').post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
    await after(1)
    await enter(1)
    const { operatorMail: _, ...without } = world.service.parts
    await mailOperators(without)
    expect(taken()).toEqual([])
  })
})
