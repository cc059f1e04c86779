import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { platformFor } from '../../../../test/support/platform.js'
import { enterPortal, SELLING_PLANS, wordsOf } from '../../../../test/support/portal.js'
import { sql } from '../../../../test/support/sql.js'
import { LISTED_MAX } from './documents-of-year.js'

const DOCUMENTS = '/api/v1/billing/documents'
const DAY = 86_400

/** Copies the one existing payment with its receipt $1 times. */
const copyPayment = sql(`with copied as (
     insert into payments (user_id, id, kind, plan, months, amount, currency, live, status, method,
         method_reference, instrument, created_at, expires_at, attempt_ends_at, paid_at, period_start,
         period_end)
       select user_id, id || '_' || n, kind, plan, months, amount, currency, live, status, method,
              method_reference || '_' || n, instrument, created_at, expires_at, attempt_ends_at, paid_at,
              period_start, period_end
         from payments, generate_series(1, $1::integer) n
       returning id)
   insert into documents (user_id, payment_id, place, kind, series, number, issued_at, issued_on, seller,
       net_centimes, tax_centimes, duty_centimes, discount_centimes, fee_centimes, snapshot)
     select d.user_id, c.id, 0, d.kind, d.series, 1 + substring(c.id from '\\d+$')::integer, d.issued_at,
            d.issued_on, d.seller, d.net_centimes, d.tax_centimes, d.duty_centimes, d.discount_centimes,
            d.fee_centimes, d.snapshot
       from documents d, copied c`)

const env = { PLANS_FILE: SELLING_PLANS }

describeWorld('the documents of a year', { env }, ({ world, database }) => {
  it('are a table of their user alone, by the platform’s key too, and in the portal', async () => {
    const user = world.as('user-1')
    const first = await user.buyWanted({ plan: 'pro', months: 12 })
    const second = await user.buyWanted({ plan: 'starter' })
    await operatorOf(world).post(`/payments/${second.paymentId}/refund`, { why: 'by mistake' })
    await world.advance(60 * DAY)
    await user.buyWanted({ plan: 'pro' })
    const { text, headers } = await user.get(`${DOCUMENTS}?year=2026&lang=en`)
    const expected = ['text/csv; charset=utf-8', 'attachment; filename="receipts-2026.csv"']
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual(expected)
    expect(text.trimEnd().split('\r\n')).toEqual([
      'receipt,issued_on,paid_on,description,period_from,period_to,payment_method,net,tax,stamp_duty,total,' +
        'currency,refunded_on,payment_id',
      'TEST-2026-000001,2026-11-21,2026-11-21,"Pro subscription, 12 months",2026-11-21,2027-11-21,edahabia,' +
        `20168.07,3831.93,0,24000,DZD,,${first.paymentId}`,
      expect.stringMatching(`,900,DZD,2026-11-21,${second.paymentId}$`),
    ])
    const byKey = await platformFor(world, 'user-1').get('/documents?year=2026&lang=en')
    expect(byKey.text).toBe(text)
    const portal = await enterPortal(world, 'user-1')
    const page = wordsOf((await portal.open('/portal/payments')).text)
    expect(page).toContain('Receipts and invoices by year 2027 CSV 2026 CSV')
    expect((await portal.open('/portal/documents?year=2026')).text).toBe(text)
    for (const wrong of ['', '?year=x', '?year=1'])
      expect((await portal.open(`/portal/documents${wrong}`)).status).toBe(404)
    expect((await world.as('user-2').get(`${DOCUMENTS}?year=2026`)).status).toBe(404)
    expect((await user.get(`${DOCUMENTS}?year=2025`)).status).toBe(404)
    for (const wrong of ['', '?year=x', '?year=2026&format=pdf'])
      expect((await user.get(`${DOCUMENTS}${wrong}`)).status).toBe(422)
  })

  it('say where they list not all of the year', async () => {
    await world.as('user-1').buyWanted({ plan: 'pro' })
    const page = async () =>
      wordsOf((await (await enterPortal(world, 'user-1')).open('/portal/payments')).text)
    const bounds = 'A file lists the last 600 documents of a year.'
    expect(await page()).not.toContain(bounds)
    await database().query(copyPayment, [LISTED_MAX])
    expect(await page()).toContain(bounds)
    const { text } = await world.as('user-1').get(`${DOCUMENTS}?year=2026&lang=en`)
    const numbers = text
      .split('\r\n')
      .slice(1, -1)
      .map((row: string) => row.split(',')[0])
    expect([numbers.length, numbers[0]]).toEqual([LISTED_MAX, 'TEST-2026-000002'])
  })
})
