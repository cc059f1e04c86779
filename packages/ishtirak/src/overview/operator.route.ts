// The operator's API, behind a key with a name: look at any payment or user, act on it, compare the books, manage events,
// download. Without OPERATOR_KEYS it refuses every call. Every act is in the audit trail under the key's name.
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { viewSession } from '../access/session-operations.js'
import { listSessions, revokeSession } from '../access/sessions.js'
import type { By } from '../acts/audit.sql.js'
import { readInstant } from '../acts/day.js'
import { type RecordRefusal, recordRefusals } from '../acts/refusals.js'
import { sendFile } from '../acts/send-file.js'
import { type BackupDeps, backUp } from '../backup/backup.js'
import type { CodesDeps } from '../codes/batches.js'
import { codeRoutes } from '../codes/operator-codes.route.js'
import { closeFinding } from '../compare/findings.js'
import { continueReconciliation, type ReconcileDeps, startReconciliation } from '../compare/reconcile.js'
import { listComparisons } from '../compare/reconcile.sql.js'
import type { Operator } from '../core/role.js'
import type { Database } from '../database/database.js'
import { type RecordDeps, recordPayment } from '../desk/record.js'
import type { App } from '../http/app.js'
import type { Callers } from '../http/callers.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import { type FileDeps, showPayment } from './acts.js'
import { OPERATIONS, routeAt } from './operations.js'
import { type ReadRoutesDeps, readRoutes } from './reads.route.js'
import { viewedNow, viewPaymentFile } from './views.js'

export interface OperatorRoutesDeps
  extends ReconcileDeps,
    BackupDeps,
    RecordDeps,
    ReadRoutesDeps,
    CodesDeps,
    SubjectDeps,
    FileDeps {
  readonly database: Database
  /** Known by their key. */
  readonly operators: Callers<Operator>
  readonly publicUrl: string
  readonly recordRefusal: RecordRefusal
}

export function operatorRoutes(deps: OperatorRoutesDeps) {
  return async (app: App): Promise<void> => {
    app.addHook('onRequest', deps.operators.onRequest)
    recordRefusals(app, deps.recordRefusal, (request) => deps.operators.find(request)?.name ?? null)
    paymentRoutes(app, deps)
    reconcileRoutes(app, deps)
    downloadRoutes(app, deps)
    readRoutes(app, deps)
    sessionRoutes(app, deps)
    codeRoutes(app, deps, (request, why) => actedBy(deps, request, why))
  }
}

/** With the answer as this service has it. */
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

function paymentRoutes(app: App, deps: OperatorRoutesDeps): void {
  const { schema } = deps.files.payment
  app.post(...routeAt(answering(OPERATIONS.recordPayment, schema)), async (request) => {
    const {
      user_id: userId,
      new_user: newUser = false,
      plan: planId,
      months = 1,
      why,
      ...taken
    } = request.body
    const paymentId = await recordPayment(
      deps,
      { userId, newUser, planId, months, ...taken },
      actedBy(deps, request, why),
    )
    return viewPaymentFile(await showPayment(deps, paymentId), viewedNow(deps))
  })
}

function sessionRoutes(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.listOperatorSessions), async () => {
    const { sessions, acts } = await listSessions(deps)
    return { data: sessions.map(viewSession), audit: acts }
  })
  app.post(...routeAt(OPERATIONS.revokeOperatorSession), async (request) =>
    viewSession(
      await revokeSession(deps, request.params.session_id, actedBy(deps, request, request.body.why)),
    ),
  )
}

const SHOWN = { comparisons: 10, findings: 100 }

function reconcileRoutes(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.listReconciliations), async () => {
    const { comparisons, findings } = await listComparisons(deps.database, null, SHOWN)
    return { data: comparisons, findings }
  })
  app.post(...routeAt(OPERATIONS.startReconciliation), async (request) => {
    const { since, unknown = 'report', gateway, why } = request.body
    const sinceAt = readInstant(deps.wallClock, 'since', since)
    const wanted = { sinceAt, booksUnknown: unknown === 'book', gateway }
    return startReconciliation(deps, wanted, actedBy(deps, request, why))
  })
  app.post(...routeAt(OPERATIONS.continueReconciliation), async (request) =>
    continueReconciliation(deps, request.params.reconciliation_id, deps.operators.of(request)),
  )
  app.post(...routeAt(OPERATIONS.closeFinding), async (request) => {
    const { kind, version: seenVersion, why: reason } = request.body
    const name = { checkoutId: request.params.checkout_id, kind }
    const seen = seenVersion === undefined ? {} : { seenVersion }
    return closeFinding(deps, name, { operator: deps.operators.of(request), reason, ...seen })
  })
}

function downloadRoutes(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.downloadBackup), async (request, reply) => {
    const content = await backUp(deps, { operator: deps.operators.of(request) })
    return sendFile(reply, { type: 'application/gzip', name: 'ishtirak.backup.gz', content })
  })
}
