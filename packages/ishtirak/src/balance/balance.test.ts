import { enterConsole } from '../../../../test/support/console.js'
import { databaseWith } from '../../../../test/support/database-with.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { png } from '../../../../test/support/proof-files.js'
import { PLANS_FILE, TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { writtenEvents } from '../../../../test/support/written-events.js'
import { bookRenewals } from '../ledger/change-user.js'
import { createPaymentMethods } from '../ledger/method.js'
import { findUser } from '../ledger/users.sql.js'
import { balance as capability } from './balance-capability.js'

const BALANCE = '/api/v1/billing/balance'
const PAYMENTS = '/api/v1/billing/payments'
const STATUS = '/api/v1/billing/status'
const DAY = 86_400
const ACCOUNTANT_KEY = 'operator-key-of-salim'
const OPERATOR_KEYS = `amina:${OPERATOR_KEY},salim:accountant:${ACCOUNTANT_KEY}`

type Entry = { kind: string; amount: number; balance_after: number }
type Trail = Record<'before' | 'after', { readonly balance?: number }>

const selectReceipts = sql(`select number, snapshot->>'amount' as amount, snapshot->'tax'->>'kind' as tax
     from documents where place = 0 order by number`)
const selectPeriods = sql(`select method, to_char(period_start, 'YYYY-MM-DD') as starts from payments
    where kind = 'purchase' order by period_start`)

const selectLast = sql(`select p.live, p.instrument, r.series || r.number as number
     from payments p join documents r on r.payment_id = p.id and r.place = 0
    order by p.created_at desc limit 1`)

const endOrders = sql('update users set standing_order = null, renews_at = null, version = version + 1')

const ENV = { BALANCE_MAX: '50000', PLANS_FILE, TRANSFER_FILE, OPERATOR_KEYS }

describeWorldOnEach('a balance', { env: ENV }, ({ world, restart, beside, database }) => {
  const user = world.as('user-1')
  const topUp = async (amount: number) => {
    const { status, body } = await user.post(`${BALANCE}/top-ups`, { amount })
    expect(status).toBe(201)
    await world.pay(body.checkout_url, 'paid', 'edahabia')
    return body.id as string
  }
  const renew = (months = 1) => user.put(`${BALANCE}/renewal`, { plan: 'pro', months })
  const balance = async () => (await user.get(BALANCE)).body
  const status = async () => (await user.get(STATUS)).body
  /** Each entry as `kind amount balance_after`, oldest first. */
  const ledger = async () =>
    (await balance()).data.map((one: Entry) => `${one.kind} ${one.amount} ${one.balance_after}`).reverse()
  const operate = (path: string, asked: object = {}) =>
    operatorOf(world).post(`/${path}`, { why: 'a test', ...asked })
  const buy = (wanted: object = {}) => user.post(PAYMENTS, { plan: 'pro', method: 'balance', ...wanted })

  it('is topped up by card: the money is there, buys no time, and has a receipt without tax', async () => {
    const id = await topUp(6_000)
    const entry = { kind: 'top_up', amount: 6_000, balance_after: 6_000, payment_id: id, note: null }
    expect(await balance()).toEqual({
      ...{ amount: 6_000, currency: 'DZD', renewal: null, has_more: false, next_cursor: null },
      data: [{ id: expect.stringMatching(/^ent_/), ...entry, created_at: '2026-11-21T12:00:00Z' }],
    })
    expect((await user.get(`${PAYMENTS}/${id}`)).body).toMatchObject({
      ...{ kind: 'top_up', plan: null, months: null, amount: 6_000, status: 'paid', method: 'card' },
      ...{ period_start: null, period_end: null },
    })
    expect(await status()).toMatchObject({ plan: 'free', status: 'active', current_period_end: null })
    expect(await database().query(selectReceipts)).toEqual([{ number: 1, amount: '6000', tax: 'advance' }])
  })

  it('buys at once, with the receipt of the purchase, and not more than there is', async () => {
    await topUp(5_000)
    const bought = await buy()
    expect(bought.status).toBe(201)
    expect(bought.body).toMatchObject({
      ...{ kind: 'purchase', amount: 2_000, status: 'paid', method: 'balance', checkout_url: null },
      ...{ period_start: '2026-11-21T12:00:00Z', period_end: '2026-12-21T12:00:00Z' },
    })
    await world.advance(120)
    expect((await buy()).body.period_end).toBe('2027-01-21T12:00:00Z')
    await world.advance(120)
    expect(await buy()).toMatchObject({ status: 409, body: { code: 'balance_too_low', missing: 1_000 } })
    expect(await ledger()).toEqual(['top_up 5000 5000', 'purchase -2000 3000', 'purchase -2000 1000'])
    expect(await status()).toMatchObject({ plan: 'pro', payment_method: 'balance' })
  })

  it('a repetition within a minute is the same purchase, fifty at once too', async () => {
    await topUp(20_000)
    const answers = await Promise.all(Array.from({ length: 50 }, () => buy()))
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    // Another purchase order number makes it another purchase, also within a minute.
    const order = { po_number: 'BC-2' }
    const again = await buy()
    const [second, twice] = await Promise.all([buy(order), buy(order)])
    expect(again.body.id).toBe(answers[0]?.body.id)
    expect([second.status, second.body.id === again.body.id, twice.body.id === second.body.id]).toEqual([
      ...[201, false, true],
    ])
    expect((await balance()).amount).toBe(16_000)
    await world.advance(61)
    await buy()
    expect((await balance()).amount).toBe(14_000)
  })

  it('pays for another plan in mid-term', async () => {
    await user.buy()
    await topUp(10_000)
    const changed = await buy({ plan: 'team', start: 'now' })
    // 9,000 less the 2,000 that were paid a moment before.
    expect(changed.body).toMatchObject({ kind: 'change', plan: 'team', amount: 7_000, status: 'paid' })
    expect(await status()).toMatchObject({ plan: 'team', current_period_end: '2026-12-21T12:00:00Z' })
    expect((await balance()).amount).toBe(3_000)
  })

  it('what was paid for a change when the time was over is on the balance', async () => {
    await user.buy()
    const { body } = await user.post(PAYMENTS, { plan: 'team', start: 'now' })
    const ended = await operate('users/user-1/end')
    expect(ended.status).toBe(200)
    await world.pay(body.checkout_url, 'paid', 'cib')
    expect(await ledger()).toEqual([`surplus ${body.amount} ${body.amount}`])
    const paid = (await user.get(`${PAYMENTS}/${body.id}`)).body
    expect(paid).toMatchObject({ status: 'paid', period_start: null })
    expect((await database().query(selectReceipts)).map(({ tax }) => tax)).toEqual(['vat', 'advance'])
  })

  it('renews by itself while it lasts, whether or not any job has run', async () => {
    await user.buy()
    await topUp(5_000)
    expect((await renew()).body).toEqual({
      ...{ plan: 'pro', months: 1, price: 2_000, offered_price: null },
      next_at: '2026-12-21T12:00:00Z',
    })
    await world.emulator.advance(75 * DAY)
    // 21 December and 21 January were bought, so 1,000 are left. No job has run.
    const computed = await status()
    expect(computed).toMatchObject({ status: 'active', current_period_end: '2027-02-21T12:00:00Z' })
    await world.advance(1)
    expect(await status()).toEqual(computed)
    expect(await ledger()).toEqual(['top_up 5000 5000', 'renewal -2000 3000', 'renewal -2000 1000'])
    expect((await balance()).renewal.next_at).toBe('2027-02-21T12:00:00Z')
    await world.advance(30 * DAY)
    expect((await balance()).renewal.next_at).toBe(null)
  })

  it('an order buys as soon as there is enough, also without paid time, and tells of it', async () => {
    expect((await renew()).body.next_at).toBe(null)
    await topUp(3_000)
    expect(await status()).toMatchObject({ plan: 'pro', current_period_end: '2026-12-21T12:00:00Z' })
    expect(await ledger()).toEqual(['top_up 3000 3000', 'renewal -2000 1000'])
    const told = (await writtenEvents(database())).map(({ type, data }) =>
      data.balance ? `${type} ${data.balance.amount}` : type,
    )
    expect(told).toEqual([
      ...['balance.renewal_changed 0', 'payment.paid', 'balance.changed 3000', 'payment.paid'],
      ...['subscription.activated', 'balance.changed 1000'],
    ])
    const ended = await user.delete(`${BALANCE}/renewal`)
    expect([ended.status, ended.body.renewal, ended.body.amount]).toEqual([200, null, 1_000])
    await topUp(5_000)
    await world.advance(60 * DAY)
    expect(await status()).toMatchObject({ plan: 'free', status: 'expired' })
  })

  it('is topped up by transfer, once the operator has seen the money', async () => {
    const { body } = await user.post(`${BALANCE}/top-ups`, { amount: 6_000, method: 'transfer' })
    expect(body).toMatchObject({ kind: 'top_up', method: 'transfer', checkout_url: null, plan: null })
    const other = await user.post(`${BALANCE}/top-ups`, { amount: 7_000, method: 'transfer' })
    expect(other.body.id).not.toBe(body.id)
    const came = { amount: 7_000, received_at: '2026-11-21T12:00:00Z', payment_method: 'ccp' }
    expect((await operate(`payments/${other.body.id}/approve`, came)).status).toBe(200)
    expect(await ledger()).toEqual(['top_up 7000 7000'])
  })

  it('has renewed before a proof is taken, where no job has run', async () => {
    await topUp(5_000)
    await renew()
    const { body } = await user.post(PAYMENTS, { plan: 'pro', months: 12, method: 'transfer' })
    world.clock.advance(31 * DAY * 1_000)
    expect((await user.put(`${PAYMENTS}/${body.id}/proof`, png())).status).toBe(200)
    expect(await ledger()).toHaveLength(3)
  })

  it('gets back what it paid for; other payments go to it where the operator says so', async () => {
    await topUp(3_000)
    const { body: bought } = await buy()
    expect((await operate(`payments/${bought.id}/refund`)).status).toBe(200)
    const { paymentId } = await user.buy()
    expect((await operate(`payments/${paymentId}/refund`, { to: 'balance' })).status).toBe(200)
    const expected = ['top_up 3000 3000', 'purchase -2000 1000', 'returned 2000 3000', 'returned 2000 5000']
    expect(await ledger()).toEqual(expected)
    expect(await status()).toMatchObject({ plan: 'free', status: 'canceled' })
  })

  it('a refund to it that lets the order buy at once says so before', async () => {
    const { paymentId } = await user.buy()
    await renew()
    world.clock.advance(40 * DAY * 1_000)
    expect(await status()).toMatchObject({ status: 'expired' })
    const preview = await operatorOf(world).get(`/payments/${paymentId}/refund?to=balance`)
    const { after } = preview.body.changes.find(({ what }: { what: string }) => what === 'access')
    expect(after).toMatchObject({ plan: 'pro', status: 'active' })
    const console = await enterConsole(world, OPERATOR_KEY)
    const page = await console.open(`/console/payments/${paymentId}/refund?to=balance`)
    expect(page.text).toContain('The renewal buys at once')
    expect((await operate(`payments/${paymentId}/refund`, { to: 'balance' })).status).toBe(200)
    expect((await balance()).amount).toBe(0)
    expect(await ledger()).toEqual(['returned 2000 2000', 'renewal -2000 0'])
  })

  it('has renewed before a page is booked that was opened before it was due and paid after', async () => {
    await user.buy()
    await topUp(5_000)
    await renew()
    world.clock.advance((30 * DAY - 600) * 1_000)
    const opened = await user.post(PAYMENTS, { plan: 'pro' })
    world.clock.advance(900 * 1_000)
    await world.pay(opened.body.checkout_url)
    expect(await database().query(selectPeriods)).toEqual([
      { method: 'chargily', starts: '2026-11-21' },
      { method: 'balance', starts: '2026-12-21' },
      { method: 'chargily', starts: '2027-01-21' },
    ])
  })

  it('is topped up at the desk, with the duty on cash, not above BALANCE_MAX, and given back', async () => {
    const desk = (asked: object) =>
      operatorOf(world).post('/users/user-1/record', {
        ...{ new_user: true, method: 'cash', reference: '2026/7', why: 'paid at the desk' },
        ...asked,
      })
    const wrong = await desk({ top_up: 3_000, amount: 3_000 })
    expect([wrong.status, wrong.body.code, wrong.body.amount]).toEqual([422, 'wrong_amount', 3_030])
    const taken = await desk({ top_up: 3_000, amount: 3_030 })
    expect([taken.status, taken.body.payment, taken.body.receipt]).toMatchObject([
      200,
      { kind: 'top_up', plan: null, amount: 3_000, status: 'paid', method: 'cash' },
      { stamp_duty: 30, total: 3_030 },
    ])
    expect((await desk({ top_up: 3_000, amount: 3_030 })).body.payment.id).toBe(taken.body.payment.id)
    expect((await desk({ top_up: 3_001, amount: 3_031.01 })).body.code).toBe('conflict')
    const over = await desk({ method: 'cheque', top_up: 47_001, amount: 47_001, reference: 'BNA 8' })
    expect([over.status, over.body.code, over.body.most]).toEqual([422, 'balance_limit_reached', 47_000])
    const both = await desk({ plan: 'pro', top_up: 3_000, amount: 3_030, reference: 'BNA 9' })
    expect(both.status).toBe(422)
    expect((await operate(`payments/${taken.body.payment.id}/refund`)).status).toBe(200)
    expect(await ledger()).toEqual(['top_up 3000 3000', 'paid_out -3000 0'])
    expect((await database().query(selectReceipts)).map(({ tax }) => tax)).toEqual(['advance'])
  })

  it('a top-up that is refunded leaves the balance, while it is there', async () => {
    const id = await topUp(3_000)
    await buy()
    const refused = await operate(`payments/${id}/refund`)
    expect([refused.status, refused.body.code, refused.body.missing]).toEqual([409, 'balance_too_low', 2_000])
    await topUp(2_000)
    expect((await operate(`payments/${id}/refund`)).status).toBe(200)
    expect((await ledger()).at(-1)).toEqual('paid_out -3000 0')
    const again = await operate(`payments/${id}/refund`, { to: 'balance' })
    expect([again.status, again.body.code]).toEqual([409, 'already_refunded'])
  })

  it('is put right, and paid out, by operators; by owners alone from second_approval_from on', async () => {
    await topUp(49_000)
    expect((await operate('users/user-1/correct', { amount: 1_500, note: 'twice' })).status).toBe(200)
    const much = await operate('users/user-1/correct', { amount: -50_501 })
    expect([much.status, much.body.code, much.body.missing]).toEqual([409, 'balance_too_low', 1])
    // docs/transfer.example.json asks for two operators from 50,000 on.
    const out = (key: string, amount: number) =>
      operatorOf(world, key).post('/users/user-1/pay-out', { amount, why: 'asked for' })
    const refused = await out(ACCOUNTANT_KEY, 50_000)
    const named = { code: 'role_not_allowed', act: 'balance.pay_out', roles: ['owner'], most: 49_999 }
    expect([refused.status, refused.body]).toMatchObject([403, named])
    const paidOut = await out(OPERATOR_KEY, 50_000)
    expect([paidOut.status, paidOut.body.balance.amount]).toEqual([200, 500])
    expect(await ledger()).toEqual(['top_up 49000 49000', 'correction 1500 50500', 'paid_out -50000 500'])
    expect((await balance()).data[1].note).toBe('twice')
    const { audit } = (await operatorOf(world).get('/users/user-1')).body
    const balances = audit.map((one: Trail) => [one.before.balance, one.after.balance])
    expect(balances).toContainEqual([50_500, 500])
    const shown = await operatorOf(world).get('/users/user-1/balance')
    expect(shown.body).toEqual({ user_id: 'user-1', ...(await balance()) })
  })

  it('takes no more than BALANCE_MAX, and nothing below what the provider takes', async () => {
    await topUp(49_000)
    const over = await user.post(`${BALANCE}/top-ups`, { amount: 1_001 })
    expect([over.status, over.body.code, over.body.most]).toEqual([422, 'balance_limit_reached', 1_000])
    const under = await user.post(`${BALANCE}/top-ups`, { amount: 49 })
    expect(under.body.errors).toMatchObject([{ pointer: '/amount', code: 'too_small' }])
    // A larger amount could not be stored.
    const given = await operate('users/user-1/correct', { amount: 99_951_001 })
    expect(given.body.errors).toMatchObject([{ pointer: '/amount', code: 'too_large' }])
  })

  it('is answered with the order that was set, where another call ends it at once', async () => {
    const isOrder = (parameters: readonly unknown[]) => JSON.stringify(parameters).includes('standing_order')
    const contended = databaseWith(database, {
      query: async (asked, parameters = []) => {
        const rows = await database().query(asked, parameters)
        if (asked.name === 'settlements.save' && isOrder(parameters)) await database().query(endOrders)
        return rows
      },
    })
    const other = await beside({ env: ENV }, contended)
    const set = await other.as('user-1').put(`${BALANCE}/renewal`, { plan: 'pro' })
    const order = { plan: 'pro', months: 1, price: 2_000, next_at: null, offered_price: null }
    expect([set.status, set.body]).toEqual([200, order])
    expect((await balance()).renewal).toBeNull()
  })

  it('what cannot be ordered is refused as it is for a purchase', async () => {
    const code = async (body: object) => (await user.put(`${BALANCE}/renewal`, body)).body.code
    expect(await code({ plan: 'none' })).toBe('unknown_plan')
    expect(await code({ plan: 'free' })).toBe('plan_not_purchasable')
    expect(await code({ plan: 'pro', months: 5 })).toBe('unknown_term')
  })

  it('renews for real money where real money moves, also after BALANCE_MAX was set to 0', async () => {
    await topUp(4_000)
    await renew()
    await status()
    const { parts } = world.service
    const [gateway] = parts.methods.gateways
    if (!gateway) throw new Error('there is no gateway')
    const { database: db, clock } = parts
    const added = capability.methods?.({ balanceMax: 0 }, { database: db, clock, live: true }) ?? []
    const methods = createPaymentMethods({ ...gateway, live: true }, ...added)
    world.clock.advance(40 * DAY * 1_000)
    const user = await findUser(db, 'user-1')
    if (!user) throw new Error('the user is not known')
    await bookRenewals({ ...parts, methods }, { userId: 'user-1', user }, clock.now())
    const [row] = await db.query(selectLast)
    expect(row).toEqual({ live: true, instrument: 'balance', number: '20261' })
  })

  it('there is none without BALANCE_MAX', async () => {
    await restart()
    expect((await user.get(BALANCE)).status).toBe(404)
    expect((await user.post(`${BALANCE}/top-ups`, { amount: 5_000 })).status).toBe(404)
    const refused = await buy()
    expect([refused.status, refused.body.code]).toEqual([422, 'unknown_method'])
    expect((await operatorOf(world).get('/users/user-1')).body.balance).toBeUndefined()
  })

  it('without BALANCE_MAX money and order can be seen, ended and paid out, by their user alone', async () => {
    await topUp(5_000)
    await renew()
    await restart({ env: { PLANS_FILE, OPERATOR_KEYS } })
    const shown = await user.get(BALANCE)
    expect([shown.status, shown.body.amount, shown.body.renewal.plan]).toEqual([200, 3_000, 'pro'])
    expect((await world.as('user-2').get(BALANCE)).status).toBe(404)
    const ended = await user.delete(`${BALANCE}/renewal`)
    expect([ended.status, ended.body.renewal]).toEqual([200, null])
    expect((await renew()).status).toBe(405)
    const paidOut = await operate('users/user-1/pay-out', { amount: 3_000 })
    expect([paidOut.status, paidOut.body.balance.amount]).toEqual([200, 0])
  })
})
