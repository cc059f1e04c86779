// A year's receipts in one file: as a PDF that begins with a list, and as a table.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_ENV, operatorOf } from '../../../../test/support/operator.js'
import { textOf } from '../../../../test/support/pdf.js'
import { platformFor, WITH_PLATFORM } from '../../../../test/support/platform.js'
import { enterPortal, SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { checkoutIdOf, createWorld, tokenOf, type World } from '../../../../test/support/world.js'
import { statement } from '../database/database.js'
import { LISTED_MAX, PRINTED_MAX } from './papers.js'

const PAPERS = '/api/v1/billing/papers'
const DAY = 86_400

/** As many more of the one payment that there is, with its receipt, as $1 says. */
const copyPayment = statement(
  'test.papers.copy',
  `with copied as (
     insert into payments (user_id, id, kind, plan, months, amount, currency, live, status, method,
         method_reference, instrument, created_at, expires_at, attempt_ends_at, paid_at, period_start,
         period_end)
       select user_id, id || '_' || n, kind, plan, months, amount, currency, live, status, method,
              method_reference || '_' || n, instrument, created_at, expires_at, attempt_ends_at, paid_at,
              period_start, period_end
         from payments, generate_series(1, $1::integer) n
       returning id)
   insert into receipts (user_id, payment_id, series, number, issued_at, snapshot)
     select r.user_id, c.id, r.series, 1 + substring(c.id from '\\d+$')::integer, r.issued_at, r.snapshot
       from receipts r, copied c`,
)

describeScenario('the papers of a year', ({ database }) => {
  let world: World
  beforeEach(async () => {
    const env = { ...OPERATOR_ENV, ...WITH_PLATFORM, PLANS_FILE: SELLING_PLANS, BALANCE_MAX: '9000' }
    world = await createWorld(database(), { env, isNew: true })
  })
  afterEach(() => world.stop())

  /** Two payments in 2026, of which the second was refunded, and one in 2027. */
  const buyThree = async () => {
    const user = world.as('user-1')
    const year = await user.buyWanted({ plan: 'pro', months: 12 })
    const second = await user.buyWanted({ plan: 'starter' })
    await operatorOf(world).post(`/payments/${second.paymentId}/refund`, { why: 'by mistake' })
    await world.advance(60 * DAY)
    return [year, second, await user.buyWanted({ plan: 'pro' })].map(({ paymentId }) => paymentId)
  }

  const pdf = async () => {
    const authorization = `Bearer ${await tokenOf({ sub: 'user-1' })}`
    const answer = await fetch(`${world.url}${PAPERS}?year=2026&lang=en`, { headers: { authorization } })
    const text = textOf(new Uint8Array(await answer.arrayBuffer())).replace(/[\s\u00a0]+/g, ' ')
    return { status: answer.status, headers: answer.headers, text }
  }

  it('are a list with the sums of the year, then each receipt, of their user alone', async () => {
    const [first, second, third] = await buyThree()
    const { status, headers, text } = await pdf()
    const expected = [200, 'application/pdf', 'inline; filename="receipts-2026.pdf"']
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual(expected)
    expect(text).toContain('Receipts and factures of 2026')
    expect(text).toMatch(/TEST-2026-000001 21\/11\/2026 Pro subs.* 20 168,07 DA 3 831,93 DA 24 000,00 DA/)
    expect(text).toContain('Total paid 24 900,00 DA Refunded 900,00 DA Total after refunds 24 000,00 DA')
    for (const paper of [first, second]) expect(text).toContain(`Payment reference ${paper}`)
    expect(text).toContain('Refunded on 21/11/2026')
    expect(text).not.toContain(third ?? 'none')
    expect((await world.as('user-2').get(`${PAPERS}?year=2026`)).status).toBe(404)
    expect((await world.as('user-1').get(`${PAPERS}?year=2025`)).status).toBe(404)
    for (const wrong of ['', '?year=x', '?year=2026&format=doc'])
      expect((await world.as('user-1').get(`${PAPERS}${wrong}`)).status).toBe(422)
  })

  it('sum what was paid once: what the balance pays for was paid in before', async () => {
    const user = world.as('user-1')
    const paidIn = await user.post('/api/v1/billing/balance/top-ups', { amount: 3_000 })
    await world.emulator.pay(checkoutIdOf(paidIn.body.checkout_url), 'paid')
    await world.emulator.settled()
    const bought = await user.post('/api/v1/billing/payments', { plan: 'pro', method: 'balance' })
    expect(bought.body.status).toBe('paid')
    expect((await pdf()).text).toContain('Total paid 3 000,00 DA')
  })

  it('are a table, by the platform’s key too, and in the portal', async () => {
    const [first, second] = await buyThree()
    const { text, headers } = await world.as('user-1').get(`${PAPERS}?year=2026&format=csv&lang=en`)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const rows = text.trimEnd().split('\r\n')
    expect(rows).toEqual([
      'receipt,issued_on,paid_on,description,period_from,period_to,payment_method,net,tax,stamp_duty,total,' +
        'currency,refunded_on,payment_id',
      'TEST-2026-000001,2026-11-21,2026-11-21,"Pro subscription, 12 months",2026-11-21,2027-11-21,edahabia,' +
        `20168.07,3831.93,0,24000,DZD,,${first}`,
      expect.stringMatching(`,900,DZD,2026-11-21,${second}$`),
    ])
    const byKey = await platformFor(world, 'user-1').get('/papers?year=2026&format=csv&lang=en')
    expect(byKey.text).toBe(text)
    const portal = await enterPortal(world, 'user-1')
    const page = wordsOf((await portal.open()).text)
    expect(page).toContain('Receipts and factures by year 2027 PDF CSV 2026 PDF CSV')
    expect((await portal.open('/portal/papers?year=2026&format=csv')).text).toBe(text)
    const printed = await portal.open('/portal/papers?year=2026')
    expect(printed.headers.get('content-type')).toBe('application/pdf')
    for (const wrong of ['', '?year=x', '?year=1'])
      expect((await portal.open(`/portal/papers${wrong}`)).status).toBe(404)
  })

  it('say where they list not all of the year, and print not all that they list', async () => {
    await world.as('user-1').buyWanted({ plan: 'pro' })
    const shown = async () => {
      const portal = await enterPortal(world, 'user-1')
      return [wordsOf((await portal.open()).text).replace(/[\s\u00a0]+/g, ' '), (await pdf()).text] as const
    }
    const bounds = 'A file lists the last 600 papers of a year; the PDF prints the last 50 of them.'
    const cut = 'This year has more than 600 papers: this list has the last 600, and the sums are theirs.'
    const note = 'The last 50 papers follow.'
    const [page, few] = await shown()
    expect([page.includes(bounds), few.includes(cut), few.includes(note)]).toEqual([false, false, false])

    await database().query(copyPayment, [LISTED_MAX])
    const [many, listed] = await shown()
    expect([many.includes(bounds), listed.includes(cut), listed.includes(note)]).toEqual([true, true, true])
    const { text } = await world.as('user-1').get(`${PAPERS}?year=2026&format=csv&lang=en`)
    const rows = text.split('\r\n').slice(1, -1)
    const numbers = rows.map((row: string) => row.split(',')[0])
    const expected = [LISTED_MAX, 'TEST-2026-000002', `TEST-2026-${String(LISTED_MAX + 1).padStart(6, '0')}`]
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual(expected)
    expect(listed).toContain('TEST-2026-000002')
    expect(listed.match(/Payment reference/g)).toHaveLength(PRINTED_MAX)
  })
})
