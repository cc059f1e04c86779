// Money over the counter: an operator records it, and it is booked once, with the stamp duty of the day where
// it is cash.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import {
  OPERATOR_ENV,
  type OperatorCaller,
  operatorOf,
  ownerNamed,
} from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { readMessage, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { checkDuePayments } from '../checkout/sweep.js'
import { reconcileDaily } from '../compare/reconcile.js'
import { statement } from '../database/database.js'
import { sendDueMail } from '../mail/send-mail.js'
import { recordPayment } from './record-act.js'

const USER = 'user-1'
const PLANS_FILE = path.resolve(import.meta.dirname, '../../../../test/fixtures/terms.json')
const EXAMPLE = path.resolve(import.meta.dirname, '../../../../docs/seller.example.json')
const CASH = {
  new_user: true,
  plan: 'pro',
  method: 'cash',
  amount: 2020,
  reference: '2026/0042',
  why: 'paid at the desk',
}
const CHEQUE = { ...CASH, method: 'cheque', amount: 2000, reference: 'BNA 1234567' }

const countRows = statement(
  'test.desk.count',
  `select (select count(*) from payments) as payments, (select count(*) from receipts) as receipts,
          (select count(*) from audit where act <> 'operator.refused') as acts,
          (select count(*) from audit where act = 'operator.refused') as refusals,
          (select count(*) from users) as users,
          (select count(*) from comparisons) as comparisons`,
)
const selectEvents = statement(
  'test.desk.events',
  'select type, payload from outbox order by user_id, sequence',
)

describeScenario('a payment at the desk', ({ database }) => {
  let world: World
  let operator: OperatorCaller
  const open = async (env: Record<string, string> = {}) => {
    world = await createWorld(database(), { env: { PLANS_FILE, ...OPERATOR_ENV, ...env }, withoutJobs: true })
    operator = operatorOf(world)
  }
  beforeEach(() => open())
  afterEach(() => world.stop())

  const record = ({ user_id = USER, ...changes }: { user_id?: string; [name: string]: unknown } = {}) =>
    operator.post(`/users/${user_id}/record`, { ...CASH, ...changes })
  const status = async (userId = USER) => (await world.as(userId).get('/api/v1/billing/status')).body
  const rows = async () => (await database().query(countRows))[0] ?? {}

  it(
    'in cash is booked at once, for a user never heard of, with the stamp duty on top of the ' + 'price',
    async () => {
      const { status: code, body } = await record()
      expect(code).toBe(200)
      expect(body).toMatchObject({
        payment: {
          user_id: USER,
          plan: 'pro',
          amount: 2000,
          status: 'paid',
          method: 'cash',
          payment_method: 'cash',
          checkout_id: '2026/0042',
          checkout_url: null,
          paid_at: '2026-11-21T12:00:00Z',
          period_end: '2026-12-21T12:00:00Z',
        },
        receipt: { number: 'TEST-2026-000001', stamp_duty: 20, total: 2020 },
        settled_by: 'operator',
        audit: [{ actor: 'amina', act: 'payment.record', why: 'paid at the desk' }],
      })
      expect(await status()).toMatchObject({ plan: 'pro', status: 'active', payment_method: 'cash' })
      const [shown] = (await world.as(USER).get('/api/v1/billing/payments')).body.data
      expect(shown).toMatchObject({ id: body.payment.id, method: 'cash', payment_method: 'cash' })
      const events = await database().query(selectEvents)
      expect(events.map(({ type }) => type)).toEqual(['payment.paid', 'subscription.activated'])
      expect(events[0]).toMatchObject({
        payload: { data: { payment: { method: 'cash', payment_method: 'cash', amount: 2000 } } },
      })
    },
  )

  it('for a user never heard of is refused unless it says so, and nothing is kept', async () => {
    const { status: code, body } = await record({ new_user: undefined })
    expect([code, body.code, body.user_id]).toEqual([404, 'not_found', USER])
    expect(await rows()).toMatchObject({ payments: 0, users: 0, acts: 0, refusals: 0 })
    const first = await record()
    const again = await record({ new_user: false })
    expect([again.status, again.body.payment.id]).toEqual([200, first.body.payment.id])
    expect((await record({ new_user: false, reference: '2026/0043' })).status).toBe(200)
  })

  it('is booked once, however its reference is typed', async () => {
    const { body } = await record()
    const cheque = await record(CHEQUE)
    for (const reference of ['٢٠٢٦/٠٠٤٢', '２０２６/００４２', '2026/0042\u200e', '2026\u22150042']) {
      const again = await record({ reference })
      expect([reference, again.body.payment.id]).toEqual([reference, body.payment.id])
      const found = (await operator.get(`/search?q=${encodeURIComponent(reference)}`)).body.payments
      expect([reference, found.length]).toEqual([reference, 1])
    }
    const again = await record({ ...CHEQUE, reference: 'bna 1234567' })
    expect(again.body.payment.id).toBe(cheque.body.payment.id)
    expect(await rows()).toMatchObject({ payments: 2, receipts: 2 })
  })

  it('by cheque bears no duty, and may be for a term', async () => {
    const { body } = await record({ ...CHEQUE, months: 12, amount: 20_000 })
    expect(body).toMatchObject({
      payment: { months: 12, payment_method: 'cheque', period_end: '2027-11-21T12:00:00Z' },
      receipt: { stamp_duty: 0, total: 20_000 },
    })
  })

  it(
    'of another amount is refused with what is to be ' + 'paid, and of what does not fit, with what is wrong',
    async () => {
      for (const [changes, expected] of [
        [{ amount: 2000 }, { price: 2000, stamp_duty: 20, amount: 2020 }],
        [{ amount: 2020.01 }, { amount: 2020 }],
        [
          { ...CHEQUE, amount: 2020 },
          { price: 2000, stamp_duty: 0, amount: 2000 },
        ],
        [{ months: 12 }, { price: 20_000, stamp_duty: 200, amount: 20_200 }],
      ] as const)
        expect((await record(changes)).body).toMatchObject({ status: 422, code: 'wrong_amount', ...expected })
      const wrong = {
        unknown_plan: [{ plan: 'gold' }],
        plan_not_purchasable: [{ plan: 'free' }],
        unknown_term: [{ months: 7 }],
        validation_failed: [
          ...[{ method: 'card' }, { amount: 0 }, { amount: '2020' }, { reference: ' 42' }],
          ...[{ reference: '' }, { reference: '\u200e' }, { why: ' ' }, { user_id: '%0a' }],
        ],
      }
      const found = []
      for (const [code, all] of Object.entries(wrong))
        for (const changes of all) {
          const { body } = await record(changes)
          if (body.code !== code) found.push([changes, body.code])
        }
      expect(found).toEqual([])
      expect(await rows()).toMatchObject({ payments: 0, users: 0, acts: 0, refusals: 0 })
    },
  )

  it('is shown beforehand with what is to be taken, also for a user never heard of', async () => {
    const asked = '/users/user-1/record?plan=pro&method=cash&reference=7'
    expect((await operator.get(asked)).body.code).toBe('not_found')
    const { status: code, body } = await operator.get(`${asked}&new_user=true`)
    expect([code, body]).toMatchObject([
      200,
      {
        changes: [
          { what: 'access', before: { plan: 'free' }, after: { plan: 'pro' } },
          { what: 'amount', before: null, after: '2020' },
          { what: 'stamp_duty', before: null, after: '20' },
        ],
      },
    ])
    expect((await operator.get(`${asked}&amount=2020`)).body.code).toBe('validation_failed')
    expect(await rows()).toMatchObject({ payments: 0, users: 0, acts: 0, refusals: 0 })
    const { payment } = (await record({ reference: '7' })).body
    expect((await operator.get(asked)).body).toMatchObject({ code: 'conflict', payment_id: payment.id })
  })

  it('sent again under its operation_id is answered the same; for something else it is refused', async () => {
    const first = await record({ operation_id: 'op 1' })
    expect((await record({ operation_id: 'op 1' })).body).toEqual(first.body)
    const other = await record({ operation_id: 'op 1', reference: '2026/0043', amount: 2020 })
    expect([other.status, other.body.code]).toEqual([409, 'conflict'])
    expect(await rows()).toMatchObject({ payments: 1, receipts: 1, acts: 1 })
  })

  it('cannot be begun by a user; cancels the open checkout that nothing is left to buy with', async () => {
    for (const method of ['cash', 'cheque']) {
      const { body } = await world.as(USER).post('/api/v1/billing/payments', { plan: 'pro', method })
      expect(body.code).toBe('unknown_method')
    }
    expect(await rows()).toMatchObject({ payments: 0 })
    const { paymentId } = await world.as(USER).upgrade()
    await record()
    expect((await operator.payment(paymentId)).payment.status).toBe('canceled')
  })

  it('that is recorded twenty times at once is booked once, and all are told of the one', async () => {
    // Without HTTP between, so that none begins after another has ended.
    const calls = Array.from({ length: 20 }, () =>
      doAct(world.service.parts, recordPayment, callBy(ownerNamed('amina'), USER, CASH)),
    )
    const ids = (await Promise.all(calls)).map((file) => Object(file).payment.id)
    expect(new Set(ids).size).toBe(1)
    expect(await rows()).toMatchObject({ payments: 1, receipts: 1, acts: 1 })
    expect(await status()).toMatchObject({ current_period_end: '2026-12-21T12:00:00Z' })
  })

  it(
    'whose reference is booked for another user between its decision and its saving is a conflict with ' +
      'that one',
    async () => {
      const { parts } = world.service
      const recordFor = (userId: string, deps = parts) =>
        doAct(deps, recordPayment, callBy(ownerNamed('amina'), userId, CASH))
      const others: string[] = []
      const save: typeof parts.settlements.save = async (change, giveUpAt) => {
        others.push(Object(await recordFor('user-2')).payment.id)
        return parts.settlements.save(change, giveUpAt)
      }
      const deps = { ...parts, settlements: { ...parts.settlements, save } }
      const refused = await recordFor(USER, deps).catch((error) => error)
      expect(refused).toMatchObject({ code: 'conflict', extra: { payment_id: others[0] } })
      expect(others).toHaveLength(1)
      expect(await rows()).toMatchObject({ payments: 1, receipts: 1, acts: 1, refusals: 1 })
      expect(await status()).toMatchObject({ plan: 'free' })
    },
  )

  it('whose reference is recorded for ten users at once is booked for one of them', async () => {
    const users = Array.from({ length: 10 }, (_, user) => `user-${user}`)
    const answers = await Promise.all(users.map((user_id) => record({ user_id })))
    expect(answers.map(({ status: code }) => code).sort()).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 409),
    ])
    expect(await rows()).toMatchObject({ payments: 1, receipts: 1, acts: 1, refusals: 9 })
  })

  it(
    'counts beside others of the same user, many at ' + 'once, stacked; those beyond the limit are refused',
    async () => {
      const references = Array.from({ length: 26 }, (_, n) => String(n))
      const answers = await Promise.all(references.map((reference) => record({ reference })))
      const codes = answers.map(({ status: answered, body }) => body.code ?? answered)
      expect([codes.filter((code) => code === 200).length, [...new Set(codes)]]).toEqual([
        24,
        [200, 'prepaid_limit_reached'],
      ])
      const booked = answers.findIndex(({ status: answered }) => answered === 200)
      // What was recorded is found all the same.
      expect((await record({ reference: String(booked) })).status).toBe(200)
      expect(await status()).toMatchObject({ current_period_end: '2028-11-21T12:00:00Z' })
    },
  )

  it('is found again by its reference after the price and the duty have changed', async () => {
    const { body } = await record()
    await world.stop()
    await open({ PLANS_FILE: '', SELLER_FILE: EXAMPLE })
    expect((await record()).body.payment.id).toBe(body.payment.id)
  })

  it('has its reference for itself: another user, plan, term or amount with it is a conflict', async () => {
    const { payment } = (await record()).body
    for (const changes of [
      { user_id: 'user-2' },
      { plan: 'team', amount: 9090 },
      { months: 3, amount: 6060 },
      { amount: 2000 },
    ])
      expect((await record(changes)).body).toMatchObject({
        ...{ status: 409, code: 'conflict', payment_id: payment.id },
      })
    // A slip and a cheque may have the same number.
    expect((await record({ ...CHEQUE, reference: CASH.reference })).status).toBe(200)
  })

  it(
    'entered by mistake is undone by a recorded act: receipt and trail stay, and it is entered ' + 'again',
    async () => {
      const { payment, receipt } = (await record()).body
      world.clock.advance(1_000)
      expect((await operator.get(`/payments/${payment.id}/refund`)).body).toMatchObject({
        amount: 2000,
        stamp_duty: 20,
        total: 2020,
      })
      const undone = await operator.post(`/payments/${payment.id}/refund`, { why: 'the other Amina' })
      expect(undone.body).toMatchObject({
        payment: { status: 'refunded' },
        receipt,
        audit: [{ act: 'payment.record' }, { act: 'payment.refund', why: 'the other Amina' }],
      })
      expect(await status()).toMatchObject({ plan: 'free', status: 'canceled' })
      const again = (await record()).body
      expect(again).toMatchObject({
        code: 'already_refunded',
        payment_id: payment.id,
        refunded_at: '2026-11-21T12:00:01Z',
      })
      expect((await record({ reference: '2026/0042 b' })).status).toBe(200)
      expect(await status()).toMatchObject({ plan: 'pro', status: 'active' })
      expect(await rows()).toMatchObject({ payments: 2, receipts: 2 })
    },
  )

  it('is in the month of the accountant with its duty, and found by its reference', async () => {
    const cash = (await record()).body.payment.id
    world.clock.advance(1_000)
    const cheque = (await record(CHEQUE)).body.payment.id
    const { text } = await operator.get('/exports/accounts?month=2026-11')
    const lines = text.trim().split('\r\n')
    expect(lines[0]).toMatch(/,ttc,discount,stamp_duty,total,.*,checkout_id,/)
    expect(lines[1]).toMatch(`TEST-2026-000001,${cash},${USER},pro,1,cash,cash,`)
    expect(lines[1]).toMatch(/,2000,0,20,2020,.*,2026\/0042,DZD,.*,paid,+$/)
    expect(lines[2]).toMatch(
      new RegExp(`,${cheque},.*,cheque,cheque,.*,2000,0,0,2000,.*,BNA 1234567,DZD,.*,paid,+$`),
    )
    expect(lines[3]).toMatch(/^total,.*,4000,0,20,4020,/)
    const cashOnly = await operator.get('/exports/accounts?month=2026-11&method=cash')
    const [, , total, ...rest] = cashOnly.text.trim().split('\r\n')
    expect(cashOnly.text).toMatch(lines.slice(0, 2).join('\r\n'))
    expect([total, ...rest]).toEqual([expect.stringMatching(/^total,.*,2000,0,20,2020,/)])
    expect((await operator.get('/payments?method=cheque')).body.data).toMatchObject([{ id: cheque }])
    const found = await operator.get(`/search?q=${encodeURIComponent(CHEQUE.reference)}`)
    expect(found.body.payments).toMatchObject([{ id: cheque }])
  })

  it(
    'is nothing that the sweep or the daily comparison asks for, and a recheck changes ' + 'nothing',
    async () => {
      const { payment } = (await record()).body
      await world.advance(3 * 86_400)
      const { parts } = world.service
      expect([await checkDuePayments(parts, 100), await reconcileDaily(parts)]).toEqual([0, 0])
      expect(await rows()).toMatchObject({ comparisons: 0 })
      const { body } = await operator.post(`/payments/${payment.id}/recheck`, { why: 'to be sure' })
      expect(body.payment).toMatchObject({ status: 'paid', period_end: payment.period_end })
      // Approvals are for what users asked to pay.
      const approval = { amount: 2020, received_at: '2026-11-21', why: 'it came' }
      expect((await operator.post(`/payments/${payment.id}/approve`, approval)).body.code).toBe('conflict')
    },
  )

  it('bears the duty of its day in the billing time zone', async () => {
    await world.stop()
    const folder = mkdtempSync(path.join(tmpdir(), 'desk-'))
    const SELLER_FILE = path.join(folder, 'seller.json')
    const stamp_duty = [
      { from: '2026-01-01', brackets: [{ per_hundred: 1 }] },
      { from: '2027-01-01', brackets: [{ per_hundred: 1.5 }] },
    ]
    writeFileSync(SELLER_FILE, JSON.stringify({ ...JSON.parse(readFileSync(EXAMPLE, 'utf8')), stamp_duty }))
    await open({ SELLER_FILE })
    rmSync(folder, { recursive: true })
    const taken = async (at: string, reference: string) => {
      world.clock.advance(Date.parse(at) - world.clock.now())
      const refused = (await record({ amount: 1, reference })).body
      const { body } = await record({ amount: refused.amount, reference })
      return [body.receipt.stamp_duty, body.receipt.total, body.receipt.number]
    }
    // Midnight in Algiers is 23:00 in UTC.
    expect(await taken('2026-12-31T22:59:59Z', '1')).toEqual([20, 2020, 'TEST-2026-000001'])
    expect(await taken('2026-12-31T23:00:00Z', '2')).toEqual([30, 2030, 'TEST-2027-000001'])
  })

  it('in cash is refused where SELLER_FILE has no stamp duty; a cheque is not', async () => {
    await world.stop()
    const folder = mkdtempSync(path.join(tmpdir(), 'desk-'))
    const SELLER_FILE = path.join(folder, 'seller.json')
    const { stamp_duty: _, ...without } = JSON.parse(readFileSync(EXAMPLE, 'utf8'))
    writeFileSync(SELLER_FILE, JSON.stringify(without))
    await open({ SELLER_FILE })
    rmSync(folder, { recursive: true })
    expect((await record()).body.code).toBe('unknown_method')
    expect((await record(CHEQUE)).status).toBe(200)
  })

  it('is said in the mail, and so is its undoing', async () => {
    await world.stop()
    await using sink = await startSmtpSink()
    world = await createWorld(database(), { env: { ...OPERATOR_ENV, SMTP_URL: sink.url } })
    operator = operatorOf(world)
    const expected = {
      en: [
        'We received 2 020 DA in cash, 20 DA of it stamp duty.',
        'We gave back the 2 020 DA that you paid in cash',
      ],
      fr: [
        'Nous avons reçu 2 020 DA en espèces, dont 20 DA de droit de timbre.',
        'Nous vous avons rendu 2 020 DA',
      ],
      ar: ['استلمنا منك ⁨2 020 دج⁩ نقدًا، منها ⁨20 دج⁩ حق الطابع.', 'الذي دفعته نقدًا مقابل باقة'],
    }
    const send = () => sendDueMail(world.service.parts, 100)
    const paid: string[] = []
    for (const locale of ['en', 'fr', 'ar'] as const) {
      await setProfile(world, locale, { email: `${locale}@example.dz`, locale })
      paid.push((await record({ user_id: locale, reference: locale })).body.payment.id)
    }
    await send()
    for (const id of paid) await operator.post(`/payments/${id}/refund`, { why: 'a mistake' })
    await send()
    const mails = sink.messages.map((message) => ({
      locale: message.to[0]?.slice(0, 2),
      text: (readMessage(message).parts['text/plain']?.toString() ?? '').replaceAll('\u00a0', ' '),
    }))
    for (const [locale, texts] of Object.entries(expected)) {
      const own = mails.filter((mail) => mail.locale === locale).map(({ text }) => text)
      expect(own).toEqual(texts.map((text) => expect.stringContaining(text)))
    }
  })
})
