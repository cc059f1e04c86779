// A month: what it counts and when, its file and its journal. That all of them agree to the centime is in
// test/scenarios/books-agree.ts.
import { makeCodes, PERCENT } from '../../../../test/support/codes.js'
import { sellerFile } from '../../../../test/support/config-files.js'
import { describeWorldOnEach } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { tampering } from '../../../../test/support/sql.js'
import type { Transaction } from '../database/database.js'
import { type MonthsDeps, readMonthFigures } from './months.js'

const SELLER_FILE = sellerFile({ tax: [{ from: '2024-01-01', kind: 'vat', rate_percent: 19 }] })
const HOUR = 3_600
const DAY = 86_400

/** In test mode the provider keeps nothing. */
const setFees = tampering(`update documents set fee_centimes = case user_id when 'card' then 5000 end
  where user_id in ('card', 'late')`)

const ENV = { SELLER_FILE, BALANCE_MAX: '10000' }

describeWorldOnEach('a month', { env: ENV, withoutJobs: true }, ({ world, database }) => {
  const operator = operatorOf(world)

  const month = async (name: string) => (await operator.get(`/months/${name}`)).body
  const refund = (id: string) => operator.post(`/payments/${id}/refund`, { why: 'asked for' })
  const atDesk = (userId: string, method: string, amount: number) =>
    operator.post(`/users/${userId}/record`, {
      ...{ new_user: true, plan: 'pro', method, amount, reference: `${userId}/1`, why: 'paid' },
    })

  /** From 21 November to 2 December, with two midnights of Algiers in between that UTC has an hour later. */
  async function twoMonths() {
    const first = await world.as('card').buy()
    const given = await world.as('given').buy('cib')
    await world.as('code').buyWanted({ plan: 'pro', code: (await makeCodes(operator, PERCENT)).code })
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
    await database().script(setFees)
    return { late: late.paymentId }
  }

  it('has a payment in the month it was paid in, whenever it was heard of, a refund in its own', async () => {
    const { late } = await twoMonths()
    const november = await month('2026-11')
    expect(november).toMatchObject({
      ...{ from: '2026-10-31T23:00:00Z', to: '2026-11-30T23:00:00Z', live: false },
      paid: {
        ...{ count: 6, ttc: 11_700, discount: 300, stamp_duty: 20, total: 11_720 },
        ...{ fees: 50, fees_unknown: 1, net: 11_670 },
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
  })

  it('counts new users before the sales, so that a booking in between is never new and no sale', async () => {
    const asked: string[] = []
    const fail = () => Promise.reject(new Error('it only reads'))
    const { parts } = world.service
    const listening: MonthsDeps['database'] = {
      ...{ kind: 'pglite', script: fail, close: fail },
      query: (statement, ...of) => database().query(statement, ...of),
      transaction: (work) =>
        database().transaction((transaction) => {
          const query: Transaction['query'] = (statement, ...of) => {
            asked.push(statement.name)
            return transaction.query(statement, ...of)
          }
          return work({ query, script: fail })
        }),
    }
    await readMonthFigures({ ...parts, database: listening }, '2026-11')
    const adding = ['figures.firsts', 'books.sums']
    expect(asked.filter((name) => adding.includes(name))).toEqual(adding)
  })

  it('has a user as new once, also when an earlier payment is heard of after a later one', async () => {
    world.emulator.setFaults({ drop: { times: 1 } })
    const earlier = await world.as('lina').buy()
    world.clock.advance(HOUR * 1_000)
    await atDesk('lina', 'cash', 2020)
    expect((await month('2026-11')).users).toMatchObject({ new: 1, renewed: 0 })
    await operator.post(`/payments/${earlier.paymentId}/recheck`, {})
    expect((await month('2026-11')).users).toMatchObject({ new: 1, renewed: 1 })
  })

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

  it('in a French spreadsheet has its signs, a mark and French words, and runs nothing', async () => {
    const { paymentId } = await world.as('=cmd;1').buy()
    await atDesk('cheque', 'cheque', 2000)
    const [plain = '', excel = ''] = await Promise.all(
      ['plain', 'excel'].map(
        async (of) => (await operator.get(`/exports/accounts?month=2026-11&format=${of}`)).text,
      ),
    )
    expect(plain).toMatch(/^kind,date,receipt_number,.*,paid_on,refunded_on,asked,checkout_id,.*\r\n/)
    expect(excel).toMatch(
      /^\ufeff?type;date;numéro de reçu;.*;payé le;remboursé le;montant demandé;référence;.*;statut;/,
    )
    const lineIn = (text: string, id: string) => text.split('\r\n').find((line) => line.includes(id))
    expect(lineIn(plain, paymentId)).toMatch(/^payment,.*,DZD,.*,paid,,,,,,,$/)
    expect(lineIn(plain, paymentId)).toContain(
      `,"'=cmd;1",pro,1,chargily,edahabia,1680.67,19,319.33,2000,0,0,2000,0,2000,2026-11-21,,2000,`,
    )
    expect(lineIn(excel, paymentId)).toMatch(/^paiement;.*;DZD;.*;payé;;;;;;;$/)
    expect(lineIn(excel, paymentId)).toContain(
      `;"'=cmd;1";pro;1;Carte;Carte EDAHABIA (Algérie Poste)` +
        `;1680,67;19;319,33;2000;0;0;2000;0;2000;2026-11-21;;2000;`,
    )
    expect(excel).toContain(';cheque;pro;1;Chèque;Chèque;')
    const file = await fetch(`${world.url}/api/v1/operator/exports/accounts?month=2026-11&format=excel`, {
      headers: { authorization: `Bearer ${OPERATOR_KEY}` },
    })
    expect([...new Uint8Array(await file.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  })
})
