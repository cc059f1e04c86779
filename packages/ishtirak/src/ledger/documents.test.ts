import { aPayment, aReport, days, NOON } from '../../../../test/support/fixtures.js'
import { dayInAlgiers } from '../../../../test/support/receipt.js'
import type { StoredReport } from '../core/stored-report.js'
import { EXAMPLE_SELLER } from '../runtime/seller.js'
import { documentOfBooking } from './documents.js'

it('a booking keeps what the provider kept of it: nothing of a balance, unknown where it is not said', () => {
  const method = { bearsStampDuty: false }
  const receipts = { seller: EXAMPLE_SELLER, dayOf: dayInAlgiers }
  const deps = { methods: { of: () => method }, receipts } as unknown as Parameters<
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
})
