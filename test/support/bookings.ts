// The booking of a first month, as the service decides it.
import type { Payment } from '../../packages/ishtirak/src/core/payment.js'
import type { NewDocument } from '../../packages/ishtirak/src/ledger/documents.sql.js'
import type { SettlementChange } from '../../packages/ishtirak/src/ledger/settle.sql.js'
import { EXAMPLE_SELLER } from '../../packages/ishtirak/src/runtime/seller.js'
import { aReport, days, NOON, PRO } from './fixtures.js'

export function bookingOf(
  payment: Payment,
  of: { readonly version: number; readonly eventId: string; readonly series?: string | undefined },
): SettlementChange {
  const { version, eventId, series = '2026' } = of
  const period = { start: NOON, end: NOON + days(30), sourceId: payment.id, plan: PRO, months: 1 }
  const subscription = { run: { anchorAt: NOON, months: 1 }, paidUntil: period.end, periods: [period] }
  const received = { method: 'chargily', id: eventId, type: 'checkout.paid', outcome: 'booked' } as const
  return {
    ...{ userId: payment.userId, version, before: payment, events: [], codeUse: null, now: NOON },
    payment: { ...payment, status: 'paid', paidAt: NOON, periodStart: period.start, periodEnd: period.end },
    subscription: { ...subscription, endedAt: null, instrument: 'cib', balance: null },
    received: { ...received, report: aReport(), receivedAt: NOON },
    documents: [documentOf(payment, series)],
  }
}

function documentOf({ id, price }: Payment, series: string): NewDocument {
  const tax = { kind: 'exempt', mention: { en: 'exempt', fr: 'exonéré', ar: 'معفى' } } as const
  const buyer = { userId: 'user-1', name: null, email: null }
  return {
    ...{ payment_id: id, place: 0, kind: 'receipt', series, issued_on: '2026-11-21', owes: false },
    seller: EXAMPLE_SELLER.identity,
    ...{ net_centimes: price.amount * 100, tax_centimes: 0, duty_centimes: 0, discount_centimes: 0 },
    fee_centimes: null,
    snapshot: {
      ...{ buyer, planName: 'Pro', paidOn: '2026-11-21', periodFrom: null, periodTo: null },
      ...{ months: 1, amount: price.amount, tax, paymentMethod: 'cib', checkoutId: null, live: false },
    },
  }
}
