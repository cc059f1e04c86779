// `ishtirak demo`: a year of a pretend shop, through the use cases, on the database of a running sandbox.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DEMO_PATH, refuseSecondDemo, runDemo } from '../../packages/demo/src/demo.js'
import { describeScenario } from '../support/databases.js'
import { fillDemo, sandboxOf } from '../support/demo.js'
import { OPERATOR_KEY, operatorOf } from '../support/operator.js'
import { Receiver } from '../support/receiver.js'
import { startSmtpSink } from '../support/smtp-sink.js'
import { sql } from '../support/sql.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { createWorld, START, type World } from '../support/world.js'
import { expectBooksToAgree } from './books-agree.js'

const selectMoney =
  sql(`select method, status, coalesce(instrument, '') as way, months, count(*)::int as payments,
    sum(amount)::int as amount
     from payments group by 1, 2, 3, 4 order by 1, 2, 3, 4`)
const selectPeriods = sql(`select count(*)::int as users from users u
    where u.ended_at is null and u.paid_until <> (
          select max(period_end) from (
            select period_end from payments p where p.user_id = u.user_id and p.status = 'paid'
             union all
            select period_end from grants g where g.user_id = u.user_id) ends)`)
const selectReceipts =
  sql(`select series, count(*)::int as receipts, max(number)::int as last from documents where place = 0
    group by 1 order by 1`)
const selectFuture = sql(`select (select count(*) from outbox where created_at > $1::timestamptz)::int
        + (select count(*) from payments where created_at > $1::timestamptz)::int
        + (select count(*) from audit where acted_at > $1::timestamptz)::int as rows`)
const selectSynchronous = sql(`select current_setting('synchronous_commit') as synchronous`)

describeScenario('a demo', ({ database }) => {
  const open = async (env: Record<string, string> = {}) => {
    const world = await createWorld(database(), { env: { ...env } })
    onTestFinished(() => world.stop())
    return { world, operator: operatorOf(world) }
  }

  /** Its provider knows what it sold: a reconciliation finds what it is to find. */
  const compare = async (world: World) => {
    const { emulator } = world
    const operator = operatorOf(world)
    let { body } = await operator.post('/reconciliations/start', { since: '2025-11-01', why: 'a test' })
    while (body.reconciliation.finished_at === null) {
      await world.advance(30)
      body = (await operator.post(`/reconciliations/${body.reconciliation.id}/continue`)).body
    }
    const found = body.discrepancies.map(({ kind, outcome }: Record<string, string>) => `${kind} ${outcome}`)
    const unknown = 'unknown_paid unknown_checkout'
    expect(found.sort()).toEqual(['paid_not_booked unchanged', unknown, unknown])
    const paid = emulator.checkouts().filter(({ status }) => status === 'paid')
    const customers = emulator.customers().map(({ id }) => id)
    expect(new Set(paid.map(({ customer_id }) => customer_id))).toEqual(new Set(customers))
  }

  it('leaves one of everything: books agree, and everything that can wait waits in the inbox', async () => {
    const { world, operator } = await open({ BALANCE_MAX: '50000' })
    const months = await fillDemo(world, 21)
    expect([months.at(0), months.length, months.at(-1)]).toEqual(['2025-11', 13, '2026-11'])
    const money = await database().query(selectMoney)
    const of = (name: string) => new Set(money.map((row) => row[name]))
    expect([...of('method')].sort()).toEqual(['cash', 'chargily', 'cheque', 'transfer'])
    expect(of('months')).toEqual(new Set([1, 3, 6, 12]))
    expect([...of('status')].sort()).toEqual(
      expect.arrayContaining(['canceled', 'expired', 'paid', 'pending', 'refunded', 'review']),
    )
    expect(await database().query(selectPeriods)).toEqual([{ users: 0 }])
    const receipts = await database().query(selectReceipts)
    expect(receipts.map(({ receipts: count, last }) => [count, last])).toEqual(
      receipts.map(({ receipts: count }) => [count, count]),
    )
    expect(await database().query(selectFuture, [new Date(START).toISOString()])).toEqual([{ rows: 0 }])
    const { counts } = (await operator.get('/inbox')).body
    const empty = Object.keys(counts).filter((kind) => counts[kind] === 0)
    // Where the address itself fails, no single event is stuck; the demo closes no month, counts no drawer
    // and reads in no bank statement, and its open transfers are of the last days.
    const unseen = ['event_stuck', 'month_differs', 'transfer_open', 'drawer_counted', 'money_returned']
    expect(empty).toEqual(unseen)

    await compare(world)
    await expectBooksToAgree(world, database(), months)

    // The reconciliations of the sandbox report again what was found.
    for (const hours of [0.1, 5]) {
      await world.advance(hours * 3_600)
      expect([hours, (await operator.get('/inbox')).body.counts.discrepancy]).toEqual([hours, 2])
    }
    await expect(refuseSecondDemo(sandboxOf(world))).rejects.toMatchObject({ code: 'conflict' })
    const { paymentId } = await world.as('user-1').buy()
    expect((await operator.payment(paymentId)).payment.status).toBe('paid')
  })

  it('sends no mail or event of the past, and goes through where its seller refuses some', async () => {
    const receiver = await Receiver.start()
    await using smtp = await startSmtpSink()
    const folder = temporaryFolder()
    onTestFinished(async () => {
      await receiver.goDown()
    })
    const { stamp_duty: _, ...withoutCash } = JSON.parse(readFileSync('docs/seller.example.json', 'utf8'))
    const SELLER_FILE = path.join(folder, 'seller.json')
    writeFileSync(SELLER_FILE, JSON.stringify(withoutCash))
    const env = { SELLER_FILE, PREPAY_MAX_MONTHS: '3', SMTP_URL: smtp.url }
    const { world } = await open({ ...env, ...receiver.variables })
    expect(await fillDemo(world, 20)).toHaveLength(13)
    await world.advance(60)
    expect([receiver.received.length, smtp.messages.length]).toEqual([0, 0])
  })

  it('one that was broken off is not begun again, and commits wait for the disk as before', async () => {
    const { world } = await open()
    const lines = runDemo(sandboxOf(world), { users: 1, seed: 1 })
    await lines.next()
    const synchronous = async () => (await database().query(selectSynchronous))[0]?.synchronous
    expect(await synchronous()).toBe(database().kind === 'pglite' ? 'off' : 'on')
    await lines.return(undefined)
    expect(await synchronous()).toBe('on')
    await expect(refuseSecondDemo(sandboxOf(world))).rejects.toMatchObject({ code: 'conflict' })
    // A service with a key of the provider has no such address.
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
    const answer = await world.call('POST', DEMO_PATH, { headers, body: { users: 1, seed: 1 } })
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  })
})
