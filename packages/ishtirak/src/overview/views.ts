// The API's view of payments and users for operators and the platform: what the user sees, and more.
import { type FileParts, viewParts } from '../acts/file-parts.js'
import { viewStanding } from '../acts/preview.js'
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import type { Catalogue } from '../core/plan.js'
import type { StoredReport } from '../core/stored-report.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { viewPayment, viewStatus } from '../ledger/schemas.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import { viewTimeList } from '../ledger/time-list.js'
import type { PaymentViewDeps } from '../ledger/transfer-view.js'
import type { ListedUser } from '../ledger/user-list.js'
import { platformApi, userApi } from '../ledger/user-routes.js'
import type { Clock } from '../runtime/clock.js'
import type { Inbox } from './inbox.sql.js'
import { viewInboxEntry } from './inbox-schemas.js'
import { type PaymentFile, showPayment, showUser, type UserFile } from './read-files.js'
import { paymentFileSchema, userFileSchema } from './schemas.js'
import type { Found } from './search.js'

/** What the views need besides the payment or user. Statuses are those at `now`. */
export interface ViewContext extends PaymentViewDeps {
  readonly now: Instant
  readonly fileParts: FileParts
}

export interface ViewDeps extends Omit<ViewContext, 'now' | 'api'> {
  readonly clock: Clock
  readonly publicUrl: string
}

export function viewedNow({ clock, publicUrl, methods, fileParts }: ViewDeps): ViewContext {
  return { now: clock.now(), api: userApi({ publicUrl }), methods, fileParts }
}

export function viewOperatorPayment(payment: Payment, { now, ...shown }: ViewContext) {
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

/** The payment with addresses for the platform's key. */
export function viewPlatformPayment(payment: Payment, deps: ViewDeps, now: Instant) {
  const { userId: user_id } = payment
  return { user_id, ...viewPayment(payment, now, { methods: deps.methods, api: platformApi(deps, user_id) }) }
}

/** Outcomes of a report that settled the payment. */
const BELIEVED: readonly StoredReport['outcome'][] = ['booked', 'booked_second', 'moved']

function viewPaymentFile(
  { payment, parts, receipt, reports, received, sent, audit }: PaymentFile,
  context: ViewContext,
) {
  return {
    payment: viewOperatorPayment(payment, context),
    ...viewParts(context.fileParts.payment, parts, payment),
    settled_by: reports.findLast(({ outcome }) => BELIEVED.includes(outcome))?.source ?? null,
    reports: reports.map(viewReport),
    ...{ receipt, received, sent, audit },
  }
}

function viewReport(report: PaymentFile['reports'][number]) {
  const { source, outcome, status, amount, currency, live } = report
  return {
    ...{ at: toTimestamp(report.heardAt), source, outcome, status, amount, currency, live },
    event_id: report.eventId ?? null,
    payment_id: report.paymentId,
    checkout_id: report.checkoutId,
    paid_at: timestampOrNull(report.saidPaidAt),
    paid_at_believed: report.isInstantBelieved !== false,
  }
}

function viewUserFile(
  { user, subscription, waiting, time, payments, parts, audit }: UserFile,
  context: ViewContext,
) {
  const { userId: user_id, email, name, phone, locale, createdAt } = user
  const { run, paidUntil, endedAt } = user.subscription
  return {
    ...{ user_id, email, name, phone, locale, created_at: toTimestamp(createdAt) },
    ...viewStatus(subscription),
    limits: subscription.plan.limits,
    anchor_at: timestampOrNull(run?.anchorAt ?? null),
    paid_until: timestampOrNull(paidUntil),
    ended_at: timestampOrNull(endedAt),
    waiting: waiting.map(viewInboxEntry),
    time: viewTimeList(time),
    payments: payments.map((payment) => viewOperatorPayment(payment, context)),
    ...viewParts(context.fileParts.user, parts, { userId: user_id }),
    audit,
  }
}

export function viewListedUser({ now, subscription, createdAt, ...user }: ListedUser) {
  const { userId: user_id, email, name, state } = user
  return {
    ...{ user_id, email, name, state, ...viewStanding(now), ended_plan: now.endedPlan?.id ?? null },
    balance: subscription.balance?.amount ?? 0,
    created_at: toTimestamp(createdAt),
  }
}

export function viewFoundUser({ subscription, buyer, ...user }: Found['users'][number]) {
  const { userId: user_id, email, name, exact } = user
  return { user_id, email, name, buyer_name: buyer?.name ?? null, ...viewStanding(subscription), exact }
}

/** The files of payments and users, which acts on them answer and their pages show. */
export function operatorFiles(
  deps: ViewDeps & ChangeDeps & { readonly catalogue: Catalogue; readonly inbox: Inbox },
): SubjectDeps['files'] {
  return {
    payment: {
      get schema() {
        return paymentFileSchema(deps.fileParts)
      },
      read: (id) => showPayment(deps, id),
      view: (file: PaymentFile) => viewPaymentFile(file, viewedNow(deps)),
    },
    user: {
      get schema() {
        return userFileSchema(deps.catalogue.limits, deps.inbox.kinds, deps.fileParts)
      },
      read: (id) => showUser(deps, id),
      view: (file: UserFile) => viewUserFile(file, viewedNow(deps)),
    },
  }
}
