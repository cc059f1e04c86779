import { bookingOf } from '../../../../test/support/bookings.js'
import { describeOnEach } from '../../../../test/support/databases.js'
import { aPayment, aReport, NOON } from '../../../../test/support/fixtures.js'
import { insertRequestedPayments } from '../checkout/upgrade.sql.js'
import type { PaymentStatus } from '../core/payment.js'
import { statement } from '../database/database.js'
import { at } from '../database/rows.js'
import { EXAMPLE_SELLER } from '../runtime/seller.js'
import { type BalanceEntry, entryToColumns } from './balance-entries.sql.js'
import { documentsOfPayment, sellerHash } from './documents.sql.js'
import { createSettlements, saveSettlements } from './settle.sql.js'
import type { SettlementChange } from './settlement-change.js'

const selectReceipts = statement(
  'test.receipts',
  'select user_id, series, number from documents order by series, number',
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
          attempt_ends_at, paid_at, period_start, period_end)
   select user_id, 'pay_second', plan, amount, currency, live, 'paid', created_at, expires_at,
          attempt_ends_at, created_at, created_at, created_at + interval '1 month'
     from payments where user_id = $1`,
)
const makeTopUp = statement(
  'test.make_top_up',
  `update payments set kind = 'top_up', plan = $2::jsonb, months = $3, discount = $4 where user_id = $1`,
)
const changeEntries = statement('test.change_entries', 'update balance_entries set note = $$other$$')
const deleteEntries = statement('test.delete_entries', 'delete from balance_entries')
/** Makes a document of a seller that `seller_versions` does not have. */
const forgetSeller = statement(
  'test.forget_seller',
  `insert into documents
   select (jsonb_populate_record(d, '{"seller": "nobody", "place": 1, "number": 9}')).* from documents d`,
)
const selectSellers = statement(
  'test.sellers',
  `select count(d.*)::int as documents from seller_versions v join documents d on d.seller = v.hash
    group by v.hash`,
)

describeOnEach('changes that are saved together', ({ database }) => {
  const requested = async (userId: string) => {
    const open = { status: 'requested', checkoutId: null, checkoutUrl: null } as const
    const payment = aPayment({ userId, id: `pay_${userId}`, ...open })
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
  const sellers = () => database().query(selectSellers)
  const numbers = async () =>
    (await database().query(selectReceipts)).map((row) => `${row.user_id} ${row.series}-${row.number}`)

  it('an event that changes nothing is kept once, at the version it was decided on', async () => {
    const { version } = await requested('a')
    const settlements = createSettlements(database())
    const event = { method: 'chargily', id: 'evt_idle', type: 'checkout.paid', outcome: 'unchanged' }
    const received = { ...event, report: aReport(), receivedAt: NOON }
    const idle = { userId: 'a', version, paymentId: 'pay_a', received }
    expect(await settlements.storeIdle({ ...idle, version: version - 1 })).toBe('stale')
    const twice = await Promise.all([settlements.storeIdle(idle), settlements.storeIdle(idle)])
    expect(twice).toEqual(['saved', 'duplicate'])
    // Each method has event ids of its own.
    const other = { ...idle, received: { ...received, method: 'pretend' } }
    expect(await settlements.storeIdle(other)).toBe('saved')
    expect(await database().query(selectVersions)).toEqual([{ user_id: 'a', version }])
    const kept = { user_id: 'a', id: 'evt_idle', payment_id: 'pay_a' }
    expect(await database().query(selectEvents)).toEqual([kept, kept])
  })

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
    const again: SettlementChange = { ...known, user_id: 'a', version: known.version + 1 }
    const duplicate = { ...again, received: known.received && { ...known.received, id: 'evt_a' } }
    expect(await saveSettlements(database(), [duplicate, await booking('c')])).toEqual(['duplicate', 'saved'])
    expect(await paid()).toEqual(['a', 'c'])
    expect(await numbers()).toEqual(['a 2026-1', 'c 2026-2'])
  })

  // No use case gets here, because revisions name their version. The database refuses a bug.
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
        const payment = { ...change.payment, status }
        return { ...change, version, payment, received: undefined, documents: [] }
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

  const refusalOf = (change: Promise<unknown>) =>
    change.then(
      () => 'saved',
      (error: { readonly name: string; readonly constraint?: string; readonly message: string }) =>
        error.name === 'ConstraintViolation' && (error.constraint ?? error.message),
    )
  const refusalOfSaving = (change: SettlementChange) => refusalOf(saveSettlements(database(), [change]))

  const timeless = (payment: SettlementChange['payment']) =>
    payment && { ...payment, period_start: null, period_end: null }
  const topUp = async (userId: string, of: Partial<BalanceEntry> = {}, amount = 2_000) => {
    const { payment, subscription, ...change } = await booking(userId)
    await database().query(makeTopUp, [userId, null, null, 0])
    const entry: BalanceEntry = {
      ...{ sequence: 1, id: `ent_${userId}`, kind: 'top_up', amount: 2_000, paymentId: `pay_${userId}` },
      ...{ note: null, balanceBefore: 0, balanceAfter: 2_000, createdAt: NOON, ...of },
    }
    const balance = { balance: amount, balance_entry: entry.sequence, balance_since: at(NOON) }
    return {
      ...change,
      ...{ payment: timeless(payment), subscription: { ...subscription, ...balance } },
      entry: entryToColumns(entry),
    }
  }

  it('a top-up has no plan, months or discount and is on the balance; a purchase bought time', async () => {
    await requested('b')
    for (const [plan, months, discount] of [
      ['{"id":"pro"}', null, 0],
      [null, 1, 0],
      [null, null, 100],
    ] as const) {
      const change = database().query(makeTopUp, ['b', plan, months, discount])
      expect.soft(await refusalOf(change)).toBe('fields_fit_the_kind')
    }
    const purchase = await booking('a')
    expect(await refusalOfSaving({ ...purchase, payment: timeless(purchase.payment) })).toBe(
      'paid_bought_a_period',
    )
    const whole = await topUp('c')
    const unwritten = { ...whole, entry: undefined }
    const bought = { ...whole.payment, period_start: at(NOON), period_end: at(NOON + 1) }
    expect(await refusalOfSaving({ ...unwritten, payment: bought })).toBe('paid_bought_a_period')
    const { subscription } = await booking('d')
    expect(await refusalOfSaving({ ...unwritten, subscription })).toBe('paid_by_balance_has_an_entry')
    expect(await refusalOfSaving(whole)).toBe('saved')
  })

  it('a balance is a chain of entries that add up, begin with nothing and are never changed', async () => {
    const rows: readonly (readonly [rule: string, Partial<BalanceEntry>, amount?: number])[] = [
      ['balance_adds_up', { balanceAfter: 2_001 }, 2_001],
      ['balance_begins_with_nothing', { balanceBefore: 1, balanceAfter: 2_001 }, 2_001],
      ['balance_follows_on_an_entry', { sequence: 2 }],
      ['balance_is_the_last_entrys', {}, 1_999],
      ['balance_is_not_negative', { kind: 'correction', paymentId: null, amount: -1, balanceAfter: -1 }, 0],
      ['saved', {}],
    ]
    for (const [index, [rule, entry, amount]] of rows.entries())
      expect.soft(await refusalOfSaving(await topUp(`u${index}`, entry, amount)), rule).toBe(rule)
    for (const change of [changeEntries, deleteEntries])
      await expect(database().query(change)).rejects.toThrow('append-only')
  })

  it('a document says the amount that was booked, and names a seller that is kept once', async () => {
    const change = await booking('a')
    const [document] = change.documents
    if (!document) throw new Error('a booking has a document')
    const other = { ...document, net_centimes: document.net_centimes + 1 }
    const saving = saveSettlements(database(), [{ ...change, documents: [other] }])
    await expect(saving).rejects.toThrow('document of payment pay_a has another amount')
    expect(await refusalOfSaving(change)).toBe('saved')
    await expect(database().query(forgetSeller)).rejects.toThrow('document of payment pay_a has no seller')
    const { identity } = EXAMPLE_SELLER
    const moved = { ...identity, address: { ar: 'وهران', en: 'Oran', fr: 'Oran' } }
    const later = [await booking('b'), await booking('c'), await booking('d')].map((one, index) => ({
      ...one,
      documents: one.documents.map((each) => (index === 2 ? each : { ...each, seller: sellerHash(moved) })),
    }))
    expect(await saveSettlements(database(), later)).toEqual(['saved', 'saved', 'saved'])
    expect(await sellers()).toEqual([{ documents: 2 }, { documents: 2 }])
    const [kept] = await documentsOfPayment(database(), { userId: 'c', id: 'pay_c' })
    expect(kept?.snapshot.seller).toEqual(moved)
  })

  it('paid means: has a receipt, whatever statement tries', async () => {
    const NO_RECEIPT = 'paid_has_a_receipt'
    expect(await refusalOfSaving({ ...(await booking('a')), documents: [] })).toBe(NO_RECEIPT)
    for (const status of ['paid', 'refunded'])
      expect(await refusalOf(database().query(bookWithoutReceipt, ['a', status]))).toBe(NO_RECEIPT)
    expect(await refusalOf(database().query(insertPaid, ['a']))).toBe(NO_RECEIPT)
    expect(await paid()).toEqual([])
    await saveSettlements(database(), [await booking('b')])
    await expect(database().script('delete from documents')).rejects.toThrow('append-only')
    await expect(database().script('update documents set net_centimes = 1')).rejects.toThrow('append-only')
    expect(await numbers()).toEqual(['b 2026-1'])
  })
})
