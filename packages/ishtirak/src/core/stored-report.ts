// What a payment keeps of the reports that changed it.
import type { CheckoutReport, ReportSource } from './checkout.js'
import type { Instant } from './instant.js'
import { isInstantBelieved, type Payment } from './payment.js'
import type { Settlement, SettlementOutcome } from './settlement.js'

/** What a payment keeps of each report that changed it: of two that differ, which was accepted. */
export interface StoredReport
  extends Pick<CheckoutReport, 'status' | 'amount' | 'currency' | 'live' | 'paymentId' | 'checkoutId'> {
  readonly source: ReportSource
  /** In whole dinars; absent where the provider did not say. */
  readonly fees?: number
  /** Null when we asked the provider ourselves. */
  readonly eventId: string | null
  readonly heardAt: Instant
  readonly outcome: SettlementOutcome
  /** The provider's instant of payment; null if it named none or reported no payment. */
  readonly saidPaidAt: Instant | null
  /** False: the payment counts from another instant than the reported one. */
  readonly isInstantBelieved: boolean
}

/** Null where the report settles nothing: a checkout was opened, or only the looking at it ends. */
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
