// What the operator sees, as the API writes it: the payment as its user sees it, and behind it what only we know.
import type { Static } from 'typebox'
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import type { KeptReport } from '../core/kept-report.js'
import type { Payment } from '../core/payment.js'
import { receiptNumber } from '../core/receipt.js'
import type { RecordedAct } from '../payments/audit.sql.js'
import { viewPayment, viewStatus } from '../payments/views.js'
import type { PaymentFile } from './payments.js'
import type { ComparisonReport } from './reconcile.js'
import type { Comparison, RecordedFinding } from './reconcile.sql.js'
import type { OperatorPaymentSchema } from './schemas.js'
import type { UserFile } from './users.js'
import type { Found } from './users.sql.js'

/** The instant that statuses are read at, and where receipts are. */
export interface ViewContext {
  readonly now: Instant
  readonly publicUrl: string
}

export function viewOperatorPayment(
  payment: Payment,
  { now, publicUrl }: ViewContext,
): Static<typeof OperatorPaymentSchema> {
  const { review } = payment
  return {
    user_id: payment.userId,
    ...viewPayment(payment, now, publicUrl),
    checkout_id: payment.checkoutId,
    live: payment.live,
    second_of: payment.secondOf,
    next_check_at: timestampOrNull(payment.nextCheckAt),
    review: review && {
      differences: [...review.differences],
      provider_status: review.status,
      amount: review.amount,
      currency: review.currency,
      paid_at: toTimestamp(review.paidAt),
      checkout_id: review.checkoutId,
    },
  }
}

export function viewPaymentFile(file: PaymentFile, context: ViewContext) {
  const { receipt } = file
  return {
    payment: viewOperatorPayment(file.payment, context),
    receipt: receipt && {
      number: receiptNumber(receipt.series, receipt.number),
      issued_at: toTimestamp(receipt.issuedAt),
    },
    settled_by: file.reports.findLast(({ outcome }) => BELIEVED.includes(outcome))?.source ?? null,
    reports: file.reports.map(viewReport),
    received: file.received.map((event) => ({ ...event, at: toTimestamp(event.at) })),
    sent: file.sent.map((event) => ({ ...event, at: toTimestamp(event.at) })),
    audit: file.acts.map(viewAct),
  }
}

/** What follows from a report that is believed; the others leave a payment to the operator, or end it. */
const BELIEVED: readonly KeptReport['outcome'][] = ['booked', 'booked_second', 'moved']

function viewReport(report: KeptReport) {
  return {
    at: toTimestamp(report.heardAt),
    source: report.source,
    event_id: report.eventId,
    outcome: report.outcome,
    status: report.status,
    amount: report.amount,
    currency: report.currency,
    live: report.live,
    payment_id: report.paymentId,
    checkout_id: report.checkoutId,
    paid_at: timestampOrNull(report.saidPaidAt),
    paid_at_believed: report.isInstantBelieved,
  }
}

export function viewFound({ users, payments }: Found, context: ViewContext) {
  return {
    users: users.map(({ userId, email, name }) => ({ user_id: userId, email, name })),
    payments: payments.map((payment) => viewOperatorPayment(payment, context)),
  }
}

export function viewUserFile({ user, subscription, payments, acts }: UserFile, context: ViewContext) {
  const { run, paidUntil, endedAt } = user.subscription
  return {
    user_id: user.userId,
    email: user.email,
    name: user.name,
    locale: user.locale,
    created_at: toTimestamp(user.createdAt),
    ...viewStatus(subscription),
    limits: subscription.plan.limits,
    anchor_at: timestampOrNull(run?.anchorAt ?? null),
    paid_until: timestampOrNull(paidUntil),
    ended_at: timestampOrNull(endedAt),
    payments: payments.map((payment) => viewOperatorPayment(payment, context)),
    audit: acts.map(viewAct),
  }
}

export function viewReconciliation({ comparison, findings }: ComparisonReport) {
  return { reconciliation: viewComparison(comparison), findings: findings.map(viewFinding) }
}

export function viewComparison(comparison: Comparison) {
  return {
    id: comparison.id,
    since: toTimestamp(comparison.sinceAt),
    started_by: comparison.startedBy,
    started_at: toTimestamp(comparison.startedAt),
    finished_at: timestampOrNull(comparison.finishedAt),
    next_round_at: toTimestamp(comparison.nextRoundAt),
    calls: comparison.calls,
    checkouts: comparison.checkouts,
    findings: comparison.findings,
  }
}

export function viewFinding(finding: RecordedFinding) {
  return {
    kind: finding.kind,
    outcome: finding.outcome,
    user_id: finding.userId === '' ? null : finding.userId,
    payment_id: finding.paymentId,
    checkout_id: finding.checkoutId,
    found_at: toTimestamp(finding.foundAt),
    seen_at: toTimestamp(finding.seenAt),
    details: finding.details,
  }
}

function viewAct(act: RecordedAct) {
  const { id, actor, before, after, reason: why, paymentId: payment_id } = act
  return { id, at: toTimestamp(act.actedAt), actor, act: act.act, why, payment_id, before, after }
}
