// A month that was closed keeps its figures whatever comes later; what comes stands in the next open month,
// receipt by receipt, and both together are what is so now.
import { enterConsole } from '../../../../test/support/console.js'
import { describeOnEach } from '../../../../test/support/databases.js'
import { type OperatorCaller, operatorOf } from '../../../../test/support/operator.js'
import { COMPANY } from '../../../../test/support/receipt.js'
import { type ReplaceableClock, replaceableClock } from '../../../../test/support/replaceable-clock.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql, tampering } from '../../../../test/support/sql.js'
import { checkoutIdOf, createWorld, tokenOf, type World } from '../../../../test/support/world.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { bookDueRenewals } from '../balance/order.js'
import { refund } from '../ledger/refund.js'
import { movableClock } from '../runtime/clock.js'
import { checkClosedMonths } from './closing.js'

const DAY_MS = 86_400_000
const BILLING = '/api/v1/billing'
const selectClosings = sql('select act, month, actor, reason, last_closed from month_closings order by place')
const giveDetails =
  sql(`insert into users (user_id, created_at, buyer) values ($1, '2026-11-21T12:00:00Z', $2::jsonb)
       on conflict (user_id) do update set buyer = excluded.buyer, version = users.version + 1`)
describeOnEach('closing a month', ({ database }) => {
  let world: World
  let clock: ReplaceableClock
  let accountant: OperatorCaller
  let owner: OperatorCaller
  beforeEach(async () => {
    clock = replaceableClock(movableClock(Date.parse('2026-11-21T12:00:00Z')))
    const env = { BALANCE_MAX: '50000' }
    world = await createWorld(database(), { env, withoutJobs: true, clock })
    accountant = operatorOf(world, ROLE_KEYS.accountant)
    owner = operatorOf(world, ROLE_KEYS.owner)
    return () => world.stop()
  })

  const month = async (name: string) => (await owner.get(`/months/${name}`)).body
  const close = (name: string, by = accountant) => by.post(`/months/${name}/close`, {})
  const reopen = (name: string) => owner.post(`/months/${name}/reopen`, { why: 'an invoice was missing' })
  const pass = (days: number) => world.clock.advance(days * DAY_MS)
  /** All but what says that it was closed, and what is of the instant of looking. */
  const figuresIn = ({ closed: _, users: __, ...figures }: Record<string, unknown>) => figures
  const buyUnheard = async (userId: string) => {
    world.emulator.setFaults({ drop: { times: 1 } })
    return world.as(userId).buy()
  }
  const kindsIn = async (name: string) => {
    const { text } = await owner.get(`/exports/accounts?month=${name}`)
    const [head = [], ...rows] = text
      .trim()
      .split('\r\n')
      .map((line: string) => line.split(','))
    return rows.map((row) => Object.fromEntries(row.map((cell, place) => [head[place], cell])))
  }

  /** A balance with an order that renews in December, and a payment of November without a report. */
  async function november() {
    const paidIn = await world.as('saver').post(`${BILLING}/balance/top-ups`, { amount: 7_000 })
    await world.emulator.pay(checkoutIdOf(paidIn.body.checkout_url), 'paid')
    await world.emulator.settled()
    await world.as('saver').post(`${BILLING}/payments`, { plan: 'pro', method: 'balance' })
    const headers = { authorization: `Bearer ${await tokenOf({ sub: 'saver' })}` }
    await world.call('PUT', `${BILLING}/balance/renewal`, { body: { plan: 'pro', months: 1 }, headers })
    const { paymentId } = await world.as('card').buy()
    const late = await buyUnheard('late')
    return { paymentId, late: late.paymentId }
  }

  it('keeps its figures; what becomes known later stands in the next month, receipt by receipt', async () => {
    const { paymentId, late } = await november()
    pass(15)
    const before = await month('2026-11')
    expect((await close('2026-11')).body).toMatchObject({
      closed: { sequence: 1, by: 'accountant' },
      paid: { count: 2, ttc: 4_000 },
    })
    // A refund is of the month in which it is recorded.
    await owner.post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    await owner.post(`/payments/${late}/recheck`, {})
    const after = await month('2026-11')
    expect(figuresIn(after)).toEqual(figuresIn(before))
    const december = await month('2026-12')
    expect(december).toMatchObject({
      closed: null,
      ...{ paid: { count: 0 }, refunded: { count: 1, ttc: 2_000 } },
      after_closing: { months: [{ month: '2026-11', paid: { count: 1, ttc: 2_000 } }], balances: 0 },
    })
    const [closed, open] = [await kindsIn('2026-11'), await kindsIn('2026-12')]
    const sold = closed.filter(({ kind }) => kind === 'payment').map(({ user_id }) => user_id)
    expect(sold.sort()).toEqual(['card', 'saver'])
    expect(closed.find(({ kind }) => kind === 'total')).toMatchObject({
      ...{ total: '4000', closed_at_local: '2026-12-06 13:00:00' },
    })
    expect(open.map(({ kind }) => kind)).toEqual([
      ...['refund', 'total', 'after_closing', 'total_after_closing', 'owed_before', 'owed_after'],
    ])
    expect(open[2]).toMatchObject({ user_id: 'late', payment_id: late, paid_on: '2026-11-21' })
  })

  it('waits for renewals that are due, and knows by two closings what came later', async () => {
    await november()
    pass(15)
    await close('2026-11')
    pass(30)
    expect((await close('2026-12')).body).toMatchObject({ code: 'month_not_in_turn', unbooked: 1 })
    await bookDueRenewals(world.service.parts, 100)
    const december = await month('2026-12')
    expect(december).toMatchObject({ paid: { count: 1 }, owed_to_users: { earned: 2_000, owed: 3_000 } })
    expect((await close('2026-12')).status).toBe(200)
    expect((await month('2027-01')).owed_to_users).toMatchObject({ owed_before: 3_000 })
    // Late by two closings: it stands in January all the same.
    const heard = await owner.get('/payments?limit=100')
    const [unheard] = heard.body.data.filter(({ user_id }: { user_id: string }) => user_id === 'late')
    await owner.post(`/payments/${unheard.id}/recheck`, {})
    expect((await month('2027-01')).after_closing.months).toMatchObject([{ month: '2026-11' }])
    expect((await month('2026-12')).after_closing).toEqual({ months: [], balances: 0 })
  })

  it('knows what came later for a month before the first that was closed, on balances too', async () => {
    const asked = { amount: 3_000 }
    const { body: late } = await world.as('unheard').post(`${BILLING}/balance/top-ups`, asked)
    world.emulator.setFaults({ drop: { times: 1 } })
    await world.emulator.pay(checkoutIdOf(late.checkout_url), 'paid')
    await world.emulator.settled()
    await november()
    pass(45)
    await bookDueRenewals(world.service.parts, 100)
    const december = (await close('2026-12')).body.owed_to_users
    await owner.post(`/payments/${late.id}/recheck`, {})
    const january = await month('2027-01')
    expect(january.after_closing).toEqual({ months: [], balances: 3_000 })
    expect(january.owed_to_users.owed_before).toBe(december.owed + 3_000)
  })

  it('has what came later for it once when it is reopened', async () => {
    await world.as('card').buy()
    pass(15)
    await close('2026-11')
    const { paymentId } = await buyUnheard('late')
    pass(30)
    await close('2026-12')
    await owner.post(`/payments/${paymentId}/recheck`, {})
    expect((await month('2027-01')).after_closing.months).toMatchObject([{ month: '2026-12' }])
    await reopen('2026-12')
    const december = await month('2026-12')
    expect([december.paid.count, december.after_closing.months]).toEqual([1, []])
    expect((await month('2027-01')).after_closing).toBeNull()
  })

  it('waits ten minutes for what other processes record, by clocks of their own', async () => {
    const { paymentId } = await world.as('card').buy()
    const until = (instant: string) => world.clock.advance(Date.parse(instant) - world.clock.now())
    until('2026-11-30T23:09:59Z')
    expect((await close('2026-11')).body).toMatchObject({
      ...{ code: 'month_not_in_turn', ends_at: '2026-11-30T23:00:00Z' },
    })
    // Another process, whose clock is some minutes behind.
    const clock = { ...world.clock, now: () => Date.parse('2026-11-30T22:59:59Z') }
    const parts = { ...world.service.parts, clock }
    const by = callBy({ name: 'owner', role: 'owner' }, paymentId, { why: 'asked for' })
    await doAct(parts, refund, by)
    until('2026-11-30T23:10:00Z')
    expect((await close('2026-11')).body).toMatchObject({ refunded: { count: 1 } })
  })

  it('has nothing that is recorded later by a clock that was set back', async () => {
    const { paymentId } = await november()
    const other = await world.as('other').buy()
    const until = (instant: string) => world.clock.advance(Date.parse(instant) - world.clock.now())
    until('2026-11-30T23:15:00Z')
    const closed = (await close('2026-11')).body
    clock.become(movableClock(Date.parse('2026-11-30T20:00:00Z')))
    await owner.post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    await owner.post(`/payments/${other.paymentId}/refund`, { to: 'balance', why: 'kept' })
    await owner.post('/users/saver/pay-out', { amount: 100, why: 'given back' })
    await owner.post('/users/saver/correct', { amount: 30, why: 'a gift' })
    const sale = { plan: 'pro', method: 'cash', amount: 2020, new_user: true }
    await owner.post('/users/desk/record', { ...sale, reference: '1', why: 'at the desk' })
    const saved = { top_up: 3000, method: 'cheque', amount: 3000 }
    await owner.post('/users/saver/record', { ...saved, reference: '2', why: 'at the desk' })
    until('2026-12-01T10:00:00Z')
    const [before, december] = [await month('2026-11'), await month('2026-12')]
    expect(figuresIn(before)).toEqual(figuresIn(closed))
    expect(december).toMatchObject({
      ...{ paid: { count: 0 }, refunded: { count: 2, ttc: 4_000 } },
      after_closing: { months: [{ month: '2026-11', paid: { count: 1, ttc: 2_000 } }], balances: 3_000 },
      owed_to_users: { paid_out: 100, came_in: { returned: 2_000, corrected: 30 } },
    })
    const { owed_before, owed } = december.owed_to_users
    expect(owed_before).toBe(before.owed_to_users.owed + 3_000)
    expect(owed).toBe(owed_before + 2_000 + 30 - 100)
    const kinds = async (name: string) => (await kindsIn(name)).map(({ kind }) => kind)
    expect((await kinds('2026-11')).filter((kind) => kind === 'refund')).toEqual([])
    expect((await kinds('2026-12')).filter((kind) => kind === 'refund')).toEqual(['refund', 'refund'])
  })

  it('has no document that replaces another later, by a clock that was set back', async () => {
    const named = (userId: string, address: string) =>
      database().query(giveDetails, [userId, JSON.stringify({ ...COMPANY, address })])
    for (const userId of ['firm', 'other']) await named(userId, 'Alger')
    const { paymentId: refunded } = await world.as('firm').buy()
    const { paymentId: corrected } = await world.as('other').buy()
    const until = (instant: string) => world.clock.advance(Date.parse(instant) - world.clock.now())
    until('2026-11-30T23:15:00Z')
    await close('2026-11')
    const sales = async (name: string) => (await owner.get(`/months/${name}/sales`)).body.data
    const closed = await sales('2026-11')
    clock.become(movableClock(Date.parse('2026-11-30T20:00:00Z')))
    await owner.post(`/payments/${refunded}/refund`, { why: 'asked for' })
    await named('other', 'Annaba')
    await owner.post(`/payments/${corrected}/correct-invoice`, { why: 'another address' })
    until('2026-12-01T10:00:00Z')
    expect(await sales('2026-11')).toEqual(closed)
    const later = (await sales('2026-12')).map(({ kind, ttc }: Record<string, unknown>) => `${kind} ${ttc}`)
    expect(later.sort()).toEqual(['credit_note -2000', 'credit_note 0', 'invoice 0'])
  })

  it('says that somebody has changed the database, until it is as it was', async () => {
    const { paymentId } = await world.as('card').buy()
    pass(15)
    const { closed } = (await close('2026-11')).body
    expect(closed).toMatchObject({ declared: { sold: 1, ttc: 2_000, received: 2_000 }, differs: [] })
    const waiting = async () => {
      await checkClosedMonths(world.service.parts)
      return (await owner.get('/inbox?kind=month_differs')).body.data
    }
    expect(await waiting()).toEqual([])
    const cents = (by: number) =>
      database().script(
        tampering(`update documents set net_centimes = net_centimes + ${by},
          tax_centimes = tax_centimes - ${by} where payment_id = '${paymentId}'`),
      )
    await cents(100)
    expect(await waiting()).toMatchObject([{ id: '2026-11', next_act: 'month.reopen' }])
    expect((await month('2026-11')).closed).toMatchObject({ ...closed, differs: ['ht', 'tva'] })
    const page = async () => (await enterConsole(world, ROLE_KEYS.owner)).open('/console/months/2026-11')
    expect((await page()).text).toContain('Somebody has changed the database')
    await cents(-100)
    expect(await waiting()).toEqual([])
    expect((await page()).text).not.toContain('Somebody has changed the database')
  })

  it('is done once, in order, when the month is over; undone by an owner, from the last one on', async () => {
    const refusal = async (answer: Promise<{ status: number; body: Record<string, unknown> }>) => {
      const { status, body } = await answer
      return [status, body.code, body.ends_at ?? body.last_closed ?? body.closed_at]
    }
    const { late } = await november()
    expect(await refusal(close('2026-11'))).toEqual([409, 'month_not_in_turn', '2026-11-30T23:00:00Z'])
    pass(15)
    const both = await Promise.all([close('2026-11'), close('2026-11', owner)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await refusal(close('2026-11'))).toEqual([409, 'conflict', '2026-12-06T12:00:00Z'])
    pass(60)
    await bookDueRenewals(world.service.parts, 100)
    expect(await refusal(close('2027-01'))).toEqual([409, 'month_not_in_turn', '2026-11'])
    expect(await refusal(close('2026-10'))).toEqual([409, 'month_not_in_turn', '2026-11'])
    expect((await close('2026-12')).status).toBe(200)
    expect(await refusal(reopen('2026-11'))).toEqual([409, 'month_not_in_turn', '2026-12'])
    expect((await accountant.post('/months/2026-12/reopen', { why: 'x' })).status).toBe(403)
    expect((await owner.post('/months/2026-12/reopen', {})).status).toBe(422)
    for (const name of ['2026-12', '2026-11']) expect((await reopen(name)).body.closed).toBeNull()
    expect(await refusal(reopen('2026-11'))).toEqual([409, 'conflict', null])
    await owner.post(`/payments/${late}/recheck`, {})
    expect((await month('2026-11')).paid.count).toBe(3)
    expect((await month('2026-12')).after_closing).toBeNull()
    expect((await close('2026-11')).body).toMatchObject({ closed: { sequence: 2 }, paid: { count: 3 } })
    expect((await month('2026-12')).after_closing).toEqual({ months: [], balances: 0 })
    const rows = await database().query(selectClosings)
    expect(rows.map(({ act, month, last_closed }) => [act, month, last_closed])).toEqual([
      ['close', '2026-11', '2026-11'],
      ['close', '2026-12', '2026-12'],
      ['reopen', '2026-12', '2026-11'],
      ['reopen', '2026-11', null],
      ['close', '2026-11', '2026-11'],
    ])
    const { data } = (await owner.get('/audit?limit=100')).body
    const acts = data.map(({ act }: { act: string }) => act).filter((act: string) => act.startsWith('month.'))
    expect(acts.sort()).toEqual([...Array(3).fill('month.close'), ...Array(2).fill('month.reopen')])
  })
})
