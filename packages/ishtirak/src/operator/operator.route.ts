// The operator's API, behind a key with a name: look at any payment or user, act on it, compare the books, manage events,
// download. Without OPERATOR_KEYS it refuses every call. Every act is in the audit trail under the key's name.
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Database } from '../database/database.js'
import {
  type ManageEventsDeps,
  reportEvents,
  resendAllWaiting,
  resendFrom,
  skipEvent,
} from '../events/manage-events.js'
import type { App } from '../http/app.js'
import type { Callers } from '../http/callers.js'
import type { By } from '../payments/audit.sql.js'
import { type RecordDeps, recordPayment } from '../payments/desk/record.js'
import {
  acceptPayment,
  endUser,
  type GrantDeps,
  grantDays,
  type PaymentFile,
  previewRefund,
  recheckPayment,
  refundPayment,
  showPayment,
  showUser,
} from './acts.js'
import { type ApprovalDeps, approvePayment, refusePayment } from './approvals.js'
import { type BackupDeps, backUp } from './backup.js'
import type { CodesDeps } from './codes.js'
import { codeRoutes } from './codes.route.js'
import { type ExportDeps, exportPayments } from './export.js'
import { OPERATIONS, routeAt } from './operations.js'
import { newestPayments, search } from './operator.sql.js'
import { downloadProof } from './proofs.js'
import { continueReconciliation, type ReconcileDeps, startReconciliation } from './reconcile.js'
import { listComparisons } from './reconcile.sql.js'
import { readInstant, userFileSchema } from './schemas.js'
import {
  type ViewContext,
  viewOperatorPayment,
  viewPaymentFile,
  viewRefundPreview,
  viewUserFile,
} from './views.js'

export interface OperatorRoutesDeps
  extends ReconcileDeps,
    ExportDeps,
    BackupDeps,
    ManageEventsDeps,
    RecordDeps,
    CodesDeps,
    GrantDeps,
    ApprovalDeps {
  readonly database: Database
  /** Known by the name of their key. */
  readonly operators: Callers<string>
  readonly publicUrl: string
}

export function operatorRoutes(deps: OperatorRoutesDeps) {
  return async (app: App): Promise<void> => {
    app.addHook('onRequest', deps.operators.onRequest)
    paymentRoutes(app, deps)
    userRoutes(app, deps)
    reconcileRoutes(app, deps)
    downloadRoutes(app, deps)
    proofRoute(app, deps)
    eventRoutes(app, deps)
    codeRoutes(app, deps, (request, why) => actedBy(deps, request, why))
  }
}

/** With the answer as this catalogue has it. */
function answering<Operation extends { readonly schema: { readonly response: object } }>(
  operation: Operation,
  answer: TSchema,
): Operation {
  const { schema } = operation
  return { ...operation, schema: { ...schema, response: { ...schema.response, 200: answer } } }
}

function actedBy({ operators }: OperatorRoutesDeps, request: FastifyRequest, why?: string): By {
  return { operator: operators.of(request), reason: why ?? null }
}

function viewedNow({ clock, publicUrl, methods, secondApprovalFrom }: OperatorRoutesDeps): ViewContext {
  return { now: clock.now(), publicUrl, methods, secondApprovalFrom }
}

function paymentRoutes(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.listAllPayments), async ({ query }) => {
    const { status = null, method: way = null, user_id: userId = null, limit = 50 } = query
    const payments = await newestPayments(deps.database, { status, way, userId, limit }, deps.clock.now())
    return { data: payments.map((payment) => viewOperatorPayment(payment, viewedNow(deps))) }
  })
  app.get(...routeAt(OPERATIONS.getPaymentFile), async ({ params }) =>
    viewPaymentFile(await showPayment(deps, params.payment_id), viewedNow(deps)),
  )
  app.get(...routeAt(OPERATIONS.previewRefund), async ({ params }) =>
    viewRefundPreview(await previewRefund(deps, params.payment_id)),
  )
  app.post(...routeAt(OPERATIONS.recordPayment), async (request) => {
    const { user_id: userId, plan: planId, months = 1, why, ...taken } = request.body
    const paymentId = await recordPayment(
      deps,
      { userId, planId, months, ...taken },
      actedBy(deps, request, why),
    )
    return viewPaymentFile(await showPayment(deps, paymentId), viewedNow(deps))
  })
  const act = async (
    run: (deps: OperatorRoutesDeps, paymentId: string, by: By) => Promise<PaymentFile>,
    { payment_id }: { readonly payment_id: string },
    by: By,
  ) => viewPaymentFile(await run(deps, payment_id, by), viewedNow(deps))
  app.post(...routeAt(OPERATIONS.recheckPayment), (request) =>
    act(recheckPayment, request.params, actedBy(deps, request, request.body.why)),
  )
  app.post(...routeAt(OPERATIONS.acceptPayment), (request) =>
    act(acceptPayment, request.params, actedBy(deps, request, request.body.why)),
  )
  app.post(...routeAt(OPERATIONS.approvePayment), async (request) => {
    const { amount, received_at, payment_method: instrument, why } = request.body
    const received = { amount, receivedAt: readInstant('received_at', received_at), instrument }
    const by = actedBy(deps, request, why)
    const file = await approvePayment(deps, request.params.payment_id, received, by)
    return viewPaymentFile(file, viewedNow(deps))
  })
  app.post(...routeAt(OPERATIONS.refusePayment), async (request) => {
    const by = { operator: deps.operators.of(request), reason: request.body.why }
    return viewPaymentFile(await refusePayment(deps, request.params.payment_id, by), viewedNow(deps))
  })
  app.post(...routeAt(OPERATIONS.recordRefund), (request) =>
    act(refundPayment, request.params, actedBy(deps, request, request.body.why)),
  )
}

