// A month, added up three ways: its figures, the lines of the accountant's file and the payments one by one
// agree to the centime, with cards, cash, cheques, discounts, refunds of the same and of an earlier month,
// and money that was heard of after the month.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { CODE_ENV, makeCodes, PERCENT } from '../../../../test/support/codes.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, type OperatorCaller, operatorOf } from '../../../../test/support/operator.js'
import { checkoutIdOf, createWorld, type World } from '../../../../test/support/world.js'
import { statement } from '../database/database.js'
import { countReceipts } from './figures.sql.js'

const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-months-'))
afterAll(() => rmSync(folder, { recursive: true }))
const SELLER_FILE = path.join(folder, 'seller.json')
const seller = JSON.parse(readFileSync('docs/seller.example.json', 'utf8'))
const tax = [{ from: '2024-01-01', kind: 'vat', rate_percent: 19 }]
writeFileSync(SELLER_FILE, JSON.stringify({ ...seller, tax }))
const HOUR = 3_600
const DAY = 86_400

/** In test mode the provider keeps nothing. */
const setFees = statement(
  'test.months.fees',
  `update payments set reports = jsonb_set(reports, '{-1,fees}', '50') where user_id = $1
    and method = 'chargily'`,
)
const forgetFees = statement(
  'test.months.no_fees',
  `update payments set reports = jsonb_build_array((reports->-1) - 'fees') where user_id = $1`,
)
const restoreNothing = statement(
  'test.months.emptied',
  'truncate daily_figures, daily_balances, counted_receipts',
)

