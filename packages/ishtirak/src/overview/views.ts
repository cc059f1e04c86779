// The API's view of payments and users for operators and the platform: what the user sees, and more.
import { Type } from 'typebox'
import { viewParts, withParts } from '../acts/file-parts.js'
import { viewStanding } from '../acts/preview.js'
import { reading } from '../acts/reading.js'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import type { StoredReport } from '../core/stored-report.js'
import { viewAs } from '../http/schemas.js'
import { viewPayment, viewStatus } from '../ledger/schemas.js'
import { PAYMENT, type SubjectDeps, USER, UserParamsSchema } from '../ledger/subjects.js'
import { viewTimeList } from '../ledger/time-list.js'
import type { ListedUser } from '../ledger/user-list.js'
import { platformApi, userApi } from '../ledger/user-routes.js'
import type { ReadDeps } from './all-pages.js'
import { viewInboxEntry } from './inbox.js'
import { type PaymentFile, showPayment, showUser, type UserFile } from './read-files.js'
import {
  ListedUserSchema,
  OperatorMembersSchema,
  PaymentFileSchema,
  StoredReportSchema,
  userFileSchema,
} from './schemas.js'

/** Shows payments with addresses for the user's token, and with what only operators see. */
export function paymentViewForOperators(deps: ReadDeps) {
  const shown = { methods: deps.methods, api: userApi(deps) }
  const now = deps.clock.now()
  return (payment: Payment) => {
    const { userId: user_id, review } = payment
    const said = review && { ...review, provider_status: review.status }
    const more = viewAs(OperatorMembersSchema, { ...payment, review: said })
    return { user_id, ...viewPayment(payment, now, shown), ...more }
  }
}

export function paymentViewForPlatform(deps: ReadDeps) {
  const now = deps.clock.now()
  return (payment: Payment) => {
    const { userId: user_id } = payment
    const api = platformApi(deps, user_id)
    return { user_id, ...viewPayment(payment, now, { methods: deps.methods, api }) }
  }
}

/** Outcomes of a report that settled the payment. */
const BELIEVED: readonly StoredReport['outcome'][] = ['booked', 'booked_second', 'moved']

function viewPaymentFile({ payment, parts, reports, ...file }: PaymentFile, deps: ReadDeps) {
  return {
    ...{ ...file, payment: paymentViewForOperators(deps)(payment) },
    ...viewParts(deps.fileParts.payment, parts, payment),
    settled_by: reports.findLast(({ outcome }) => BELIEVED.includes(outcome))?.source ?? null,
    reports: reports.map((report) =>
      viewAs(StoredReportSchema, {
        ...{ ...report, at: report.heardAt, event_id: report.eventId ?? null },
        paid_at: report.saidPaidAt ?? null,
        paid_at_believed: report.isInstantBelieved !== false,
      }),
    ),
  }
}

function viewUserFile({ user, subscription, parts, ...file }: UserFile, deps: ReadDeps) {
  const { userId: user_id, email, name, phone, locale, createdAt } = user
  const { run, paidUntil, endedAt } = user.subscription
  return {
    ...{ user_id, email, name, phone, locale, created_at: toTimestamp(createdAt) },
    ...viewStatus(subscription),
    limits: subscription.plan.limits,
    anchor_at: timestampOrNull(run?.anchorAt ?? null),
    paid_until: timestampOrNull(paidUntil),
    ended_at: timestampOrNull(endedAt),
    waiting: file.waiting.map(viewInboxEntry),
    time: viewTimeList(file.time),
    payments: file.payments.map(paymentViewForOperators(deps)),
    ...viewParts(deps.fileParts.user, parts, { userId: user_id }),
    audit: file.audit,
  }
}

export function viewListedUser({ now, subscription, ...user }: ListedUser) {
  const balance = subscription.balance?.amount ?? 0
  const ended_plan = now.endedPlan?.id ?? null
  return viewAs(ListedUserSchema, { ...user, ...viewStanding(now), ended_plan, balance })
}

/** The files of payments and users, which acts on them answer and their pages show. */
export function operatorFiles(deps: ReadDeps): SubjectDeps['files'] {
  return {
    payment: {
      get schema() {
        return withParts('PaymentFile', PaymentFileSchema.properties, deps.fileParts.payment)
      },
      read: (id) => showPayment(deps, id),
      view: (file: PaymentFile) => viewPaymentFile(file, deps),
    },
    user: {
      get schema() {
        return userFileSchema(deps.catalogue.limits, deps.inbox.kinds, deps.fileParts)
      },
      read: (id) => showUser(deps, id),
      view: (file: UserFile) => viewUserFile(file, deps),
    },
  }
}

export const paymentFile = reading<SubjectDeps>()({
  path: PAYMENT.path,
  operationId: 'getPaymentFile',
  summary: 'Everything known of one payment',
  params: Type.Object({ payment_id: Type.String({ maxLength: 100 }) }),
  answer: ({ files }) => files.payment.schema,
  command: { ...PAYMENT.command, usage: 'payments show <payment>' },
  read: async ({ files }, { params }) => files.payment.view(await files.payment.read(params.payment_id)),
})

export const userFile = reading<SubjectDeps>()({
  path: USER.path,
  operationId: 'getUserFile',
  summary: 'Everything known of one user',
  params: UserParamsSchema,
  answer: ({ files }) => files.user.schema,
  command: { ...USER.command, usage: 'users show <user>' },
  read: async ({ files }, { params }) => files.user.view(await files.user.read(params.user_id)),
})
