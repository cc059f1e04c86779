// The mail that users get: a receipt for each payment, reminders before and after each end; once, in their
// language.

import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CONSOLE_TEXTS } from '../../../../test/support/all-words.js'
import { CODE_ENV, makeCodes, VOUCHER } from '../../../../test/support/codes.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { operatorOf, ownerNamed } from '../../../../test/support/operator.js'
import { SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import { readMessage, type SmtpSink, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { refund } from '../ledger/refund.js'
import { CAPABILITIES } from '../main/capabilities.js'
import { createMailer } from './send-mail.js'

const DAY_SECONDS = 86_400

describeScenario('mail', ({ database }) => {
  let world: World
  let sink: SmtpSink
  beforeEach(async () => {
    sink = await startSmtpSink()
    world = await createWorld(database(), { env: { SMTP_URL: sink.url } })
  })
  afterEach(async () => {
    await world.stop()
    await sink[Symbol.asyncDispose]()
  })

  const know = (userId: string, profile: { email?: string; name?: string; locale?: 'ar' | 'fr' | 'en' }) =>
    setProfile(world, userId, profile)
  const send = () => world.service.runner.runAll()
  const subjects = () => sink.messages.map((message) => readMessage(message).headers.subject)

  it.each([
    ['ar', 'وصل دفع رقم TEST-2026-000001: 2 000 دج', 'باقة ⁨Pro⁩ مدفوعة إلى غاية', 'dir="rtl"'],
    ['fr', 'Votre reçu n° TEST-2026-000001 : 2 000 DA', 'L’offre Pro est payée jusqu’au', 'dir="ltr"'],
    ['en', 'Your receipt TEST-2026-000001: 2 000 DA', 'The Pro plan is paid until', 'dir="ltr"'],
  ] as const)('brings the receipt with its PDF (%s)', async (locale, subject, sentence, direction) => {
    await know('user-1', { email: 'amina@example.dz', name: 'Amina', locale })
    await world.as('user-1').buy()
    await send()
    const [message] = sink.messages
    if (!message) throw new Error('no mail came')
    const { headers, parts } = readMessage(message)
    expect([message.to, sink.messages.length]).toEqual([['amina@example.dz'], 1])
    expect([headers.subject, headers['content-language']]).toEqual([subject, locale])
    expect(headers['auto-submitted']).toBe('auto-generated')
    expect(parts['text/plain']?.toString()).toContain(sentence)
    expect(parts['text/html']?.toString()).toContain(sentence)
    expect(parts['text/html']?.toString()).toContain(direction)
    expect(parts['application/pdf']?.subarray(0, 5).toString()).toBe('%PDF-')
  })

  it.each([
    ['ar', 'استلمنا دفعتك بمبلغ ⁨24 000 دج⁩ (المدة: ⁨12 شهرًا⁩). باقة ⁨Pro⁩ مدفوعة إلى غاية ⁨21 نوفمبر 2027'],
    ['fr', 'votre paiement de 24 000 DA pour 12 mois. L’offre Pro est payée jusqu’au 21 novembre 2027'],
    ['en', 'your payment of 24 000 DA for 12 months. The Pro plan is paid until 21 November 2027'],
  ] as const)('says how long a term is that was paid (%s)', async (locale, sentence) => {
    await world.stop()
    world = await createWorld(database(), { env: { SMTP_URL: sink.url, PLANS_FILE: SELLING_PLANS } })
    await know('user-1', { email: 'amina@example.dz', locale })
    await world.as('user-1').buyWanted({ plan: 'pro', months: 12 })
    await send()
    const [message] = sink.messages
    if (!message) throw new Error('no mail came')
    const text = readMessage(message).parts['text/plain']?.toString() ?? ''
    expect(text.replaceAll('\u00a0', ' ')).toContain(sentence)
    expect(text).toMatch(/12\u00a0(شهرًا|mois|months)/)
  })

  it('is the seller’s: their name, contact and color', async () => {
    await world.stop()
    const SELLER_FILE = path.resolve('docs/seller.example.json')
    world = await createWorld(database(), { env: { SMTP_URL: sink.url, SELLER_FILE } })
    await know('user-1', { email: 'amina@example.dz', locale: 'fr' })
    await world.as('user-1').buy()
    await send()
    const [message] = sink.messages
    if (!message) throw new Error('no mail came')
    const html = readMessage(message).parts['text/html']?.toString().replaceAll('\u00a0', ' ') ?? ''
    expect(html).toContain('Atlas Hébergement · +213 23 00 00 00 · facturation@atlas.example')
    expect(html).toMatch(/<a href="[^"]+\/portal" style="[^"]*background:#0b4a6f"/)
    expect(html).not.toMatch(/ishtirak/i)
  })

  it('has a word of the console for each kind, and each word a kind', () => {
    const kinds = world.service.parts.mails.map(({ kind }) => `mail_${kind}`)
    const words = Object.keys(CONSOLE_TEXTS.en).filter((key) => key.startsWith('mail_'))
    expect(words.sort()).toEqual([...new Set(kinds)].sort())
  })

  it('of a capability that is gone waits, seen on the page of health, until it is back', async () => {
    const env = { SMTP_URL: sink.url, ...ROLES_ENV, ...CODE_ENV }
    await world.stop()
    world = await createWorld(database(), { env })
    await know('user-1', { email: 'amina@example.dz', locale: 'en' })
    const operator = operatorOf(world, ROLE_KEYS.owner)
    const { codes } = await makeCodes(operator, VOUCHER)
    await world.as('user-1').post('/api/v1/billing/redeem', { code: codes[0] })
    await operator.post('/users/user-1/grant', { days: 3, why: 'x' })
    // Mail of both is `granted`.
    const capabilities = CAPABILITIES.filter(({ name }) => name !== 'codes')
    const without = await createWorld(database(), { env, capabilities })
    await without.service.runner.runAll()
    expect(subjects()).toEqual(['Time added to your subscription: 3 days'])
    const visit = await enterConsole(without, ROLE_KEYS.viewer)
    expect(wordsOf((await visit.open('/console/health')).text)).toContain(
      'Mail that nothing writes No part of the running service writes mail of these kinds. ' +
        'It waits, is sent once a part does, and is deleted after 90 days. ' +
        'Time granted 1, the oldest queued on 21 November 2026 at 13:00',
    )
    await without.stop()
    await send()
    expect(subjects().slice(1)).toEqual([expect.stringContaining('Your code was redeemed')])
  })

  it('reminds 7, 3 and 1 days before, at the end and at the end of grace, each once', async () => {
    await know('user-1', { email: 'amina@example.dz', locale: 'en' })
    await world.as('user-1').buy()
    await send()
    // Paid on 21 November at 13:00 in Algiers: ends on 21 December at 13:00, 30 days later; grace ends on the
    // 24th.
    const steps = [23, 4, 2, 1, 3]
    for (const days of steps) {
      await world.advance(days * DAY_SECONDS)
      await send()
    }
    expect(subjects()).toEqual([
      'Your receipt TEST-2026-000001: 2 000 DA',
      '7 days left: your subscription ends on 21 December 2026 at 13:00',
      '3 days left: your subscription ends on 21 December 2026 at 13:00',
      'Your subscription ends tomorrow, 21 December 2026 at 13:00',
      'Your subscription has ended: renew before 24 December 2026 at 13:00',
      'You are back on the free plan',
    ])
    const texts = sink.messages.map((message) => readMessage(message).parts['text/plain']?.toString() ?? '')
    expect(texts.slice(1, 4).map((text) => /: (.*) left/.exec(text)?.[1]?.replace('\u00a0', ' '))).toEqual([
      '7 days',
      '3 days',
      '1 day',
    ])
    for (const text of texts) expect(text).toContain(`${world.url}/portal`)
    for (const text of texts) expect(text).not.toContain('checkouts')
  })

  it.each([
    ['ar', 'السعر 9 000 دج (المدة: 12 شهرًا).', 'مدد أخرى: شهر (900 دج)، 6 أشهر (5 000 دج).'],
    ['fr', 'renouvelez : 12 mois pour 9 000 DA.', 'Autres durées : 1 mois (900 DA), 6 mois (5 000 DA).'],
    ['en', 'renew: 12 months for 9 000 DA.', 'Other terms: 1 month (900 DA), 6 months (5 000 DA).'],
  ] as const)(
    'reminds of the term that was paid last, and names the others (%s)',
    async (locale, same, others) => {
      await world.stop()
      world = await createWorld(database(), { env: { SMTP_URL: sink.url, PLANS_FILE: SELLING_PLANS } })
      await know('user-1', { email: 'amina@example.dz', locale })
      await world.as('user-1').buyWanted({ plan: 'starter', months: 12 })
      await send()
      for (const days of [358, 7, 3]) {
        await world.advance(days * DAY_SECONDS)
        await send()
      }
      const texts = sink.messages.slice(1).map((message) => {
        const text = readMessage(message).parts['text/plain']?.toString() ?? ''
        expect(text).toMatch(/6\u00a0(أشهر|mois|months)/)
        return text.replaceAll('\u00a0', ' ').replace(/[\u2066-\u2069]/g, '')
      })
      expect([texts.length, texts[0]]).toEqual([3, expect.stringContaining(same)])
      for (const text of texts) expect(text).toContain(others)
      for (const text of texts) expect(text).toMatch(/12 (شهرًا|mois|months).*9 000|9 000.*12 شهرًا/)
    },
  )

  it('does not remind of an end that was paid beyond', async () => {
    const user = world.as('user-1')
    await know('user-1', { email: 'amina@example.dz', locale: 'en' })
    await user.buy()
    await send()
    await world.advance(24 * DAY_SECONDS)
    await user.buy()
    await send()
    // The first end passes, the second is far.
    await world.advance(8 * DAY_SECONDS)
    await send()
    expect(subjects()).toEqual([
      'Your receipt TEST-2026-000001: 2 000 DA',
      '6 days left: your subscription ends on 21 December 2026 at 13:00',
      'Your receipt TEST-2026-000002: 2 000 DA',
    ])
  })

  it('brings a refund, with a copy of the receipt', async () => {
    await know('user-1', { email: 'amina@example.dz', locale: 'fr' })
    const { paymentId } = await world.as('user-1').buy()
    await doAct(world.service.parts, refund, callBy(ownerNamed('tests'), paymentId, { why: 'asked for' }))
    await send()
    // The receipt goes out beside it; which of the two arrives first is not promised.
    const bySubject = new Map(
      sink.messages.map(readMessage).map(({ headers, parts }) => [headers.subject, parts]),
    )
    expect(bySubject.size).toBe(2)
    const parts = bySubject.get('Votre paiement a été remboursé : 2 000 DA') ?? {}
    expect(parts['text/plain']?.toString()).toContain('Nous vous avons remboursé 2\u00a0000\u00a0DA')
    // That the copy carries the day is seen in receipt.system.test.ts: it takes a reader of PDFs.
    expect(parts['application/pdf']?.subarray(0, 5).toString()).toBe('%PDF-')
  })

  it('carries the name of the seller and how to reach them, and never the name of the product', async () => {
    await know('user-1', { email: 'amina@example.dz', locale: 'en' })
    await world.as('user-1').buy()
    await send()
    const [message] = sink.messages
    if (!message) throw new Error('no mail came')
    const { headers, parts } = readMessage(message)
    expect(headers.from).toContain('Example Hosting')
    for (const part of ['text/plain', 'text/html']) {
      const text = parts[part]?.toString() ?? ''
      expect(text.replaceAll('\u00a0', ' ')).toContain(
        'Example Hosting · +213 00 00 00 00 · facturation@exemple.example',
      )
      expect(text).not.toMatch(/ishtirak|اشتراك\b(?!ك)/i)
    }
  })

  it('is sent once, however many processes send', async () => {
    const others = await Promise.all(
      [1, 2, 3].map(() =>
        createWorld(database(), {
          clock: world.clock,
          emulator: world.emulator,
          env: { SMTP_URL: sink.url },
        }),
      ),
    )
    for (const userId of ['user-1', 'user-2', 'user-3', 'user-4', 'user-5'])
      await know(userId, { email: `${userId}@example.dz` })
    for (const userId of ['user-1', 'user-2', 'user-3', 'user-4', 'user-5']) await world.as(userId).buy()
    await Promise.all([world, ...others].map(({ service }) => service.runner.runAll()))
    await Promise.all(others.map((other) => other.stop()))
    expect(sink.messages.map(({ to }) => to[0]).sort()).toEqual(
      [1, 2, 3, 4, 5].map((number) => `user-${number}@example.dz`),
    )
  })

  it('is not sent where no address is known', async () => {
    await world.as('user-1').buy()
    await send()
    await know('user-1', { email: 'late@example.dz' })
    await world.advance(3600)
    expect(sink.messages).toEqual([])
  })

  it('is begun no more once the service stops', async () => {
    const userIds = Array.from({ length: 6 }, (_, index) => `user-${index}`)
    for (const userId of userIds) await know(userId, { email: `${userId}@example.dz` })
    await Promise.all(userIds.map((userId) => world.as(userId).buy()))
    let stopped: Promise<void> | undefined
    sink.answer = () => {
      stopped ??= world.service.runner.stop()
      return undefined
    }
    await send()
    await stopped
    expect(sink.messages).toHaveLength(4)
  })

  describe('when the mail server', () => {
    const buy = async () => {
      await know('user-1', { email: 'amina@example.dz', locale: 'en' })
      await world.as('user-1').buy()
    }

    it('defers it, it is tried again, under the same Message-ID', async () => {
      sink.answer = (command) => (command === '.' ? '451 try later' : undefined)
      await buy()
      await send()
      await send()
      sink.answer = () => undefined
      await world.advance(60)
      await world.advance(3600)
      const ids = sink.messages.map((message) => readMessage(message).headers['message-id'])
      expect([ids.length, new Set(ids).size]).toEqual([2, 1])
    })

    it('dies before it has accepted it, it comes again', async () => {
      sink.answer = (command) => (command === '.' ? null : undefined)
      await buy()
      await send()
      sink.answer = () => undefined
      await world.advance(60)
      expect(sink.messages).toHaveLength(2)
    })

    it('refuses the address for good, it is not tried again', async () => {
      sink.answer = (command) => (command === 'RCPT' ? '550 no such user' : undefined)
      await buy()
      await send()
      sink.answer = () => undefined
      await world.advance(DAY_SECONDS)
      expect(sink.messages).toEqual([])
    })

    it('goes on saying something without an end, it is given up', async () => {
      sink.answer = (command) => (command === 'EHLO' ? '250-wait' : undefined)
      const mailer = createMailer(sink.url, 100)
      const sent = await mailer.send({ from: 'a@example.dz', to: 'b@example.dz', text: 'c' })
      expect(sent).toMatchObject({ kind: 'failed', reason: expect.stringContaining('abort') })
    })

    it('is away for a week, nothing old is sent when it is back', async () => {
      sink.answer = (command) => (command === 'MAIL' ? '421 away' : undefined)
      await buy()
      await send()
      await world.advance(7 * DAY_SECONDS)
      sink.answer = () => undefined
      await send()
      expect(sink.messages).toEqual([])
    })
  })

  it('carries no header or recipient that a name injects', async () => {
    await know('user-1', {
      email: 'amina@example.dz',
      name: 'Amina <b>x</b>", Bcc: <eve@example.com>',
      locale: 'en',
    })
    await world.as('user-1').buy()
    await send()
    const [message] = sink.messages
    if (!message) throw new Error('no mail came')
    expect(message.to).toEqual(['amina@example.dz'])
    expect(readMessage(message).headers).not.toHaveProperty('bcc')
    expect(readMessage(message).parts['text/html']?.toString()).not.toContain('<b>x')
  })
})
