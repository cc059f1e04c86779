// The accountant's month: the journal of sales, its file and the declaration agree with the month, with the
// receipts and with each other, over two taxes, cash with its duty, refunds and money paid in.
import { readFileSync } from 'node:fs'
import { sellerFile } from '../../../../test/support/config-files.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { COMPANY } from '../../../../test/support/receipt.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { sql } from '../../../../test/support/sql.js'
import { checkoutIdOf } from '../../../../test/support/world.js'

const seller = JSON.parse(readFileSync('docs/seller.example.json', 'utf8'))
const GROUND = seller.tax[0].mention.fr
const SELLER_FILE = sellerFile({
  tax: [
    { ...seller.tax[0], until: '2026-11-23' },
    { from: '2026-11-24', kind: 'vat', rate_percent: 19 },
  ],
})
const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000]
const SUMS = ['ht', 'tva', 'ttc', 'stamp_duty', 'advance', 'total'] as const

const giveDetails =
  sql(`insert into users (user_id, created_at, buyer) values ($1, '2026-11-21T12:00:00Z', $2::jsonb)
       on conflict (user_id) do update set buyer = excluded.buyer, version = users.version + 1`)
interface Sale extends Readonly<Record<(typeof SUMS)[number], number>> {
  readonly kind: string
  readonly number: string | null
  readonly payment_id: string
  readonly [name: string]: unknown
}

const cents = (dinars: number) => Math.round(dinars * 100)
const sumOf = (sales: readonly Sale[], name: (typeof SUMS)[number]) =>
  sales.reduce((sum, sale) => sum + cents(sale[name]), 0)

const ENV = { SELLER_FILE, BALANCE_MAX: '50000' }

