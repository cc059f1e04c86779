// The booking of a first month, as the service decides it.
import type { Payment } from '../../packages/ishtirak/src/core/payment.js'
import { NEVER_PAID } from '../../packages/ishtirak/src/core/subscription.js'
import type { NewDocument } from '../../packages/ishtirak/src/ledger/documents.js'
import { sellerHash } from '../../packages/ishtirak/src/ledger/documents.sql.js'
import { changeOf, type SettlementChange } from '../../packages/ishtirak/src/ledger/settlement-change.js'
import { EXAMPLE_SELLER } from '../../packages/ishtirak/src/runtime/seller.js'
import { aReport, days, NOON, PRO } from './fixtures.js'

export function bookingOf(
  payment: Payment,
  of: { readonly version: number; readonly eventId: string; readonly series?: string | undefined },
): SettlementChange {
  const { version, eventId, series = '2026' } = of
  const period = { start: NOON, end: NOON + days(30), sourceId: payment.id, plan: PRO, months: 1 }
  const run = { anchorAt: NOON, months: 1 }
  const paid = { run, paidUntil: period.end, periods: [period], endedAt: null, instrument: 'cib' }
  const received = { method: 'chargily', id: eventId, type: 'checkout.paid', outcome: 'booked' } as const
  const user = { version, subscription: NEVER_PAID, buyer: null, email: null, name: null, locale: null }
  const revision = {
    payment: { ...payment, status: 'paid', paidAt: NOON, periodStart: period.start, periodEnd: period.end },
    subscription: { ...paid, balance: null },
    received: { ...received, report: aReport(), receivedAt: NOON },
    document: documentOf(payment, series),
    events: [],
  } as const
  // Without an event, an entry and an operator, nothing of the parts is used.
  return changeOf(
    {} as Parameters<typeof changeOf>[0],
    { userId: payment.userId, user, payment },
    revision,
    NOON,
  )
}

function documentOf({ id, price }: Payment, series: string): NewDocument {
  const tax = { kind: 'exempt', mention: { en: 'exempt', fr: 'exonéré', ar: 'معفى' } } as const
  const buyer = { userId: 'user-1', name: null, email: null }
  return {
    ...{ payment_id: id, place: 0, kind: 'receipt', series, issued_on: '2026-11-21', owes: false },
    seller: sellerHash(EXAMPLE_SELLER.identity),
    ...{ net_centimes: price.amount * 100, tax_centimes: 0, duty_centimes: 0, discount_centimes: 0 },
    fee_centimes: null,
    snapshot: {
      ...{ buyer, planName: 'Pro', paidOn: '2026-11-21', periodFrom: null, periodTo: null },
      ...{ months: 1, amount: price.amount, tax, paymentMethod: 'cib', checkoutId: null, live: false },
    },
  }
}