function userRoutes(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.search), async ({ query }) => {
    const { users, payments } = await search(deps, query.q)
    return { users, payments: payments.map((payment) => viewOperatorPayment(payment, viewedNow(deps))) }
  })
  const answer = userFileSchema(deps.catalogue.limits)
  app.get(...routeAt(answering(OPERATIONS.getUserFile, answer)), async ({ params }) =>
    viewUserFile(await showUser(deps, params.user_id), viewedNow(deps)),
  )
  app.post(...routeAt(answering(OPERATIONS.grantDays, answer)), async (request) => {
    const { days, plan: planId = null, operation_id: operationId = null, why } = request.body
    const by = actedBy(deps, request, why)
    const { user_id } = request.params
    return viewUserFile(await grantDays(deps, user_id, { days, planId, operationId }, by), viewedNow(deps))
  })
  app.post(...routeAt(answering(OPERATIONS.endAccess, answer)), async (request) => {
    const by = actedBy(deps, request, request.body.why)
    return viewUserFile(await endUser(deps, request.params.user_id, by), viewedNow(deps))
  })
}

const SHOWN = { comparisons: 10, findings: 100 }

function reconcileRoutes(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.listReconciliations), async () => {
    const { comparisons, findings } = await listComparisons(deps.database, null, SHOWN)
    return { data: comparisons, findings }
  })
  app.post(...routeAt(OPERATIONS.startReconciliation), async (request) => {
    const { since, unknown = 'report', why } = request.body
    const wanted = { sinceAt: readInstant('since', since), booksUnknown: unknown === 'book' }
    return startReconciliation(deps, wanted, actedBy(deps, request, why))
  })
  app.post(...routeAt(OPERATIONS.continueReconciliation), async ({ params }) =>
    continueReconciliation(deps, params.reconciliation_id),
  )
}

function downloadRoutes(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.exportPayments), async (request, reply) => {
    const { month, method: way = null } = request.query
    const pieces = await exportPayments(deps, { month, way, operator: deps.operators.of(request) })
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="payments-${month}.csv"`)
      .send(Readable.from(pieces))
  })
  app.get(...routeAt(OPERATIONS.downloadBackup), async (request, reply) => {
    const content = await backUp(deps, { operator: deps.operators.of(request) })
    return reply
      .type('application/gzip')
      .header('content-disposition', 'attachment; filename="ishtirak.backup.gz"')
      .send(Readable.from(content))
  })
}

/** It was sent by a user: a browser that shows it after all runs nothing of it. */
const HARMLESS = { 'content-security-policy': "default-src 'none'; sandbox", 'cache-control': 'no-store' }

function proofRoute(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.downloadProof), async (request, reply) => {
    const { payment_id: paymentId, n } = request.params
    const operator = deps.operators.of(request)
    const { type, bytes, name, content } = await downloadProof(deps, { paymentId, n: Number(n), operator })
    return reply
      .type(type)
      .headers({ ...HARMLESS, 'content-disposition': `attachment; filename="${name}"` })
      .header('content-length', bytes)
      .send(Readable.from(content))
  })
}

function eventRoutes(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.listEvents), async ({ query }) => {
    const { user_id: userId = null, state, limit = 50 } = query
    return reportEvents(deps, { userId, waiting: state === 'waiting', limit })
  })
  app.post(...routeAt(OPERATIONS.resendEvent), (request) =>
    resendFrom(deps, request.params.event_id, actedBy(deps, request, request.body.why)),
  )
  app.post(...routeAt(OPERATIONS.resendWaitingEvents), (request) =>
    resendAllWaiting(deps, actedBy(deps, request, request.body.why)),
  )
  app.post(...routeAt(OPERATIONS.skipEvent), async (request) => {
    await skipEvent(deps, request.params.event_id, actedBy(deps, request, request.body.why))
    return { skipped: true as const }
  })
}