describeScenario('a month', ({ database }) => {
  let world: World
  let operator: OperatorCaller
  beforeEach(async () => {
    const env = { ...OPERATOR_ENV, ...CODE_ENV, SELLER_FILE, BALANCE_MAX: '10000' }
    world = await createWorld(database(), { env, withoutJobs: true })
    operator = operatorOf(world)
  })
  afterEach(() => world.stop())

  const month = async (name: string) => (await operator.get(`/months/${name}`)).body
  const refund = (id: string) => operator.post(`/payments/${id}/refund`, { why: 'asked for' })
  const atDesk = (userId: string, method: string, amount: number) =>
    operator.post(`/users/${userId}/record`, {
      new_user: true,
      plan: 'pro',
      method,
      amount,
      reference: `${userId}/1`,
      why: 'paid',
    })
  const buyWith = async (userId: string, code: string) => {
    const { body } = await world.as(userId).post('/api/v1/billing/payments', { plan: 'pro', code })
    await world.emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
    await world.emulator.settled()
  }

  /** From 21 November to 2 December, with two midnights of Algiers in between that UTC has an hour later. */
  async function twoMonths() {
    const first = await world.as('card').buy()
    const given = await world.as('given').buy('cib')
    await buyWith('code', (await makeCodes(operator, PERCENT)).code)
    await atDesk('cash', 'cash', 2020)
    await atDesk('cheque', 'cheque', 2000)
    await refund(given.paymentId)
    world.clock.advance((9 * DAY + 10.9 * HOUR) * 1_000)
    world.emulator.setFaults({ drop: { times: 1 } })
    // 23:54 in Algiers.
    const late = await world.as('late').buy()
    world.clock.advance(0.2 * HOUR * 1_000)
    await operator.post(`/payments/${late.paymentId}/recheck`, {})
    await world.as('december').buy()
    await world.as('given').buy()
    world.clock.advance(DAY * 1_000)
    await refund(first.paymentId)
    await database().query(setFees, ['card'])
    await database().query(forgetFees, ['late'])
    return { late: late.paymentId }
  }

  type Sums = Record<'count' | 'ht' | 'tva' | 'ttc' | 'stamp_duty' | 'total', number>
  const NOTHING: Sums = { count: 0, ht: 0, tva: 0, ttc: 0, stamp_duty: 0, total: 0 }
  const cents = (dinars: number) => Math.round(dinars * 100)
  const add = (to: Sums, { ttc, duty }: { ttc: number; duty: number }): Sums => {
    const ht = Math.round((ttc * 10_000) / 119)
    const sums = [1, ht, cents(ttc) - ht, cents(ttc), cents(duty), cents(ttc) + cents(duty)]
    return Object.fromEntries(
      Object.entries(to).map(([name, sum], n) => [name, sum + (sums[n] ?? 0)]),
    ) as Sums
  }
  const monthIn = (at: string) => new Date(Date.parse(at) + HOUR * 1_000).toISOString().slice(0, 7)

  /** From the payments one by one, with the tax worked out here. */
  async function added(name: string) {
    let [paid, refunded] = [NOTHING, NOTHING]
    for (const { id, amount, paid_at } of (await operator.get('/payments?limit=100')).body.data) {
      const file = await operator.payment(id)
      if (paid_at && monthIn(paid_at) === name)
        paid = add(paid, { ttc: amount, duty: file.receipt.stamp_duty })
      const gone = file.audit.filter(
        ({ act, at }: { act: string; at: string }) => act === 'payment.refund' && monthIn(at) === name,
      )
      for (const _ of gone) refunded = add(refunded, { ttc: amount, duty: 0 })
    }
    return { paid, refunded }
  }

  /** From the lines of the file; the last is its own total. */
  async function lines(name: string, format: 'plain' | 'excel' = 'plain') {
    const { text } = await operator.get(`/exports/accounts?month=${name}&format=${format}`)
    const separator = format === 'excel' ? ';' : ','
    const [, ...rows] = text
      .replace('\ufeff', '')
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(separator))
    // In French above a French spreadsheet: the columns are the same ones.
    const head = (await operator.get(`/exports/accounts?month=${name}`)).text
      .split('\r\n', 1)
      .flatMap((line: string) => line.split(','))
    const read = (cell = '') => (/^-?\d+([.,]\d+)?$/.test(cell) ? Number(cell.replace(',', '.')) : cell)
    return rows.map((row) =>
      Object.fromEntries(head.map((column: string, n: number) => [column, read(row[n])])),
    )
  }
  const sumOf = (rows: readonly Record<string, unknown>[], column: string) =>
    rows.reduce((sum, row) => sum + cents(Number(row[column])), 0)
  const inCents = (figures: Readonly<Record<string, number>>, like: object) =>
    Object.fromEntries(
      Object.keys(like).map((name) => [name, name === 'count' ? figures[name] : cents(figures[name] ?? 0)]),
    )

  it('counts money on a balance once: when it is spent, not when it is paid in', async () => {
    const user = world.as('saver')
    const paidIn = await user.post('/api/v1/billing/balance/top-ups', { amount: 6_000 })
    await world.emulator.pay(checkoutIdOf(paidIn.body.checkout_url), 'paid')
    await world.emulator.settled()
    expect((await month('2026-11')).paid).toMatchObject({ count: 0, total: 0 })
    const bought = await user.post('/api/v1/billing/payments', { plan: 'pro', method: 'balance' })
    expect([bought.status, bought.body.status]).toEqual([201, 'paid'])
    expect((await month('2026-11')).paid).toMatchObject({ count: 1, total: 2_000 })
    expect((await month('2026-11')).uncounted).toBe(0)
    const rows = await lines('2026-11')
    expect(rows.filter(({ kind }) => kind === 'payment').map(({ method }) => method)).toEqual(['balance'])
    // Both have a receipt, and a number; what went to the balance is no sale.
    const { data } = (await operator.get('/months/2026-11/receipts')).body
    const byNumber = (one: { receipt: string }, other: { receipt: string }) =>
      one.receipt.localeCompare(other.receipt)
    expect(data.sort(byNumber)).toMatchObject([
      { receipt: 'TEST-2026-000001', plan: null, ttc: 0, tva: 0, advance: 6_000, total: 6_000 },
      { receipt: 'TEST-2026-000002', plan: 'pro', ttc: 2_000, advance: 0, total: 2_000 },
    ])
  })

  it('is the same in its figures, in the lines of the file and in the payments', async () => {
    await twoMonths()
    for (const name of ['2026-11', '2026-12']) {
      const { paid, refunded, balance, by_day, by_method, by_rate, uncounted } = await month(name)
      const expected = await added(name)
      expect(uncounted).toBe(0)
      expect([name, inCents(paid, NOTHING)]).toEqual([name, expected.paid])
      expect([name, inCents(refunded, NOTHING)]).toEqual([name, expected.refunded])
      for (const parts of [by_day, by_method, by_rate]) {
        for (const kind of ['paid', 'refunded'] as const) {
          const of = parts.map((part: Record<typeof kind, Record<string, unknown>>) => part[kind])
          for (const column of ['ht', 'tva', 'ttc', 'total', 'fees', 'net'])
            expect(sumOf(of, column)).toBe(cents((kind === 'paid' ? paid : refunded)[column]))
        }
      }
      for (const format of ['plain', 'excel'] as const) {
        const rows = await lines(name, format)
        const total = rows.pop() ?? {}
        for (const column of ['ht', 'tva', 'ttc', 'stamp_duty', 'total', 'fees', 'net']) {
          expect([column, sumOf(rows, column)]).toEqual([column, cents(balance[column])])
          expect([column, cents(Number(total[column]))]).toEqual([column, cents(balance[column])])
        }
        const [payment, refund] = format === 'excel' ? ['paiement', 'remboursement'] : ['payment', 'refund']
        expect(rows.filter(({ kind }) => kind === payment).length).toBe(paid.count)
        expect(rows.filter(({ kind }) => kind === refund).length).toBe(refunded.count)
      }
    }
  })

  it(
    'has a payment in the month it was paid in, whenever it was heard of, and a refund in that of its ' +
      'recording',
    async () => {
      const { late } = await twoMonths()
      const november = await month('2026-11')
      expect(november).toMatchObject({
        from: '2026-10-31T23:00:00Z',
        to: '2026-11-30T23:00:00Z',
        live: false,
        paid: {
          count: 6,
          ttc: 11_700,
          discount: 300,
          stamp_duty: 20,
          total: 11_720,
          fees: 50,
          fees_unknown: 1,
          net: 11_670,
        },
        refunded: { count: 1, ttc: 2000, stamp_duty: 0, fees: 0 },
        balance: { total: 9720, net: 9670 },
        users: { new: 6, renewed: 0 },
      })
      expect(november.by_day.length).toBe(30)
      expect(november.by_day.at(-1)).toMatchObject({ day: '2026-11-30', paid: { count: 1 } })
      expect((await operator.payment(late)).receipt.issued_at).toBe('2026-11-30T23:06:00Z')
      expect(await month('2026-12')).toMatchObject({
        paid: { count: 2, fees: 0, fees_unknown: 0 },
        refunded: { count: 1 },
        users: { new: 1, renewed: 1 },
      })
      const methods = november.by_method.map(({ method }: { method: string }) => method)
      expect([methods[0], methods.sort()]).toEqual(['chargily', ['cash', 'chargily', 'chargily', 'cheque']])
    },
  )

  it('says whose time ended and was not continued, and how many end in the next seven days', async () => {
    await world.as('u-1').buy()
    const { paymentId } = await world.as('u-2').buy()
    await refund(paymentId)
    world.clock.advance(23.5 * DAY * 1_000)
    expect((await month('2026-11')).users).toMatchObject({ lapsed: 1, ends_in_7_days: 1 })
    world.clock.advance(7 * DAY * 1_000)
    expect((await month('2026-12')).users).toMatchObject({ lapsed: 1, ends_in_7_days: 0 })
    await world.as('u-1').buy()
    expect((await month('2026-12')).users).toMatchObject({ lapsed: 0 })
  })

  it(
    'counts each receipt once, however many ask at once, in portions of any size, and again from ' +
      'nothing',
    async () => {
      for (const user of ['a', 'b', 'c', 'd', 'e']) await world.as(user).buy()
      expect(
        await Promise.all([1, 2, 1].map((limit) => countReceipts(database(), limit, 'Africa/Algiers'))),
      ).toHaveLength(3)
      const answers = await Promise.all([1, 2, 3, 4].map(() => month('2026-11')))
      for (const { paid, uncounted } of answers)
        expect([paid.count, paid.ttc, uncounted]).toEqual([5, 10_000, 0])
      await database().query(restoreNothing)
      expect((await month('2026-11')).paid.ttc).toBe(10_000)
    },
  )

  it('in a French spreadsheet has semicolons, decimal commas and a mark, and runs nothing', async () => {
    await world.as('=cmd;1').buy()
    const [plain, excel] = await Promise.all(
      ['plain', 'excel'].map((format) => operator.get(`/exports/accounts?month=2026-11&format=${format}`)),
    )
    const [head = '', first] = excel?.text.split('\r\n') ?? []
    expect(head).toMatch(/^\ufeff?type;date;numéro de reçu;.*;payé le;remboursé le;/)
    expect(head).toMatch(/;remboursé le;montant demandé;référence;.*;statut;/)
    expect(first).toMatch(/^paiement;/)
    expect(excel?.text).toContain('\r\ntotal;;')
    expect(plain?.text).toMatch(
      /^kind,date,receipt_number,.*,paid_on,refunded_on,asked,checkout_id,.*\r\npayment,/,
    )
    expect(excel?.text).toContain(
      `;"'=cmd;1";pro;1;Carte;Carte EDAHABIA (Algérie Poste)` +
        ';1680,67;19;319,33;2000;0;0;2000;0;2000;2026-11-21;;2000;',
    )
    expect(excel?.text).toMatch(/;DZD;.*;payé;;;;;;;\r\n/)
    expect(plain?.text).toMatch(/,DZD,.*,paid,,,,,,,\r\n/)
    expect(plain?.text).toContain(
      `,"'=cmd;1",pro,1,chargily,edahabia,1680.67,19,319.33,2000,0,0,2000,0,2000,2026-11-21,,2000,`,
    )
    expect(plain?.text).toContain(
      '\r\ntotal,,,,,,,,,1680.67,,319.33,2000,0,0,2000,0,2000,,,2000,,,,,,,,,,,,,,\r\n',
    )
    const bytes = await fetch(`${world.url}/api/v1/operator/exports/accounts?month=2026-11&format=excel`, {
      headers: { authorization: `Bearer ${OPERATOR_ENV.OPERATOR_KEYS.split(':').at(-1)}` },
    })
    expect([...new Uint8Array(await bytes.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    const trail = await operator.get('/exports/accounts?month=2026-13')
    expect([trail.status, trail.body.code]).toEqual([422, 'validation_failed'])
    expect((await operator.get('/months/2026-13')).status).toBe(422)
  })

  it(
    'in a French spreadsheet names the way and the means of payment in French, in the plain file by ' +
      'their codes',
    async () => {
      await twoMonths()
      const paidWith = async (format: 'plain' | 'excel') =>
        new Set((await lines('2026-11', format)).map((row) => `${row.method}, ${row.payment_method}`))
      expect(await paidWith('plain')).toEqual(
        new Set(['chargily, edahabia', 'chargily, cib', 'cash, cash', 'cheque, cheque', ', ']),
      )
      expect(await paidWith('excel')).toEqual(
        new Set([
          'Carte, Carte EDAHABIA (Algérie Poste)',
          'Carte, Carte interbancaire CIB',
          'Espèces, Espèces',
          'Chèque, Chèque',
          ', ',
        ]),
      )
    },
  )

  it('has a journal of its receipts, page by page, which adds up to its figures', async () => {
    await twoMonths()
    const { paid } = await month('2026-11')
    const path = '/months/2026-11/receipts?limit=2'
    const entries = []
    let next: string | null = ''
    while (next !== null) {
      const { body } = await operator.get(next === '' ? path : `${path}&cursor=${next}`)
      expect(body.data.length).toBeLessThanOrEqual(2)
      entries.push(...body.data)
      next = body.next_cursor
    }
    expect(entries).toHaveLength(paid.count)
    for (const name of ['ht', 'tva', 'ttc', 'stamp_duty', 'total']) {
      const sum = entries.reduce((total, entry) => total + cents(entry[name]), 0)
      expect([name, sum]).toEqual([name, cents(paid[name])])
    }
    const card = entries.find(({ user_id }) => user_id === 'card')
    const file = await operator.payment(card.payment_id)
    expect(card).toMatchObject({ receipt: file.receipt.number, plan: 'pro', months: 1, method: 'chargily' })
    expect(entries.filter(({ refunded_at }) => refunded_at !== null)).toHaveLength(2)
    expect((await operator.get(`${path}&cursor=x`)).body.code).toBe('invalid_cursor')
    const ofNovember = (await operator.get(path)).body.next_cursor
    const december = await operator.get(`/months/2026-12/receipts?cursor=${ofNovember}`)
    expect(december.body.code).toBe('invalid_cursor')
    expect((await operator.get('/months/2026-13/receipts')).body.code).toBe('validation_failed')
  })
})
