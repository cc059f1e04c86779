// What the operator sees, as the API writes it: the payment as its user sees it, and behind it what only we know.
import type { Static } from 'typebox'
import { describeGrant } from '../core/event.js'
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import type { KeptReport } from '../core/kept-report.js'
import type { Payment } from '../core/payment.js'
import type { Subscription } from '../core/subscription.js'
import { approvalsNeeded } from '../core/transfer.js'
import { viewPayment, viewStatus } from '../payments/schemas.js'
import { viewProof } from '../payments/transfer/proof.route.js'
import type { PaymentViewDeps } from '../payments/transfer/schemas.js'
import type { Clock } from '../runtime/clock.js'
import type { PaymentFile, RefundPreview, UserFile } from './acts.js'
import type { DecisionLook } from './approvals.js'
import type { Look, ProviderLook } from './look.js'
import type { OperatorPaymentSchema } from './schemas.js'
import { describeDecided } from './transfer-state.js'

/** The instant that statuses are read at, and what payments are shown with. */
export interface ViewContext extends PaymentViewDeps {
  readonly now: Instant
  readonly secondApprovalFrom: number | null
}

export interface ViewDeps extends Omit<ViewContext, 'now'> {
  readonly clock: Clock
}

export function viewedNow({ clock, publicUrl, methods, secondApprovalFrom }: ViewDeps): ViewContext {
  return { now: clock.now(), publicUrl, methods, secondApprovalFrom }
}

export function viewOperatorPayment(
  payment: Payment,
  { now, ...shown }: ViewContext,
): Static<typeof OperatorPaymentSchema> {
  const { review } = payment
  return {
    user_id: payment.userId,
    ...viewPayment(payment, now, shown),
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

function viewTransfer(
  { transfer, payment, proofs }: Pick<PaymentFile, 'transfer' | 'payment' | 'proofs'>,
  { secondApprovalFrom }: ViewContext,
) {
  if (!transfer) return null
  const amount = transfer.approvals.at(-1)?.amount ?? payment.price.amount
  return {
    ...describeDecided(transfer),
    approvals_needed: approvalsNeeded(payment, amount, secondApprovalFrom),
    proofs: proofs.map(viewProof),
  }
}

/** What follows from a report that is believed; the others leave a payment to the operator, or end it. */
const BELIEVED: readonly KeptReport['outcome'][] = ['booked', 'booked_second', 'moved']

export function viewPaymentFile(
  { payment, transfer, proofs, receipt, reports, received, sent, audit }: PaymentFile,
  context: ViewContext,
) {
  return {
    payment: viewOperatorPayment(payment, context),
    transfer: viewTransfer({ transfer, payment, proofs }, context),
    settled_by: reports.findLast(({ outcome }) => BELIEVED.includes(outcome))?.source ?? null,
    reports: reports.map(viewReport),
    ...{ receipt, received, sent, audit },
  }
}

function viewReport(report: KeptReport) {
  const { source, outcome, status, amount, currency, live } = report
  return {
    ...{ at: toTimestamp(report.heardAt), source, outcome, status, amount, currency, live },
    event_id: report.eventId,
    payment_id: report.paymentId,
    checkout_id: report.checkoutId,
    paid_at: timestampOrNull(report.saidPaidAt),
    paid_at_believed: report.isInstantBelieved,
  }
}

export function viewUserFile(
  { user, subscription, payments, grants, audit }: UserFile,
  context: ViewContext,
) {
  const { userId: user_id, email, name, locale, createdAt } = user
  const { run, paidUntil, endedAt } = user.subscription
  return {
    ...{ user_id, email, name, locale, created_at: toTimestamp(createdAt) },
    ...viewStatus(subscription),
    limits: subscription.plan.limits,
    anchor_at: timestampOrNull(run?.anchorAt ?? null),
    paid_until: timestampOrNull(paidUntil),
    ended_at: timestampOrNull(endedAt),
    payments: payments.map((payment) => viewOperatorPayment(payment, context)),
    grants: grants.map((grant) => ({
      ...describeGrant(grant),
      ...{ granted_at: toTimestamp(grant.grantedAt), granted_by: grant.by, why: grant.why },
      operation_id: grant.operationId,
    })),
    audit,
  }
}

function standing(subscription: Subscription) {
  const { plan, status, current_period_end } = viewStatus(subscription)
  return { plan, status, current_period_end }
}

export function viewLook({ isAnswered, said, ...look }: ProviderLook) {
  return {
    ...viewChange(look),
    answered: isAnswered,
    provider: said && { status: said.status, amount: said.amount, currency: said.currency },
  }
}

export function viewDecision({ approvals, ...look }: DecisionLook) {
  return { ...viewChange(look), approvals }
}

function viewChange({ payment, status, access }: Pick<Look, 'payment' | 'status' | 'access'>) {
  return {
    payment_id: payment.id,
    user_id: payment.userId,
    payment_status: { before: publicStatus(status.before), after: publicStatus(status.after) },
    before: standing(access.before),
    after: standing(access.after),
  }
}

/** Users and operators know no `requested`. */
function publicStatus(status: Payment['status']) {
  return status === 'requested' ? 'pending' : status
}

export function viewRefundPreview({ payment, paid, before, after, moved, events }: RefundPreview) {
  return {
    payment_id: payment.id,
    user_id: payment.userId,
    amount: payment.price.amount,
    ...paid,
    currency: payment.price.currency,
    before: standing(before),
    after: standing(after),
    moved: moved.map(({ from, to }) => ({
      id: to.sourceId,
      period_start: toTimestamp(from.start),
      period_end: toTimestamp(from.end),
      new_period_start: toTimestamp(to.periodStart),
      new_period_end: toTimestamp(to.periodEnd),
    })),
    events: [...events],
  }
}
