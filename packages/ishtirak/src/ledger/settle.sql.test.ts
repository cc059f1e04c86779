// Many changes saved as one statement: each user's wholly or not at all, and independent of the others.
import { describe, expect, it } from 'vitest'
import { bookingOf } from '../../../../test/support/bookings.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { aPayment, aReport, NOON } from '../../../../test/support/fixtures.js'
import { insertRequestedPayments } from '../checkout/upgrade.sql.js'
import type { PaymentStatus } from '../core/payment.js'
import { statement } from '../database/database.js'
import type { BalanceEntry } from './balance-entries.sql.js'
import { createSettlements, type SettlementChange, saveSettlements } from './settle.sql.js'

const selectReceipts = statement(
  'test.receipts',
  'select user_id, series, number from receipts order by series, number',
)
const selectPaid = statement(
  'test.paid',
  `select user_id from payments where status = 'paid' order by user_id`,
)

const selectVersions = statement('test.versions', 'select user_id, version from users')
const selectEvents = statement('test.events', 'select user_id, id, payment_id from provider_events')
const bookWithoutReceipt = statement(
  'test.book_without_receipt',
  `update payments set status = $2, paid_at = created_at, period_start = created_at,
          period_end = created_at + interval '1 month'
    where user_id = $1`,
)
const insertPaid = statement(
  'test.insert_paid',
  `insert into payments (user_id, id, plan, amount, currency, live, status, created_at, expires_at,
    attempt_ends_at,
                         paid_at, period_start, period_end)
   select user_id, 'pay_second', plan, amount, currency, live, 'paid', created_at, expires_at,
     attempt_ends_at,
          created_at, created_at, created_at + interval '1 month'
     from payments where user_id = $1`,
)
const makeTopUp = statement(
  'test.make_top_up',
  `update payments set kind = 'top_up', plan = $2::jsonb, months = $3, discount = $4 where user_id = $1`,
)
const changeEntries = statement('test.change_entries', 'update balance_entries set note = $$other$$')
const deleteEntries = statement('test.delete_entries', 'delete from balance_entries')
/** Of the payment that `booking` books, as a top-up. */
const FIRST: BalanceEntry = {
  ...{ sequence: 1, id: 'ent_1', kind: 'top_up', amount: 2_000, paymentId: 'pay_a', note: null },
  ...{ balanceBefore: 0, balanceAfter: 2_000, createdAt: NOON },
}
const deleteReceipts = statement('test.delete_receipts', 'delete from receipts')

