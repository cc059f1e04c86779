// The books of a year agree with each other and with the receipts, month by month, before and after each is
// closed; and twelve months side by side say the same.

import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { type OperatorCaller, operatorOf } from '../support/operator.js'
import { sql } from '../support/sql.js'
import { checkoutIdOf, type World } from '../support/world.js'

/** What the documents say, in centimes. */
const selectReceipts = sql(`select left(snapshot->>'paidOn', 7) as month, series, number,
          (snapshot->>'amount')::bigint * 100 as amount,
          tax_centimes as tva, duty_centimes as duty
     from documents where place = 0 order by series, number`)
/** By the periods themselves, whatever was counted. */
const selectPaidAt = sql(`select count(distinct user_id) as users from (
     select user_id, period_start as s, period_end as e from payments
      where status = 'paid' and kind = 'purchase'
      union all
     select user_id, period_start, period_end from grants
      where user_id in (select user_id from payments where status = 'paid' and kind = 'purchase')) spans
     join users using (user_id)
    where s < $1::timestamptz and least(e, coalesce(ended_at, 'infinity')) >= $1::timestamptz
      and s < coalesce(ended_at, 'infinity')`)

type Sums = Readonly<Record<string, number>>
const cents = (dinars: unknown) => Math.round(Number(dinars) * 100)
const sumOf = (of: readonly Sums[], name: string) => of.reduce((sum, one) => sum + cents(one[name]), 0)
const isByCard = ({ method }: { readonly method: string }) => method === 'chargily'
const isByBalance = ({ method }: { readonly method: string }) => method === 'balance'
const partsOf = (of: readonly Record<string, Sums>[], kind: string) => of.map((part) => part[kind] ?? {})
const MONEY = ['ht', 'tva', 'ttc', 'stamp_duty', 'total', 'fees', 'net', 'asked']

async function linesOf(operator: OperatorCaller, month: string) {
  const { text } = await operator.get(`/exports/accounts?month=${month}`)
  const cells = (line: string) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
  const [head = [], ...rows] = text.trim().split('\r\n').map(cells)
  return rows.map((row) => Object.fromEntries(row.map((cell, place) => [head[place], cell])))
}

async function journalOf(operator: OperatorCaller, month: string) {
  const entries = []
  let cursor = ''
  do {
    const { body } = await operator.get(
      `/months/${month}/sales?side=sales&limit=100${cursor && `&cursor=${cursor}`}`,
    )
    entries.push(...body.data)
    cursor = body.next_cursor ?? ''
  } while (cursor !== '')
  return entries
}

const usersAt = async (database: Database, instant: string) =>
  Number((await database.query(selectPaidAt, [instant]))[0]?.users)

export async function expectBooksToAgree(world: World, database: Database, months: readonly string[]) {
  const operator = operatorOf(world)
  const saver = world.as('saver')
  const { body } = await saver.post('/api/v1/billing/balance/top-ups', { amount: 7_000 })
  await world.emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
  await world.emulator.settled()
  await saver.post('/api/v1/billing/payments', { plan: 'pro', method: 'balance' })
  const documents = await database.query(selectReceipts)
  const journals: string[] = []
  for (const month of months) {
    const figures = (await operator.get(`/months/${month}`)).body
    const lines = await linesOf(operator, month)
    const journal = await journalOf(operator, month)
    journals.push(...journal.map(({ number }) => number))
    const ofMonth = documents.filter((document) => document.month === month)
    const onDocument = (name: string) => ofMonth.reduce((sum, document) => sum + Number(document[name]), 0)
    const total = lines.find(({ kind }) => kind === 'total') ?? {}
    const counted = lines.filter(({ kind }) => kind === 'payment' || kind === 'refund')
    for (const name of MONEY) {
      const balance = cents(figures.paid[name]) - cents(figures.refunded[name])
      const found = [month, name, cents(total[name]), sumOf(counted, name)]
      expect(found).toEqual([month, name, balance, balance])
      for (const parts of [figures.by_day, figures.by_method, figures.by_rate])
        for (const kind of ['paid', 'refunded'])
          expect(sumOf(partsOf(parts, kind), name)).toBe(cents(figures[kind][name]))
    }
    expect(sumOf(journal, 'total')).toBe(onDocument('amount') + onDocument('duty'))
    const taxed = [sumOf(journal, 'tva'), sumOf(journal, 'ttc')]
    expect(taxed).toEqual([onDocument('tva'), cents(figures.paid.ttc)])
    const { owed_to_users: owed, paid_out_by_provider: paidOut, received } = figures
    // Less advances, and with what balances bought, what was received is what was sold.
    expect(cents(received.total)).toBe(sumOf(received.by_method, 'amount'))
    const byBalance = partsOf(figures.by_method.filter(isByBalance), 'paid')
    expect(cents(received.used)).toBe(sumOf(byBalance, 'total'))
    const sales = cents(received.total) - cents(received.advances) + cents(received.used)
    expect([month, sales]).toEqual([month, cents(figures.paid.total)])
    const advanced = (owed?.came_in.top_ups ?? 0) + (owed?.came_in.surplus ?? 0)
    expect([month, received.advances]).toEqual([month, advanced])
    const byCard = received.by_method.filter(isByCard)
    expect(cents(paidOut.came)).toBe(sumOf(byCard, 'amount') - sumOf(byCard, 'fees'))
    if (owed)
      expect(owed.owed + owed.earned + owed.corrected + owed.paid_out).toBe(
        owed.owed_before + owed.came_in.total,
      )
    if (month === months.at(-1)) continue
    const closed = (await operator.post(`/months/${month}/close`, {})).body
    expect({ ...closed, closed: null }).toEqual(figures)
  }
  expect(journals.sort()).toEqual(
    documents.map(({ series, number }) => `${series}-${String(number).padStart(6, '0')}`).sort(),
  )
  await agreeWithYear(operator, database, months)
}

async function agreeWithYear(operator: OperatorCaller, database: Database, names: readonly string[]) {
  const { months } = (await operator.get(`/years/${names.at(-1)}`)).body
  expect(months.map(({ month }: { month: string }) => month)).toEqual(names.slice(-12))
  let before: number | null = null
  for (const { month, paid, refunded, by_method, users, later } of months) {
    const figures = (await operator.get(`/months/${month}`)).body
    expect([month, paid, refunded]).toEqual([month, figures.paid.total, figures.refunded.total])
    expect(sumOf(by_method, 'paid')).toBe(cents(paid))
    expect([month, users.at_end]).toEqual([month, await usersAt(database, figures.to)])
    expect(users.at_end).toBe(users.new + users.renewed + users.came_back)
    if (before !== null) expect(users.renewed + users.lapsed).toBe(before)
    expect(later[0] ?? 0).toBe(users.new)
    before = users.at_end
  }
}
