// Money over the counter: an operator records it and it is booked once, in cash with the stamp duty of the
// day.
import { sellerFile } from '../../../../test/support/config-files.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf, ownerNamed } from '../../../../test/support/operator.js'
import { PLANS_FILE, SELLER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { writtenEvents } from '../../../../test/support/written-events.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { checkDuePayments } from '../checkout/sweep.js'
import { reconcileDaily } from '../reconciliation/reconcile.js'
import { recordPayment } from './record-payment.js'

const USER = 'user-1'
const CASH = {
  new_user: true,
  plan: 'pro',
  method: 'cash',
  amount: 2020,
  reference: '2026/0042',
  why: 'paid at the desk',
}
const CHEQUE = { ...CASH, method: 'cheque', amount: 2000, reference: 'BNA 1234567' }

const NOTHING = { payments: 0, users: 0, acts: 0, refusals: 0 }

const countRows =
  sql(`select (select count(*) from payments) as payments, (select count(*) from documents) as receipts,
          (select count(*) from audit where act <> 'operator.refused') as acts,
          (select count(*) from audit where act = 'operator.refused') as refusals,
          (select count(*) from users) as users,
          (select count(*) from reconciliations) as reconciliations`)

const OPTIONS = { env: { PLANS_FILE }, withoutJobs: true }

describeWorldOnEach('a payment at the desk', OPTIONS, ({ database, world, restart }) => {
  const operator = operatorOf(world)
  const record = ({ user_id = USER, ...changes }: { user_id?: string; [name: string]: unknown } = {}) =>
    operator.post(`/users/${user_id}/record`, { ...CASH, ...changes })
  const status = async (userId = USER) => (await world.as(userId).get('/api/v1/billing/status')).body
  const rows = async () => (await database().query(countRows))[0] ?? {}

  it('in cash is booked at once, for an unknown user, with the stamp duty on top of the price', async () => {
    const { status: code, body } = await record()
    expect(code).toBe(200)
    expect(body).toMatchObject({
      payment: {
        ...{ user_id: USER, plan: 'pro', amount: 2000, status: 'paid', method: 'cash' },
        ...{ payment_method: 'cash', checkout_id: '2026/0042', checkout_url: null },
        ...{ paid_at: '2026-11-21T12:00:00Z', period_end: '2026-12-21T12:00:00Z' },
      },
      receipt: { number: 'TEST-2026-000001', stamp_duty: 20, total: 2020 },
      settled_by: 'operator',
      audit: [{ actor: 'amina', act: 'payment.record', why: 'paid at the desk' }],
    })
    expect(await status()).toMatchObject({ plan: 'pro', status: 'active', payment_method: 'cash' })
    const [shown] = (await world.as(USER).get('/api/v1/billing/payments')).body.data
    expect(shown).toMatchObject({ id: body.payment.id, method: 'cash', payment_method: 'cash' })
    const [paid, activated, ...rest] = await writtenEvents(database())
    expect([paid?.type, activated?.type, rest]).toEqual(['payment.paid', 'subscription.activated', []])
    expect(paid?.data.payment).toMatchObject({ method: 'cash', amount: 2000 })
  })

  it('for an unknown user is refused unless it says so, asked or done, and nothing is kept', async () => {
    const { status: code, body } = await record({ new_user: undefined })
    expect([code, body.code, body.user_id]).toEqual([404, 'not_found', USER])
    expect((await record({ new_user: undefined, name: 'Samir' })).status).toBe(404)
    const asked = '/users/user-1/record?plan=pro&method=cash&reference=7'
    expect((await operator.get(asked)).body.code).toBe('not_found')
    const { changes } = (await operator.get(`${asked}&new_user=true`)).body
    for (const one of [
      { what: 'access', before: { plan: 'free' }, after: { plan: 'pro' } },
      { what: 'deskTotal', after: 2020 },
      { what: 'stampDuty', after: 20 },
    ])
      expect(changes.find(({ what }: { what: string }) => what === one.what)).toMatchObject(one)
    expect((await operator.get(`${asked}&new_user=true&amount=2020`)).body.changes).toEqual(changes)
    expect((await operator.get(`${asked}&new_user=true&amount=20x`)).body.code).toBe('validation_failed')
    expect(await rows()).toMatchObject(NOTHING)
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

  it('is refused with what is to be paid, or with what is wrong, where something does not fit', async () => {
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
    const wrong = [
      [{ plan: 'gold' }, 'unknown_plan'],
      [{ plan: 'free' }, 'plan_not_purchasable'],
      [{ months: 7 }, 'unknown_term'],
      ...[
        { method: 'card' },
        { amount: 0 },
        { amount: '2020' },
        { reference: ' 42' },
        { reference: '' },
        { reference: '\u200e' },
        { why: ' ' },
        { user_id: '%0a' },
      ].map((changes) => [changes, 'validation_failed'] as const),
    ] as const
    const found = []
    for (const [changes] of wrong) found.push([changes, (await record(changes)).body.code])
    expect(found).toEqual(wrong)
    expect(await rows()).toMatchObject(NOTHING)
    const { body } = await record({ ...CHEQUE, months: 12, amount: 20_000 })
    expect(body).toMatchObject({
      payment: { months: 12, payment_method: 'cheque', period_end: '2027-11-21T12:00:00Z' },
      receipt: { stamp_duty: 0, total: 20_000 },
    })
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
    // Without HTTP, so that all begin before one ends.
    const calls = Array.from({ length: 20 }, () =>
      doAct(world.service.parts, recordPayment, callBy(ownerNamed('amina'), USER, CASH)),
    )
    const ids = (await Promise.all(calls)).map((file) => Object(file).payment.id)
    expect(new Set(ids).size).toBe(1)
    expect(await rows()).toMatchObject({ payments: 1, receipts: 1, acts: 1 })
    expect(await status()).toMatchObject({ current_period_end: '2026-12-21T12:00:00Z' })
  })

  it('that is recorded by an equal call while it is planned is booked once', async () => {
    const { parts } = world.service
    const record = (deps = parts) => doAct(deps, recordPayment, callBy(ownerNamed('amina'), USER, CASH))
    const meanwhile: unknown[] = []
    const load: typeof parts.settlements.load = async (wanted) => {
      const found = await parts.settlements.load(wanted)
      if (meanwhile.length === 0) meanwhile.push(await record())
      return found
    }
    const told = await record({ ...parts, settlements: { ...parts.settlements, load } })
    expect(Object(told).payment.id).toBe(Object(meanwhile[0]).payment.id)
    expect(await rows()).toMatchObject({ payments: 1, receipts: 1, acts: 1 })
  })

  it('whose reference is booked for another user before it is saved is a conflict', async () => {
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
  })

  it('counts beside others of the same user, stacked, and is refused beyond the limit', async () => {
    const recordFrom = (first: number) =>
      Promise.all(Array.from({ length: 13 }, (_, n) => record({ reference: String(first + n) })))
    // All 26 at once are more than a slow machine books in the 5 s of a call.
    const answers = [...(await recordFrom(0)), ...(await recordFrom(13))]
    const codes = answers.map(({ status: answered, body }) => body.code ?? answered).sort()
    expect(codes).toEqual([...Array(24).fill(200), ...Array(2).fill('prepaid_limit_reached')])
    // A recorded payment is found all the same.
    const booked = answers.findIndex(({ status: answered }) => answered === 200)
    expect((await record({ reference: String(booked) })).status).toBe(200)
    expect(await status()).toMatchObject({ current_period_end: '2028-11-21T12:00:00Z' })
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
    // It is found again after price and duty have changed.
    await restart({ env: { SELLER_FILE } })
    expect((await record()).body.payment.id).toBe(payment.id)
  })

  it('entered by mistake is undone by an act: receipt and trail stay, and it is entered again', async () => {
    const { payment, receipt } = (await record()).body
    world.clock.advance(1_000)
    const [amount] = (await operator.get(`/payments/${payment.id}/refund`)).body.changes
    expect(amount).toMatchObject({ what: 'amount', after: 2020 })
    const undone = await operator.post(`/payments/${payment.id}/refund`, { why: 'the other Amina' })
    expect(undone.body).toMatchObject({
      payment: { status: 'refunded' },
      receipt,
      audit: [{ act: 'payment.record' }, { act: 'payment.refund', why: 'the other Amina' }],
    })
    expect(await status()).toMatchObject({ plan: 'free', status: 'canceled' })
    const refunded = { code: 'already_refunded', payment_id: payment.id, refunded_at: '2026-11-21T12:00:01Z' }
    expect((await record()).body).toMatchObject(refunded)
    expect((await record({ reference: '2026/0042 b' })).status).toBe(200)
    expect(await status()).toMatchObject({ plan: 'pro', status: 'active' })
    expect(await rows()).toMatchObject({ payments: 2, receipts: 2 })
  })

  it('is asked for by no sweep and no reconciliation, and a recheck changes nothing', async () => {
    const { payment } = (await record()).body
    await world.advance(3 * 86_400)
    const { parts } = world.service
    expect([await checkDuePayments(parts, 100), await reconcileDaily(parts)]).toEqual([0, 0])
    expect(await rows()).toMatchObject({ reconciliations: 0 })
    const { body } = await operator.post(`/payments/${payment.id}/recheck`, { why: 'to be sure' })
    expect(body.payment).toMatchObject({ status: 'paid', period_end: payment.period_end })
    // Approvals are for payments that users asked to make.
    const approval = { amount: 2020, received_at: '2026-11-21', why: 'it came' }
    expect((await operator.post(`/payments/${payment.id}/approve`, approval)).body.code).toBe('conflict')
  })

  it('in cash is refused where no stamp duty is set; a cheque needs none', async () => {
    await restart({ env: { SELLER_FILE: sellerFile({ stamp_duty: undefined }) } })
    expect((await record()).body.code).toBe('unknown_method')
    expect((await record(CHEQUE)).status).toBe(200)
  })
})
