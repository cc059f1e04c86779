import { CONSOLE_TEXTS } from '../../../../test/support/all-words.js'
import { makeCodes, VOUCHER } from '../../../../test/support/codes.js'
import { enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeWorld, describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf, ownerNamed } from '../../../../test/support/operator.js'
import { SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { SELLER_FILE } from '../../../../test/support/setting-files.js'
import { readMessage, sinkOfTests } from '../../../../test/support/smtp-sink.js'
import { sql } from '../../../../test/support/sql.js'
import { createWorld } from '../../../../test/support/world.js'
import { callBy, doAct } from '../acts/act-routes.js'
import type { MailWriter } from '../acts/mail-writer.js'
import { grantDays } from '../grants/grant.js'
import { refund } from '../ledger/refund.js'
import { CAPABILITIES } from '../main/capabilities.js'
import { createMailer, sendDueMail } from './send-mail.js'
import { printableName } from './write-mail.js'

const DAY_SECONDS = 86_400

const sink = await sinkOfTests()
const ENV = { SMTP_URL: sink.url, SELLER_FILE, PLANS_FILE: SELLING_PLANS }

describeWorldOnEach('mail', { env: ENV }, ({ world, database }) => {
  const taken = () => {
    return sink.messages.splice(0).map((message) => {
      const { headers, parts } = readMessage(message)
      const textOf = (type: string) => parts[type]?.toString().replaceAll('\u00a0', ' ') ?? ''
      const { subject } = headers
      return {
        to: message.to,
        headers,
        parts,
        subject,
        text: textOf('text/plain'),
        html: textOf('text/html'),
      }
    })
  }
  const send = () => sendDueMail(world.service.parts, 100)
  const later = (seconds: number) => world.clock.advance(seconds * 1_000)
  const know = (userId: string, locale: 'ar' | 'fr' | 'en' = 'en') =>
    setProfile(world, userId, { email: `${userId}@example.dz`, locale })
  /** Queues a mail without an attachment. */
  const grant = async (userId: string) => {
    await know(userId)
    const call = callBy(ownerNamed('tests'), userId, { days: 3, why: 'x' })
    await doAct(world.service.parts, grantDays, call)
  }

  it('brings the receipt and the copy of a refund with their PDF, in the name of the seller', async () => {
    await know('user-1', 'fr')
    // A name cannot add a header, a recipient or a tag.
    await setProfile(world, 'user-1', { name: 'Amina <b>x</b>", Bcc: <eve@example.com>' })
    const { paymentId } = await world.as('user-1').buy()
    await send()
    const [mail, ...others] = taken()
    if (!mail) throw new Error('no mail came')
    const { headers, parts, text, html } = mail
    expect([others, mail.to, headers['content-language']]).toEqual([[], ['user-1@example.dz'], 'fr'])
    expect(headers).toMatchObject({
      subject: 'Votre reçu n° TEST-2026-000001 : 2 400 DA',
      from: expect.stringContaining('Atlas Hébergement'),
      'auto-submitted': 'auto-generated',
    })
    const seller = 'Atlas Hébergement · +213 23 00 00 00 · facturation@atlas.example'
    for (const part of [text, html]) {
      for (const said of ['L’offre Pro est payée jusqu’au', seller]) expect(part).toContain(said)
      expect(part).not.toMatch(/ishtirak|<b>x/i)
    }
    expect(html).toContain('dir="ltr"')
    expect(html).toMatch(/<a href="[^"]+\/portal" style="[^"]*background:#0b4a6f"/)
    expect(headers).not.toHaveProperty('bcc')
    expect(parts['application/pdf']?.subarray(0, 5).toString()).toBe('%PDF-')
    const refunding = callBy(ownerNamed('tests'), paymentId, { why: 'asked for' })
    await doAct(world.service.parts, refund, refunding)
    await send()
    const [copy] = taken()
    expect(copy?.subject).toBe('Votre paiement a été remboursé : 2 400 DA')
    expect(copy?.text).toContain('Nous vous avons remboursé 2 400 DA')
    // receipt.system.test.ts shows that the copy has the day, because that takes a reader of PDFs.
    expect(copy?.parts['application/pdf']?.subarray(0, 5).toString()).toBe('%PDF-')
  })

  it('that its writer cannot write fails alone, is tried again later, and holds up no other', async () => {
    for (const userId of ['user-1', 'user-2', 'user-3', 'user-4', 'user-5', 'user-6']) await grant(userId)
    const { parts } = world.service
    const broken = (writer: MailWriter): MailWriter => ({
      ...writer,
      queueDue: async () => Promise.reject(new Error('a writer that is broken')),
      write: async (owed, of) => {
        if (owed.userId === 'user-1') throw new Error('a writer that is broken')
        return writer.write(owed, of)
      },
    })
    const mails = parts.mails.map(broken)
    expect(await sendDueMail({ ...parts, mails }, 100)).toBe(6)
    expect(taken()).toHaveLength(5)
    later(120)
    await send()
    expect(taken().map(({ to }) => to[0])).toEqual(['user-1@example.dz'])
  })

  it('has a word of the console for each kind, and each word a kind', () => {
    const kinds = world.service.parts.mails.map(({ kind }) => `mail_${kind}`)
    const words = Object.keys(CONSOLE_TEXTS.en).filter((key) => key.startsWith('mail_'))
    expect(words.sort()).toEqual([...new Set(kinds)].sort())
  })

  it('of a capability that is gone waits until it is back', async () => {
    const { codes } = await makeCodes(operatorOf(world, ROLE_KEYS.owner), VOUCHER)
    await know('user-1')
    await world.as('user-1').post('/api/v1/billing/redeem', { code: codes[0] })
    await grant('user-1')
    // Both write mail of the kind `granted`.
    const capabilities = CAPABILITIES.filter(({ name }) => name !== 'codes')
    await using without = await createWorld(database(), { env: ENV, capabilities })
    await without.service.runner.runAll()
    expect(taken().map(({ subject }) => subject)).toEqual(['Time added to your subscription: 3 days'])
    later(3_600)
    await send()
    expect(taken().map(({ subject }) => subject)).toEqual([expect.stringContaining('Your code was redeemed')])
  })

  it('reminds 7, 3 and 1 days before, at the end and after grace, once', async () => {
    await know('user-1')
    await world.as('user-1').buy()
    await send()
    taken()
    // Paid on 21 November at 13:00 in Algiers: the time ends 30 days later, grace on 24 December.
    for (const days of [23, 4, 2, 1, 3]) {
      await world.advance(days * DAY_SECONDS)
      await send()
    }
    const came = taken()
    expect(came.map(({ subject }) => subject)).toEqual([
      '7 days left: your subscription ends on 21 December 2026 at 13:00',
      '3 days left: your subscription ends on 21 December 2026 at 13:00',
      'Your subscription ends tomorrow, 21 December 2026 at 13:00',
      'Your subscription has ended: renew before 24 December 2026 at 13:00',
      'You are back on the free plan',
    ])
    for (const { text } of came) expect(text).toContain(`${world.url}/portal`)
  })

  it('says how long a paid term is, reminds of the same, names the others and the days left', async () => {
    await know('user-1')
    await world.as('user-1').buyWanted({ plan: 'starter', months: 12 })
    await send()
    const came = taken()
    // The first reminder is a day late.
    for (const days of [359, 6, 3]) {
      await world.advance(days * DAY_SECONDS)
      await send()
      came.push(...taken())
    }
    const [bought, ...reminders] = came
    expect(bought?.text).toContain(
      'your payment of 9 000 DA for 12 months. The Starter plan is paid until 21 November 2027',
    )
    // A number and its unit stay on one line.
    expect(bought?.parts['text/plain']?.toString()).toContain('12\u00a0months')
    expect([reminders.length, reminders[0]?.subject]).toEqual([3, expect.stringMatching(/^6 days left/)])
    expect(reminders[0]?.text).toContain('renew: 12 months for 9 000 DA.')
    for (const { text } of reminders)
      expect(text).toContain('Other terms: 1 month (900 DA), 6 months (5 000 DA).')
  })

  it('is sent once, however many processes send, and not where no address is known', async () => {
    const userIds = ['user-1', 'user-2', 'user-3', 'user-4', 'user-5']
    for (const userId of [...userIds, 'user-6']) await grant(userId)
    await setProfile(world, 'user-6', { email: null })
    await Promise.all([1, 2, 3, 4].map(send))
    const receivers = taken().map(({ to }) => to[0])
    expect(receivers.sort()).toEqual(userIds.map((userId) => `${userId}@example.dz`))
    await know('user-6')
    later(3_600)
    await send()
    expect(taken()).toEqual([])
  })

  it('is begun no more once the service stops', async () => {
    for (const number of [1, 2, 3, 4, 5, 6]) await grant(`user-${number}`)
    let stopped: Promise<void> | undefined
    sink.answer = () => {
      stopped ??= world.service.runner.stop()
      return undefined
    }
    await world.service.runner.runAll()
    await stopped
    expect(taken()).toHaveLength(4)
  })

  it('is tried again under its Message-ID if the server defers it or dies, not if it refuses', async () => {
    for (const [userId, answer] of [
      ['user-1', '451 try later'],
      ['user-2', null],
    ] as const) {
      sink.answer = (command) => (command === '.' ? answer : undefined)
      await grant(userId)
      await send()
      await send()
      sink.answer = () => undefined
      for (const seconds of [60, 3_600]) {
        later(seconds)
        await send()
      }
      const ids = taken().map(({ headers }) => headers['message-id'])
      expect([userId, ids.length, new Set(ids).size]).toEqual([userId, 2, 1])
    }
    sink.answer = (command) => (command === 'RCPT' ? '550 no such user' : undefined)
    await grant('user-3')
    await send()
    sink.answer = () => undefined
    later(DAY_SECONDS)
    await send()
    expect(taken()).toEqual([])
  })

  it('is not sent once it is old, when a mail server was away for a week', async () => {
    sink.answer = (command) => (command === 'MAIL' ? '421 away' : undefined)
    await grant('user-1')
    await send()
    later(7 * DAY_SECONDS)
    sink.answer = () => undefined
    await send()
    expect(taken()).toEqual([])
  })

  it('is given up where the server goes on saying something without an end', async () => {
    sink.answer = (command) => (command === 'EHLO' ? '250-wait' : undefined)
    const mailer = createMailer(sink.url, 100)
    const sent = await mailer.send({ from: 'a@example.dz', to: ['b@example.dz'], subject: '', text: 'c' })
    expect(sent).toMatchObject({ kind: 'failed', reason: expect.stringContaining('abort') })
  })
})

// Users choose their names. Mail must not repeat a name that a mail program would turn into a link.
it('a name is used unless a mail program could make a link of it', () => {
  const links = [
    ...['visit http://evil.example', 'evil.example', 'go to evil。example now', 'ｅｖｉｌ．example'],
    ...['HTTPS:evil', 'www evil', 'a@evil.example', '//evil', 'تفضل بزيارة موقع.شبكة'],
  ]
  expect(links.filter((name) => printableName(name) !== null)).toEqual([])
  const names = [
    ...['Amina Boudiaf', 'J. R. Smith', 'M. Ben-Ali', "O'Neil", 'أمينة بوضياف'],
    ...['Jean-Pierre, Dr.', 'A.B.'],
  ]
  expect(names.map(printableName)).toEqual(names)
})

// An operator corrects an address that bounces: failed mail is sent again, and the trail leaves the address
// out.
const failMails = sql(
  `update mails set outcome = 'refused: 550 no such user', due_at = null where user_id = 'user-1'`,
)
const selectMails = sql(
  `select kind, outcome, due_at is not null as is_due from mails where user_id = 'user-1'`,
)
const selectTrail = sql(
  `select a.act, a::text like '%example.dz%' as names_it from audit a where act = 'user.correct_address'`,
)

// No job runs, so no mail is sent.

const OPTIONS = { env: { SMTP_URL: 'smtp://127.0.0.1:9' } }

describeWorld('the act that corrects an address', OPTIONS, ({ world, database }) => {
  beforeEach(async () => {
    await setProfile(world, 'user-1', { email: 'wrong@example.dz', name: 'Samira' })
    await world.as('user-1').buy()
    await database().query(failMails, [])
  })

  it('sends again what failed, once, and is in the trail without the address', async () => {
    const operator = operatorOf(world)
    const path = '/users/user-1/correct-address'
    const asked = { email: 'right@example.dz', why: 'she called', operation_id: 'ticket-1' }
    expect((await operator.get('/inbox')).body.data).toMatchObject([
      { kind: 'mail_failed', urgency: 'later', next_act: 'user.correct_address' },
    ])
    expect((await operator.post(path, { ...asked, email: 'right' })).status).toBe(422)
    const { status, body } = await operator.post(path, asked)
    expect([status, body.email]).toEqual([200, 'right@example.dz'])
    expect(await database().query(selectMails)).toMatchObject([
      { kind: 'receipt', outcome: null, is_due: true },
    ])
    expect((await operator.get('/inbox')).body.data).toEqual([])
    expect((await operator.post(path, asked)).status).toBe(200)
    expect((await operator.post(path, { ...asked, email: 'other@example.dz' })).status).toBe(409)
    expect(await database().query(selectTrail)).toEqual([{ act: 'user.correct_address', names_it: false }])
    expect((await operator.get('/users/user-1')).body.email).toBe('right@example.dz')
  })

  it('has a form that leads from the inbox, with the address in no URL', async () => {
    const visit = await enterConsole(world, OPERATOR_KEY)
    const path = '/console/users/user-1/correct-address'
    expect((await visit.open()).text).toContain(`href="${world.base}${path}"`)
    const { words, fields } = await visit.ask(path)
    expect(words).toContain('Mails not sent')
    const shown = await visit.submit(path, { ...fields, email: 'right@example.dz', why: 'she called' })
    expect([shown.status, wordsOf(shown.text)]).toEqual([422, expect.stringContaining('right@example.dz')])
    expect(shown.text).not.toMatch(/href="[^"]*right/)
    const done = await visit.submit(path, fieldsOfAct(shown.text))
    expect(done.headers.get('location')).toMatch(/\/console\/users\/user-1\?done=/)
    expect(await database().query(selectMails)).toMatchObject([{ is_due: true }])
  })
})
