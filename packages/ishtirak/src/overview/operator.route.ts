// The operator's API, behind a key with a name: look at any payment or user, act on it, compare the books, manage events,
// download. Without OPERATOR_KEYS it refuses every call. Every act is in the audit trail under the key's name.
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { By } from '../acts/audit.sql.js'
import { type RecordRefusal, recordRefusals } from '../acts/refusals.js'
import type { Operator } from '../core/role.js'
import type { Database } from '../database/database.js'
import { type RecordDeps, recordPayment } from '../desk/record.js'
import type { App } from '../http/app.js'
import type { Callers } from '../http/callers.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import { type FileDeps, showPayment, showUser } from './acts.js'
import { OPERATIONS, routeAt } from './operations.js'
import { listAllPayments } from './payment-pages.js'
import { type ReadRoutesDeps, readRoutes } from './reads.route.js'
import { viewedNow, viewOperatorPayment, viewPaymentFile, viewUserFile } from './views.js'

export interface OperatorRoutesDeps extends RecordDeps, ReadRoutesDeps, SubjectDeps, FileDeps {
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
    userRoutes(app, deps)
    readRoutes(app, deps)
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

function paymentRoutes(app: App, deps: OperatorRoutesDeps): void {
  const { schema } = deps.files.payment
  app.get(...routeAt(OPERATIONS.listAllPayments), async ({ query }) => {
    const { payments, nextCursor } = await listAllPayments(deps, query)
    return {
      data: payments.map((payment) => viewOperatorPayment(payment, viewedNow(deps))),
      next_cursor: nextCursor,
    }
  })
  app.get(...routeAt(answering(OPERATIONS.getPaymentFile, schema)), async ({ params }) =>
    viewPaymentFile(await showPayment(deps, params.payment_id), viewedNow(deps)),
  )
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

function userRoutes(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(answering(OPERATIONS.getUserFile, deps.files.user.schema)), async ({ params }) =>
    viewUserFile(await showUser(deps, params.user_id), viewedNow(deps)),
  )
}