describeScenario('changes that are saved together', ({ database }) => {
  const requested = async (userId: string) => {
    const payment = aPayment({
      userId,
      id: `pay_${userId}`,
      status: 'requested',
      checkoutId: null,
      checkoutUrl: null,
    })
    const written = await insertRequestedPayments(database(), [{ user: { userId }, version: null, payment }])
    expect(written).toEqual([true])
    return { payment, version: 1 }
  }
  const booking = async (
    userId: string,
    options: { series?: string; eventId?: string } = {},
  ): Promise<SettlementChange> => {
    const { payment, version } = await requested(userId)
    const opened = { ...payment, checkoutId: `chk_${userId}`, checkoutUrl: 'https://pay.example' }
    const { series, eventId = `evt_${userId}` } = options
    return bookingOf(opened, { version, eventId, series })
  }
  const paid = async () => (await database().query(selectPaid)).map((row) => row.user_id)
  const numbers = async () =>
    (await database().query(selectReceipts)).map((row) => `${row.user_id} ${row.series}-${row.number}`)

  it(
    'an event that changes nothing is kept once, at the version it was decided on, and moves ' + 'none',
    async () => {
      const { version } = await requested('a')
      const settlements = createSettlements(database())
      const received = {
        method: 'chargily',
        id: 'evt_idle',
        type: 'checkout.paid',
        outcome: 'unchanged',
        report: aReport(),
        receivedAt: NOON,
      }
      const idle = { userId: 'a', version, paymentId: 'pay_a', received }
      expect(await settlements.keep({ ...idle, version: version - 1 })).toBe('stale')
      expect(await Promise.all([settlements.keep(idle), settlements.keep(idle)])).toEqual([
        'saved',
        'duplicate',
      ])
      // The ids of events are each method's own.
      const other = { ...idle, received: { ...received, method: 'pretend' } }
      expect(await settlements.keep(other)).toBe('saved')
      expect(await database().query(selectVersions)).toEqual([{ user_id: 'a', version }])
      expect(await database().query(selectEvents)).toEqual([
        { user_id: 'a', id: 'evt_idle', payment_id: 'pay_a' },
        { user_id: 'a', id: 'evt_idle', payment_id: 'pay_a' },
      ])
    },
  )

  it('are all there, with receipt numbers that follow each other in each series', async () => {
    await saveSettlements(database(), [await booking('a')])
    const changes = [await booking('b'), await booking('c', { series: '2027' }), await booking('d')]
    expect(await saveSettlements(database(), changes)).toEqual(['saved', 'saved', 'saved'])
    expect(await numbers()).toEqual(['a 2026-1', 'b 2026-2', 'd 2026-3', 'c 2027-1'])
  })

  it('do not mind a neighbour whose facts were stale, and draw no number for it', async () => {
    const late = await booking('b')
    const changes = [await booking('a'), { ...late, version: late.version - 1 }, await booking('c')]
    expect(await saveSettlements(database(), changes)).toEqual(['saved', 'stale', 'saved'])
    expect(await paid()).toEqual(['a', 'c'])
    expect(await numbers()).toEqual(['a 2026-1', 'c 2026-2'])
  })

  it('are saved beside one whose event is known, which changes nothing', async () => {
    await saveSettlements(database(), [await booking('a')])
    const known = await booking('b')
    const again: SettlementChange = { ...known, userId: 'a', version: known.version + 1 }
    const duplicate = { ...again, received: known.received && { ...known.received, id: 'evt_a' } }
    expect(await saveSettlements(database(), [duplicate, await booking('c')])).toEqual(['duplicate', 'saved'])
    expect(await paid()).toEqual(['a', 'c'])
    expect(await numbers()).toEqual(['a 2026-1', 'c 2026-2'])
  })

  // Each change names the version it was decided on, so no use case comes here: the last reader of the rule
  // refuses a bug.
  it('what is paid or refunded becomes nothing else, and nothing of such a change is saved', async () => {
    for (const [userId, is, becomes] of [
      ['a', 'paid', 'expired'],
      ['b', 'paid', 'pending'],
      ['c', 'refunded', 'paid'],
      ['d', 'refunded', 'failed'],
    ] as const) {
      const change = await booking(userId)
      await saveSettlements(database(), [change])
      let version = change.version + 1
      const to = (status: PaymentStatus): SettlementChange => {
        const payment = change.payment && { ...change.payment, status }
        return { ...change, version, payment, received: null, receipt: null }
      }
      if (is === 'refunded') expect(await saveSettlements(database(), [to(is)])).toEqual(['saved'])
      version += is === 'refunded' ? 1 : 0
      await expect(saveSettlements(database(), [to(becomes)])).rejects.toMatchObject({
        name: 'ConstraintViolation',
        message: expect.stringContaining(`pay_${userId} is ${is} and cannot become ${becomes}`),
      })
      expect(await database().query(selectVersions)).toContainEqual({ user_id: userId, version })
    }
  })

  describe('which fields belong to which kind of payment, the database says', () => {
    const refused = { name: 'ConstraintViolation', constraint: 'plan_is_bought_but_by_top_ups' }
    it('a top-up has no plan, months or discount, buys no time, and is on the balance', async () => {
      await requested('b')
      for (const [plan, months, discount] of [
        ['{"id":"pro"}', null, 0],
        [null, 1, 0],
        [null, null, 100],
      ] as const) {
        const change = database().query(makeTopUp, ['b', plan, months, discount])
        await expect(change).rejects.toMatchObject(refused)
      }
      const { payment, subscription, ...change } = await booking('a')
      await database().query(makeTopUp, ['a', null, null, 0])
      await expect(saveSettlements(database(), [{ ...change, payment, subscription }])).rejects.toMatchObject(
        {
          constraint: 'paid_bought_a_period',
        },
      )
      const booked = payment && { ...payment, periodStart: null, periodEnd: null }
      const without = { ...change, payment: booked, subscription }
      await expect(saveSettlements(database(), [without])).rejects.toMatchObject({
        constraint: 'paid_by_balance_has_an_entry',
      })
      const balance = { amount: 2_000, entries: 1, since: NOON, order: null }
      const entry = { ...FIRST, balanceBefore: 0, balanceAfter: 2_000 }
      const whole = { ...without, subscription: { ...subscription, balance }, entry }
      expect(await saveSettlements(database(), [whole])).toEqual(['saved'])
    })

    it('a paid purchase has bought time', async () => {
      const { payment, ...change } = await booking('a')
      const booked = payment && { ...payment, periodStart: null, periodEnd: null }
      await expect(saveSettlements(database(), [{ ...change, payment: booked }])).rejects.toMatchObject({
        constraint: 'paid_bought_a_period',
      })
    })
  })

  describe('a balance is a chain of entries. The database refuses', () => {
    const topUp = async (entry: Partial<BalanceEntry>, amount = 2_000) => {
      const { payment, subscription, ...change } = await booking('a')
      await database().query(makeTopUp, ['a', null, null, 0])
      const balance = { amount, entries: entry.sequence ?? 1, since: NOON, order: null }
      return saveSettlements(database(), [
        {
          ...change,
          payment: payment && { ...payment, periodStart: null, periodEnd: null },
          subscription: { ...subscription, balance },
          entry: { ...FIRST, ...entry },
        },
      ])
    }
    const refused = (constraint: string) => ({ name: 'ConstraintViolation', constraint })

    it('one that does not add up', async () => {
      const saved = topUp({ balanceAfter: 2_001 }, 2_001)
      await expect(saved).rejects.toMatchObject(refused('balance_adds_up'))
    })

    it('one that begins with more than nothing, or follows on none', async () => {
      const begun = topUp({ balanceBefore: 1, balanceAfter: 2_001 }, 2_001)
      await expect(begun).rejects.toMatchObject(refused('balance_begins_with_nothing'))
    })

    it('one that follows on none', async () => {
      const saved = topUp({ sequence: 2 })
      await expect(saved).rejects.toMatchObject(refused('balance_follows_on_an_entry'))
    })

    it('a balance that is not the last entry’s', async () => {
      const saved = topUp({}, 1_999)
      await expect(saved).rejects.toMatchObject(refused('balance_is_the_last_entrys'))
    })

    it('less than nothing', async () => {
      const saved = topUp({ kind: 'correction', paymentId: null, amount: -1, balanceAfter: -1 }, 0)
      await expect(saved).rejects.toMatchObject(refused('balance_is_not_negative'))
    })

    it('another word of an entry that is written, and its loss', async () => {
      await topUp({})
      const changed = database().query(changeEntries)
      await expect(changed).rejects.toMatchObject({ message: expect.stringContaining('append-only') })
      const deleted = database().query(deleteEntries)
      await expect(deleted).rejects.toMatchObject({ message: expect.stringContaining('append-only') })
    })
  })

  describe('paid means: has a receipt. The database refuses', () => {
    const refused = { name: 'ConstraintViolation', constraint: 'paid_has_a_receipt' }

    it('a booking without one, whatever statement tries', async () => {
      const { receipt, ...change } = await booking('a')
      await expect(saveSettlements(database(), [{ ...change, receipt: null }])).rejects.toMatchObject(refused)
      for (const status of ['paid', 'refunded'])
        await expect(database().query(bookWithoutReceipt, ['a', status])).rejects.toMatchObject(refused)
      await expect(database().query(insertPaid, ['a'])).rejects.toMatchObject(refused)
      expect([await paid(), receipt?.series]).toEqual([[], '2026'])
    })

    it('to lose the receipt of a payment that is paid', async () => {
      await saveSettlements(database(), [await booking('a')])
      await expect(database().query(deleteReceipts)).rejects.toMatchObject(refused)
      expect(await numbers()).toEqual(['a 2026-1'])
    })
  })
})
