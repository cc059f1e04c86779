import { makeCodes } from '../../../../test/support/codes.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { platformFor } from '../../../../test/support/platform.js'
import { afterOf, beforeOf } from '../../../../test/support/preview.js'
import { setProfile } from '../../../../test/support/profile.js'
import { anEvent, postEvent } from '../../../../test/support/provider-events.js'
import { PLANS_FILE, SELLER_FILE, TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { readMessage, startSmtpSink } from '../../../../test/support/smtp-sink.js'
import { sql } from '../../../../test/support/sql.js'
import { checkoutIdOf, createWorld } from '../../../../test/support/world.js'
import { writtenEvents } from '../../../../test/support/written-events.js'
import { toTimestamp } from '../core/instant.js'
import { readTimeLists } from '../ledger/time-list.sql.js'

const PAYMENTS = '/api/v1/billing/payments'
const QUOTE = '/api/v1/billing/quote'
const UPGRADE = '/api/v1/billing/upgrade'
const DAY = 86_400
const forgetPayment = sql('delete from payments where id = $1')
const ENV = { PLANS_FILE, TRANSFER_FILE, SELLER_FILE }

describeWorld('a dearer plan in mid-term', { env: ENV }, ({ world, database }) => {
  const operator = operatorOf(world)
  const user = world.as('user-1')

  const status = async () => (await user.get('/api/v1/billing/status')).body
  const events = () => writtenEvents(database(), 'user-1')
  const paymentOf = async (id: string) => (await user.get(`${PAYMENTS}/${id}`)).body
  /** Pro for 30 days from 21 November, of which 15 are over. */
  const halfWay = async () => {
    const { paymentId } = await user.buy()
    await world.advance(15 * DAY)
    return paymentId
  }

  it('is quoted with what is left of what was paid, and bought by a click, to the same end', async () => {
    const refused = await user.post(PAYMENTS, { plan: 'team', start: 'now' })
    expect([refused.status, refused.body.code]).toEqual([409, 'no_dearer_plan'])
    await halfWay()
    const withTerm = await user.get(`${QUOTE}?plan=team&start=now&months=1`)
    expect(withTerm.body.errors).toEqual([expect.objectContaining({ pointer: '/query/months' })])
    expect((await user.get(`${QUOTE}?plan=team&start=now`)).body).toEqual({
      ...{ kind: 'change', plan: 'team', months: null, price: 4500, credit: 1000, discount: 0 },
      ...{ amount: 3500, currency: 'DZD', would_start: '2026-12-06T12:00:00Z' },
      ...{ would_end: '2026-12-21T12:00:00Z', code: null },
    })
    const { status: answered, body } = await user.post(UPGRADE, { plan: 'team' })
    expect([answered, Object.keys(body)]).toEqual([200, ['checkout_url', 'payment_id']])
    expect((await status()).plan).toBe('pro')
    // The quote holds as long as its page is open.
    await world.advance(600)
    expect((await user.post(UPGRADE, { plan: 'team' })).body).toEqual(body)
    await world.pay(body.checkout_url)
    expect(await status()).toEqual({
      ...{ plan: 'team', status: 'active', current_period_end: '2026-12-21T12:00:00Z' },
      payment_method: 'edahabia',
    })
    expect((await user.get(`${PAYMENTS}/${body.payment_id}`)).body).toMatchObject({
      ...{ kind: 'change', plan: 'team', months: null, amount: 3500, status: 'paid' },
      ...{ period_start: '2026-12-06T12:10:00Z', period_end: '2026-12-21T12:00:00Z' },
    })
    const told = (await events()).slice(-2)
    expect(told.map(({ type }) => type)).toEqual(['payment.paid', 'subscription.changed'])
    expect(told[1]?.data).toMatchObject({
      subscription: { plan: 'team', current_period_end: '2026-12-21T12:00:00Z' },
      payment: { id: body.payment_id, kind: 'change', plan: 'team', months: null },
      change: { from: 'pro', to: 'team', at: '2026-12-06T12:10:00Z', until: '2026-12-21T12:00:00Z' },
    })
  })

  it('is bought as a payment that begins now, with a code of no term, also by the platform', async () => {
    await halfWay()
    const { status: answered, body } = await user.post(PAYMENTS, { plan: 'team', start: 'now' })
    expect(answered).toBe(201)
    expect(body).toMatchObject({ plan: 'team', months: null, amount: 3500, status: 'pending' })
    const later = await user.post(PAYMENTS, { plan: 'team', start: 'end' })
    expect(later.body).toMatchObject({ plan: 'team', months: 1, amount: 9000 })
    expect((await paymentOf(body.id)).status).toBe('expired')
    const asked = { plan: 'team', start: 'now' }
    const { body: byPlatform } = await platformFor(world, 'user-1').post('/payments', asked)
    expect(byPlatform).toMatchObject({ kind: 'change', amount: 3500 })
    const tenth = { kind: 'percent', percent: 10 }
    const { code } = await makeCodes(operator, tenth)
    const { code: ofYear } = await makeCodes(operator, { ...tenth, plan: 'pro', months: 12 })
    const quoted = async (one: string) => (await user.get(`${QUOTE}?plan=team&start=now&code=${one}`)).body
    expect(await quoted(code)).toMatchObject({ price: 4500, credit: 1000, discount: 350, amount: 3150 })
    expect((await quoted(ofYear)).code).toBe('code_not_valid')
    const bought = (await user.post(PAYMENTS, { ...asked, code })).body
    await world.pay(bought.checkout_url)
    expect(await paymentOf(bought.id)).toMatchObject({ status: 'paid', amount: 3150 })
  })

  it('stands in the list of time, and is refunded before what it stands on', async () => {
    const first = await halfWay()
    const { body } = await user.post(UPGRADE, { plan: 'team' })
    await world.pay(body.checkout_url)
    const changed = [
      [first, 'pro', lists[0], lists[1]],
      [body.payment_id, 'team', lists[1], lists[2]],
    ]
    expect(await time()).toEqual(changed)
    const refuse = await operator.post(`/payments/${first}/refund`, { why: 'asked' })
    expect([refuse.status, refuse.body.code, refuse.body.payment_id]).toEqual([
      ...[409, 'refund_change_first', body.payment_id],
    ])
    expect((await operator.get(`/payments/${first}/refund`)).body).toMatchObject({
      code: 'refund_change_first',
    })
    const { body: preview } = await operator.get(`/payments/${body.payment_id}/refund`)
    expect(beforeOf(preview)).toMatchObject({ access: { plan: 'team' } })
    expect(afterOf(preview)).toMatchObject({ access: { plan: 'pro', current_period_end: lists[2] } })
    await world.advance(5 * DAY)
    expect((await operator.post(`/payments/${body.payment_id}/refund`, { why: 'asked' })).status).toBe(200)
    expect(await time()).toEqual([
      ...changed.slice(0, 1),
      [body.payment_id, 'team', lists[1], '2026-12-11T12:00:00Z'],
      [first, 'pro', '2026-12-11T12:00:00Z', lists[2]],
    ])
    expect(await status()).toMatchObject({ plan: 'pro', status: 'active', current_period_end: lists[2] })
    const expected = ['payment.refunded', 'subscription.changed']
    expect((await events()).slice(-2).map(({ type }) => type)).toEqual(expected)
    expect((await operator.post(`/payments/${first}/refund`, { why: 'asked' })).status).toBe(200)
    expect(await status()).toMatchObject({ plan: 'free', status: 'canceled' })
  })

  const time = async () =>
    (await readTimeLists(database(), ['user-1'])).flat().map((one) => {
      const of = one.by === 'gap' ? [null, null] : [one.id, one.plan.id]
      return [...of, toTimestamp(one.start), toTimestamp(one.end)]
    })
  const lists = ['2026-11-21T12:00:00Z', '2026-12-06T12:00:00Z', '2026-12-21T12:00:00Z'] as const

  it('paid twice buys time on the new plan for the second money', async () => {
    await halfWay()
    const { body } = await user.post(UPGRADE, { plan: 'team' })
    const checkoutId = checkoutIdOf(body.checkout_url)
    await world.pay(body.checkout_url)
    await postEvent(world, anEvent(world, checkoutId, 'paid', { id: 'chk_second' }))
    const all: { id: string; kind: string; period_end: string }[] = (await user.get(PAYMENTS)).body.data
    const second = all.find(({ id, kind }) => kind === 'change' && id !== body.payment_id)
    // 3500 of 9000 of the 31 days from 21 December.
    expect(second).toMatchObject({
      ...{ kind: 'change', amount: 3500, status: 'paid', period_start: lists[2] },
      period_end: '2027-01-02T13:20:00Z',
    })
    expect(await status()).toMatchObject({ plan: 'team', current_period_end: second?.period_end })
    expect((await operator.payment(second?.id ?? '')).payment.second_of).toBe(body.payment_id)
  })

  it('by transfer begins when an operator says that the money came, and costs what was quoted', async () => {
    await halfWay()
    const { body } = await user.post(PAYMENTS, { plan: 'team', start: 'now', method: 'transfer' })
    expect(body).toMatchObject({ kind: 'change', amount: 3500, checkout_url: null })
    await world.advance(2 * DAY)
    expect((await user.post(PAYMENTS, { plan: 'team', start: 'now', method: 'transfer' })).body.id).toBe(
      body.id,
    )
    const approval = { amount: 3500, received_at: '2026-12-07', payment_method: 'ccp', why: 'on the account' }
    expect((await operator.post(`/payments/${body.id}/approve`, approval)).status).toBe(200)
    const period = { period_start: '2026-12-08T12:00:00Z', period_end: lists[2] }
    expect(await paymentOf(body.id)).toMatchObject({ status: 'paid', ...period })
  })

  it('is taken at the desk, for what it cost within the last hour', async () => {
    await halfWay()
    const asked = { plan: 'team', start: 'now', method: 'cheque', reference: '1' }
    const preview = await operator.get(`/users/user-1/record?${new URLSearchParams(asked)}`)
    expect(afterOf(preview.body)).toMatchObject({ deskTotal: 3500 })
    const taken = { ...asked, why: 'at the desk' }
    await world.advance(1_800)
    const record = (amount: number) => operator.post('/users/user-1/record', { ...taken, amount })
    expect((await record(3400)).body).toMatchObject({ code: 'wrong_amount', price: 3496 })
    expect((await record(3500)).body).toMatchObject({
      payment: { kind: 'change', amount: 3500, months: null },
    })
    expect((await record(3500)).status).toBe(200)
    expect((await status()).plan).toBe('team')
    expect((await record(3501)).body.code).toBe('conflict')
    const more = await operator.post('/users/user-1/record', { ...taken, reference: '2', amount: 3500 })
    expect(more.body.code).toBe('no_dearer_plan')
  })

  it('is known from its checkout alone, and then of what is left', async () => {
    await halfWay()
    const { body } = await user.post(UPGRADE, { plan: 'team' })
    const { metadata } = world.emulator.checkouts().at(-1) ?? {}
    expect(metadata).toMatchObject({ kind: 'change', plan_id: 'team' })
    expect(metadata).not.toHaveProperty('months')
    await database().query(forgetPayment, [body.payment_id])
    await world.pay(body.checkout_url)
    await operator.post('/reconciliations/start', { since: '2026-11-01', unknown: 'book' })
    expect(await paymentOf(body.payment_id)).toMatchObject({ kind: 'change', status: 'paid', amount: 3500 })
    expect(await status()).toMatchObject({ plan: 'team', current_period_end: lists[2] })
  })

  it('is told by mail, with its receipt', async () => {
    await using sink = await startSmtpSink()
    await using mailing = await createWorld(database(), { env: { ...ENV, SMTP_URL: sink.url } })
    await setProfile(mailing, 'user-1', { email: 'amina@example.dz', locale: 'en' })
    await mailing.as('user-1').buy()
    const { body } = await mailing.as('user-1').post(UPGRADE, { plan: 'team' })
    await mailing.pay(body.checkout_url)
    await mailing.service.runner.runAll()
    // Two mails that are due at one instant are sent in any order.
    const mails = sink.messages.map((message) => readMessage(message).parts)
    const told = 'From now on your plan is Team, paid until 21 December 2026'
    const one = mails.find((parts) => parts['text/plain']?.toString().replaceAll(/\s+/g, ' ').includes(told))
    expect(Object.keys(one ?? {})).toContain('application/pdf')
  })

  it('is of a month that the balance has bought and no job has written down', async () => {
    await using holding = await createWorld(database(), { env: { ...ENV, BALANCE_MAX: '50000' } })
    const holder = holding.as('user-1')
    await holder.buy()
    const topUp = await holder.post('/api/v1/billing/balance/top-ups', { amount: 5000 })
    await holding.pay(topUp.body.checkout_url)
    await holder.put('/api/v1/billing/balance/renewal', { plan: 'pro', months: 1 })
    holding.clock.advance(45 * DAY * 1_000)
    const expected = { kind: 'change', credit: 1032 }
    expect((await holder.get(`${QUOTE}?plan=team&start=now`)).body).toMatchObject(expected)
    await holding.pay((await holder.post(UPGRADE, { plan: 'team' })).body.checkout_url)
    const { body } = await holder.get('/api/v1/billing/status')
    expect(body).toMatchObject({ plan: 'team', current_period_end: '2027-01-21T12:00:00Z' })
    expect((await holder.get('/api/v1/billing/balance')).body.amount).toBe(3000)
  })
})
