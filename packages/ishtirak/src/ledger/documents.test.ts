import { aPayment, aReport, days, NOON } from '../../../../test/support/fixtures.js'
import { dayInAlgiers } from '../../../../test/support/receipt.js'
import type { StoredReport } from '../core/stored-report.js'
import { EXAMPLE_SELLER } from '../runtime/seller.js'
import { documentOfBooking } from './documents.js'

it('a booking keeps the fees that were said: none of a balance, unknown if above the price', () => {
  const method = { bearsStampDuty: false }
  const receipts = { seller: EXAMPLE_SELLER, billingDayOf: dayInAlgiers }
  const deps = { methods: { of: () => method }, ...receipts } as unknown as Parameters<
    typeof documentOfBooking
  >[0]
  const period = { periodStart: NOON, periodEnd: NOON + days(30) }
  const user = { userId: 'user-1', name: null, email: null, buyer: null }
  const feeOf = (method: string, fees?: number) => {
    const payment = aPayment({ ...period, method, paidAt: NOON, status: 'paid' })
    const report = { ...aReport(), fees } as unknown as StoredReport
    return documentOfBooking(deps, payment, user, { report, now: NOON }).fee_centimes
  }
  expect([feeOf('chargily', 45), feeOf('chargily'), feeOf('balance')]).toEqual([4_500, null, 0])
  expect([feeOf('chargily', 2_000), feeOf('chargily', 2_001)]).toEqual([200_000, null])
})
