// The part of a provider's report that a payment stores.
import type { CheckoutReport, ReportSource } from './checkout.js'
import type { Instant } from './instant.js'
import { isInstantBelieved, type Payment } from './payment.js'
import type { Settlement, SettlementOutcome } from './settlement.js'

/** What is stored of each report. If two differ, it shows which one was accepted. */
export interface StoredReport
  extends Pick<CheckoutReport, 'status' | 'amount' | 'currency' | 'live' | 'paymentId' | 'checkoutId'> {
  readonly source: ReportSource
  /** Whole dinars; absent: the provider did not say. */
  readonly fees?: number
  /** Null: we asked the provider. */
  readonly eventId: string | null
  readonly heardAt: Instant
  readonly outcome: SettlementOutcome
  /** The provider's instant of payment; null: it named none, or reported no payment. */
  readonly saidPaidAt: Instant | null
  /** False: the payment counts from another instant than the reported one. */
  readonly isInstantBelieved: boolean
}

/** Null if the report settles nothing: it only opened a checkout, or only ended the lookups. */
export function reportToStore(
  { payment, outcome }: Settlement,
  about: Payment,
  heard: {
    readonly report: CheckoutReport
    readonly source: ReportSource
    readonly eventId: string | null
    readonly now: Instant
  },
): StoredReport | null {
  if (payment === null || payment.status === 'pending' || outcome === 'unchanged') return null
  const { report, source, eventId, now } = heard
  const { status, amount, currency, live, paymentId, checkoutId, updatedAt } = report
  const isPaid = status === 'paid'
  const fees = isPaid ? report.fees : undefined
  return {
    source,
    eventId,
    heardAt: now,
    outcome,
    status,
    amount,
    currency,
    live,
    paymentId,
    checkoutId,
    ...(fees !== undefined && { fees }),
    saidPaidAt: isPaid ? updatedAt : null,
    isInstantBelieved: !isPaid || isInstantBelieved(about, report, now),
  }
}
