// The part of a provider's report that a payment stores.
import type { CheckoutReport, ReportSource } from './checkout.js'
import type { Instant } from './instant.js'
import { isInstantBelieved, type Payment, priceAsked } from './payment.js'
import type { Settlement, SettlementOutcome } from './settlement.js'

type Repeated = Pick<CheckoutReport, 'amount' | 'currency' | 'live' | 'paymentId' | 'checkoutId'>

/** What is stored of each report. A repeated member that is absent is as the payment has it. */
export interface StoredReport extends Pick<CheckoutReport, 'status'>, Partial<Repeated> {
  readonly source: ReportSource
  /** Whole dinars; absent: the provider did not say. */
  readonly fees?: number
  readonly eventId?: string
  readonly heardAt: Instant
  readonly outcome: SettlementOutcome
  /** The provider's instant of payment; absent: it named none, or reported no payment. */
  readonly saidPaidAt?: Instant
  /** Set if the payment counts from another instant than the reported one. */
  readonly isInstantBelieved?: false
}

/** A report without a difference repeats exactly this. */
function repeatedOf(payment: Payment): Repeated {
  const { id: paymentId, checkoutId, live } = payment
  return { ...priceAsked(payment), live, paymentId, checkoutId: checkoutId ?? '' }
}

/** The stored report of a payment, with what it repeats of it. */
export function wholeReport(payment: Payment, stored: StoredReport): StoredReport & Repeated {
  return { ...repeatedOf(payment), ...stored }
}

/** Null if the report settles nothing: it only opened a checkout, or only ended the lookups. */
export function reportToStore(
  { payment, outcome }: Settlement,
  about: Payment,
  heard: {
    readonly report: CheckoutReport
    readonly source: ReportSource
    readonly eventId: string | undefined
    readonly now: Instant
  },
): StoredReport | null {
  if (payment === null || payment.status === 'pending' || outcome === 'unchanged') return null
  const { report, source, eventId, now } = heard
  const { status, amount, currency, live, paymentId, checkoutId, updatedAt } = report
  const said: Repeated = { amount, currency, live, paymentId, checkoutId }
  const repeated = repeatedOf(payment)
  const isOther = ([name]: [string, unknown]) =>
    said[name as keyof Repeated] !== repeated[name as keyof Repeated]
  const isPaid = status === 'paid'
  return {
    ...Object.fromEntries(Object.entries(said).filter(isOther)),
    ...{ source, heardAt: now, outcome, status },
    ...(eventId !== undefined && { eventId }),
    ...(isPaid && report.fees !== undefined && { fees: report.fees }),
    ...(isPaid && updatedAt !== null && { saidPaidAt: updatedAt }),
    ...(isPaid && !isInstantBelieved(about, report, now) && { isInstantBelieved: false as const }),
  }
}
