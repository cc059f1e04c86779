// The operator's API, behind a key with a name: what is no act or reading yet. Without OPERATOR_KEYS it
// refuses every call. Every act is in the audit trail under the key's name.
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
import type { ResendDeps } from '../mail/resend-receipt.js'
import { type FileDeps, showPayment } from './acts.js'
import type { HealthDeps } from './health.js'
import type { InboxDeps } from './inbox.js'
import { OPERATIONS, routeAt } from './operations.js'
import type { SearchDeps } from './search.js'
import { type ViewDeps, viewedNow, viewPaymentFile } from './views.js'

type ReadDeps = HealthDeps & InboxDeps & SearchDeps & ResendDeps & ViewDeps

export interface OperatorRoutesDeps extends RecordDeps, ReadDeps, SubjectDeps, FileDeps {
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