describeWorldOnEach('the accountant’s month', { env: ENV, withoutJobs: true }, ({ database, world }) => {
  const operator = operatorOf(world, ROLE_KEYS.accountant)
  const owner = () => operatorOf(world, ROLE_KEYS.owner)
  const get = async (path: string) => (await operator.get(path)).body
  const atDesk = async (userId: string, sale: object) => {
    const asked = { reference: `${userId}/1`, new_user: true, why: 'at the desk', ...sale }
    const { body } = await owner().post(`/users/${userId}/record`, asked)
    return body.payment.id as string
  }

  /** All pages. */
  const salesOf = async (month: string, query = ''): Promise<readonly Sale[]> =>
    (await operator.pages(`/months/${month}/sales?limit=2${query}`)).flat()

  /** Two exempt sales, a cash one and one by the balance with tax; two refunds, one of them in December. */
  async function twoMonths() {
    const after = (ms: number) => world.clock.advance(ms)
    const { paymentId: exempt } = await world.as('exempt').buy()
    after(MINUTE_MS)
    const { paymentId: kept } = await world.as('kept').buy('cib')
    after(4 * DAY_MS)
    await atDesk('cash', { plan: 'pro', method: 'cash', amount: 2020 })
    after(MINUTE_MS)
    const { body } = await world.as('saver').post('/api/v1/billing/balance/top-ups', { amount: 3000 })
    await world.emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
    await world.emulator.settled()
    after(MINUTE_MS)
    await world.as('saver').post('/api/v1/billing/payments', { plan: 'pro', method: 'balance' })
    after(MINUTE_MS)
    await owner().post(`/payments/${exempt}/refund`, { why: 'asked for' })
    after(10 * DAY_MS)
    await owner().post(`/payments/${kept}/refund`, { why: 'asked for' })
    return { exempt, kept, topUp: body.id as string }
  }

  /** What the month, its journal, the declaration and the file say, held against each other. */
  async function holdTogether(month: string) {
    const [figures, sales, declaration] = await Promise.all([
      get(`/months/${month}`),
      salesOf(month),
      get(`/months/${month}/declaration`),
    ])
    const { paid, refunded, balance, owed_to_users: owed, by_rate, received } = figures
    expect(cents(received.total - received.advances + received.used)).toBe(cents(paid.total))
    for (const name of ['ht', 'tva', 'ttc'] as const) {
      // What came for closed months is declared in this one.
      const late = (figures.after_closing?.months ?? []).reduce(
        (sum: number, one: { paid: Record<string, number> }) => sum + cents(one.paid[name] ?? 0),
        0,
      )
      expect([month, name, cents(declaration.after_closing[name])]).toEqual([month, name, late])
      const { total } = declaration
      const net = cents(balance[name]) + late
      const said = [
        sumOf(sales, name),
        cents(total.sales[name]),
        cents(total.credits[name]),
        cents(total.net[name]),
      ]
      expect([month, name, said]).toEqual([
        month,
        name,
        [net, cents(paid[name]) + late, cents(refunded[name]), net],
      ])
      for (const side of ['sales', 'credits', 'net']) {
        const sum = declaration.turnover.reduce(
          (total: number, one: Record<string, Record<string, number>>) =>
            total + cents(one[side]?.[name] ?? 0),
          0,
        )
        expect([month, side, name, sum]).toEqual([month, side, name, cents(declaration.total[side][name])])
      }
    }
    for (const { tva_percent, paid: one } of declaration.after_closing.count > 0 ? [] : by_rate) {
      const ofRate = declaration.turnover
        .filter((turnover: { tva_percent: number | null }) => turnover.tva_percent === tva_percent)
        .reduce((sum: number, { sales: { ht } }: { sales: { ht: number } }) => sum + cents(ht), 0)
      expect([month, tva_percent, ofRate]).toEqual([month, tva_percent, cents(one.ht)])
    }
    const numbers = sales.flatMap(({ number }) => number ?? [])
    expect(new Set(numbers).size).toBe(numbers.length)
    const receipts = sales.filter(({ kind }) => kind === 'receipt' || kind === 'invoice')
    expect(cents(declaration.stamp_duty)).toBe(sumOf(receipts, 'stamp_duty'))
    if (declaration.after_closing.count === 0) expect(received.stamp_duty).toBe(declaration.stamp_duty)
    const { top_ups = 0, surplus = 0 } = owed?.came_in ?? {}
    expect(cents(top_ups + surplus)).toBe(sumOf(receipts, 'advance'))
    expect(declaration.advances).toEqual(owed)
    const { text } = await operator.get(`/exports/sales?month=${month}&format=excel`)
    const rows = text.replace('\ufeff', '').trimEnd().split('\r\n')
    const french = { receipt: 'reçu', invoice: 'facture', credit_note: 'avoir', refund: 'remboursement' }
    const kinds = sales.map(({ kind }) => french[kind as keyof typeof french])
    expect(rows.slice(1, -1).map((row) => row.split(';')[0])).toEqual(kinds)
    expect(rows).toHaveLength(sales.length + 2)
    const sums = (['ht', 'tva', 'stamp_duty', 'ttc', 'advance', 'total'] as const).map((name) =>
      String(sumOf(sales, name) / 100).replace('.', ','),
    )
    expect(
      rows
        .at(-1)
        ?.split(';')
        .filter((cell) => cell !== ''),
    ).toEqual(['total', ...sums])
    return { sales, declaration }
  }

  it('declares the duty on a top-up in cash, and leads from money received to the sales', async () => {
    world.clock.advance(4 * DAY_MS)
    await atDesk('saver', { top_up: 5000, method: 'cash', amount: 5050 })
    world.clock.advance(MINUTE_MS)
    await world.as('saver').post('/api/v1/billing/payments', { plan: 'pro', method: 'balance' })
    const { declaration } = await holdTogether('2026-11')
    expect(declaration.stamp_duty).toBe(50)
    world.clock.advance(10 * DAY_MS)
    await operator.post('/months/2026-11/close', { why: 'declared' })
    expect((await get('/months/2026-11')).closed).toMatchObject({ declared: { stamp_duty: 50 }, differs: [] })
  })

  it('agrees with the books, and a refund is of the month in which it was recorded', async () => {
    const { exempt, kept, topUp } = await twoMonths()
    const november = await holdTogether('2026-11')
    const shown = november.sales.map(({ kind, payment_id, ht, tva, stamp_duty, ttc, advance }) => ({
      ...{ kind, payment_id: [exempt, kept, topUp].includes(payment_id) ? payment_id : '' },
      sums: [ht, tva, stamp_duty, ttc, advance],
    }))
    expect(shown).toEqual([
      { kind: 'receipt', payment_id: exempt, sums: [2000, 0, 0, 2000, 0] },
      { kind: 'receipt', payment_id: kept, sums: [2000, 0, 0, 2000, 0] },
      { kind: 'receipt', payment_id: '', sums: [1680.67, 319.33, 20, 2000, 0] },
      { kind: 'receipt', payment_id: topUp, sums: [0, 0, 0, 0, 3000] },
      { kind: 'receipt', payment_id: '', sums: [1680.67, 319.33, 0, 2000, 0] },
      { kind: 'refund', payment_id: exempt, sums: [-2000, 0, 0, -2000, 0] },
    ])
    expect(november.declaration).toMatchObject({
      turnover: [
        {
          ...{ tax: 'vat-19', tva_percent: 19, exemption: null, exempt_until: null },
          ...{ sales: { count: 2, ht: 3361.34, tva: 638.66 }, credits: { count: 0, ht: 0 } },
        },
        {
          ...{ tax: 'exempt', tva_percent: null, exemption: GROUND, exempt_until: '2026-11-23' },
          ...{ sales: { count: 2, ht: 4000, tva: 0 }, credits: { count: 1, ht: 2000 }, net: { ht: 2000 } },
        },
      ],
      ...{ stamp_duty: 20, closed_at: null },
      advances: { owed_before: 0, came_in: { top_ups: 3000 }, earned: 2000, owed: 1000 },
    })
    const december = await holdTogether('2026-12')
    expect(december.sales).toMatchObject([{ kind: 'refund', payment_id: kept, ht: -2000, exemption: GROUND }])
    expect(december.declaration.total.net).toEqual({ ht: -2000, tva: 0, ttc: -2000 })

    // Each figure of the declaration has its documents behind it.
    for (const { tax, sales, credits } of november.declaration.turnover) {
      const [sold, credited] = [
        await salesOf('2026-11', `&tax=${tax}&side=sales`),
        await salesOf('2026-11', `&tax=${tax}&side=credits`),
      ]
      expect([sold.length, sumOf(sold, 'ht')]).toEqual([sales.count, cents(sales.ht)])
      expect([credited.length, 0 - sumOf(credited, 'ht')]).toEqual([credits.count, cents(credits.ht)])
    }
    expect(await salesOf('2026-11', '&tax=advance')).toMatchObject([{ advance: 3000 }])
    expect(await salesOf('2026-11', '&tax=nothing')).toEqual([])

    // A cursor goes on in its own month alone.
    const { next_cursor } = await get('/months/2026-11/sales?limit=2')
    const elsewhere = await operator.get(`/months/2026-12/sales?cursor=${next_cursor}`)
    expect([elsewhere.status, elsewhere.body.code]).toEqual([422, 'invalid_cursor'])
  })

  it('counts a payment once, whatever documents follow, and takes it back by its credit note', async () => {
    const named = (userId: string, address: string) =>
      database().query(giveDetails, [userId, JSON.stringify({ ...COMPANY, address })])
    await named('firm', 'Alger')
    const { paymentId } = await world.as('firm').buy()
    const { paymentId: later } = await world.as('person').buy()
    world.clock.advance(MINUTE_MS)
    await named('person', 'Oran')
    await world.as('person').post(`/api/v1/billing/payments/${later}/invoice`, {})
    world.clock.advance(MINUTE_MS)
    await named('firm', 'Annaba')
    await owner().post(`/payments/${paymentId}/correct-invoice`, { why: 'another address' })
    const { sales } = await holdTogether('2026-11')
    const kinds = sales.map(({ kind, ttc }) => `${kind} ${ttc}`).sort()
    expect(kinds).toEqual(['credit_note 0', 'invoice 0', 'invoice 0', 'invoice 2000', 'receipt 2000'])
    expect(sales.filter(({ kind }) => kind !== 'receipt')).toEqual(
      sales.filter(({ nif, rc, name }) => nif === COMPANY.nif && rc === COMPANY.rc && name === COMPANY.name),
    )
    world.clock.advance(MINUTE_MS)
    await owner().post(`/payments/${paymentId}/refund`, { why: 'asked for' })
    const after = await holdTogether('2026-11')
    expect(after.sales).toHaveLength(6)
    expect(after.sales.at(-1)).toMatchObject({
      ...{ kind: 'credit_note', number: 'TEST-A-2026-000002', about: 'TEST-F-2026-000003', ttc: -2000 },
    })
    expect(after.declaration.total).toMatchObject({ sales: { count: 2 }, credits: { count: 1, ttc: 2000 } })
  })

  it('has each document once where a correction and a refund bear the same instant', async () => {
    await database().query(giveDetails, ['firm', JSON.stringify({ ...COMPANY, address: 'Alger' })])
    const { paymentId } = await world.as('firm').buy()
    for (const act of ['correct-invoice', 'refund'])
      await owner().post(`/payments/${paymentId}/${act}`, { why: 'asked for' })
    const { sales } = await holdTogether('2026-11')
    expect(sales.map(({ number, ttc }) => `${number} ${ttc}`.replace('TEST-', '')).sort()).toEqual([
      ...['A-2026-000001 0', 'A-2026-000002 -2000', 'F-2026-000001 2000', 'F-2026-000002 0'],
    ])
  })

  it('has what came after the closing of its month in the next one, once', async () => {
    const { body } = await world.as('late').post('/api/v1/billing/payments', { plan: 'pro' })
    world.emulator.setFaults({ drop: { times: 1 } })
    await world.emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
    await world.emulator.settled()
    await twoMonths()
    expect((await owner().post('/months/2026-11/close', {})).status).toBe(200)
    const closed = await holdTogether('2026-11')
    expect(closed.declaration.closed_at).toMatch(/^2026-12/)
    await owner().post(`/payments/${body.id}/recheck`, {})
    expect(await salesOf('2026-11')).toEqual(closed.sales)
    expect(await get('/months/2026-11/declaration')).toEqual(closed.declaration)
    const december = await holdTogether('2026-12')
    expect(december.sales[0]).toMatchObject({ kind: 'receipt', date: '2026-11-21', payment_id: body.id })
    expect(december.declaration.after_closing).toEqual({ count: 1, ht: 2000, tva: 0, ttc: 2000 })
  })

  it('is declared on a page whose figures lead to documents; its file stands in the trail', async () => {
    await twoMonths()
    const visit = await enterConsole(world, ROLE_KEYS.accountant)
    expect((await visit.open('/console/months/2026-11')).text).toContain('/months/2026-11/declaration')
    const { text } = await visit.open('/console/months/2026-11/declaration')
    for (const part of ['Exempt', 'until 23 November 2026', seller.nif, seller.tax[0].mention.en])
      expect(wordsOf(text)).toContain(part)
    const links = [...text.matchAll(/href="([^"]*\/2026-11\/sales\?[^"]*)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&').replaceAll('&#38;', '&'),
    )
    expect(links.length).toBeGreaterThan(4)
    for (const link of links) {
      const page = await visit.open(link.slice(world.base.length))
      expect([link, page.status, page.text.includes('/console/payments/')]).toEqual([link, 200, true])
    }
    expect(wordsOf((await visit.open('/console/months/2026-11/sales')).text)).toContain('\u22122')
    const file = await visit.open('/console/exports/sales?format=excel&month=2026-11')
    expect(file.text).toMatch(/^type;numéro;pièce d’origine;date;nom du client;NIF;RC;/)
    const trail = (await owner().get('/audit?act=payments.export')).body.data
    expect(trail).toMatchObject([{ act: 'payments.export', after: { month: '2026-11', file: 'sales' } }])
    const support = await enterConsole(world, ROLE_KEYS.support)
    expect((await support.open('/console/months/2026-11')).text).not.toContain('/declaration')
  })
})
