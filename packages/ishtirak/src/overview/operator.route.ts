// The operator's API, behind a key with a name: look at any payment or user, act on it, compare the books, manage events,
// download. Without OPERATOR_KEYS it refuses every call. Every act is in the audit trail under the key's name.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { By } from '../acts/audit.sql.js'
import { readInstant } from '../acts/day.js'
import { type RecordRefusal, recordRefusals } from '../acts/refusals.js'
import { sendFile } from '../acts/send-file.js'
import type { Operator } from '../core/role.js'
import type { Database } from '../database/database.js'
import { type RecordDeps, recordPayment } from '../desk/record.js'
import type { App } from '../http/app.js'
import type { Callers } from '../http/callers.js'
import type { ReceivedSchema } from '../transfers/approval-schemas.js'
import {
  type ApprovalDeps,
  approvePayment,
  lookAtDecision,
  type Received,
  refusePayment,
} from '../transfers/approvals.js'

import { downloadProof, type ProofDownload } from '../transfers/proofs.js'
import { type PaymentFile, showPayment, showUser } from './acts.js'
import { keepPayment } from './inbox.js'
import { OPERATIONS, routeAt } from './operations.js'
import { listAllPayments } from './payment-pages.js'
import { type ReadRoutesDeps, readRoutes } from './reads.route.js'

import { userFileSchema } from './schemas.js'
import { viewDecision, viewedNow, viewOperatorPayment, viewPaymentFile, viewUserFile } from './views.js'

export interface OperatorRoutesDeps extends RecordDeps, ReadRoutesDeps, ApprovalDeps {
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
    paymentActRoutes(app, deps)
    decisionRoutes(app, deps)
    userRoutes(app, deps)
    proofRoute(app, deps)
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
  app.get(...routeAt(OPERATIONS.listAllPayments), async ({ query }) => {
    const { payments, nextCursor } = await listAllPayments(deps, query)
    return {
      data: payments.map((payment) => viewOperatorPayment(payment, viewedNow(deps))),
      next_cursor: nextCursor,
    }
  })
  app.get(...routeAt(OPERATIONS.getPaymentFile), async ({ params }) =>
    viewPaymentFile(await showPayment(deps, params.payment_id), viewedNow(deps)),
  )
  app.post(...routeAt(OPERATIONS.recordPayment), async (request) => {
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

function readReceived(
  { wallClock }: OperatorRoutesDeps,
  { amount, received_at, payment_method: instrument }: Static<typeof ReceivedSchema>,
): Received {
  return { amount, receivedAt: readInstant(wallClock, 'received_at', received_at), instrument }
}

/** What a decision on a transfer would change. */
function decisionRoutes(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.previewApproval), async (request) => {
    const received = readReceived(deps, request.query)
    const by = deps.operators.of(request)
    return viewDecision(await lookAtDecision(deps, request.params.payment_id, { received, by }))
  })
  app.get(...routeAt(OPERATIONS.previewRefusal), async (request) => {
    const by = deps.operators.of(request)
    return viewDecision(await lookAtDecision(deps, request.params.payment_id, { received: null, by }))
  })
}

function paymentActRoutes(app: App, deps: OperatorRoutesDeps): void {
  const act = async (
    run: (deps: OperatorRoutesDeps, paymentId: string, by: By) => Promise<PaymentFile>,
    { payment_id }: { readonly payment_id: string },
    by: By,
  ) => viewPaymentFile(await run(deps, payment_id, by), viewedNow(deps))
  app.post(...routeAt(OPERATIONS.approvePayment), async (request) => {
    const { why, ...came } = request.body
    const by = actedBy(deps, request, why)
    const file = await approvePayment(deps, request.params.payment_id, readReceived(deps, came), by)
    return viewPaymentFile(file, viewedNow(deps))
  })
  app.post(...routeAt(OPERATIONS.refusePayment), async (request) => {
    const by = { operator: deps.operators.of(request), reason: request.body.why }
    return viewPaymentFile(await refusePayment(deps, request.params.payment_id, by), viewedNow(deps))
  })
  app.post(...routeAt(OPERATIONS.keepPayment), (request) =>
    act(keepPayment, request.params, actedBy(deps, request, request.body.why)),
  )
}

function userRoutes(app: App, deps: OperatorRoutesDeps): void {
  const answer = userFileSchema(deps.catalogue.limits)
  app.get(...routeAt(answering(OPERATIONS.getUserFile, answer)), async ({ params }) =>
    viewUserFile(await showUser(deps, params.user_id), viewedNow(deps)),
  )
}

function proofRoute(app: App, deps: OperatorRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.downloadProof), async (request, reply) => {
    const { payment_id: paymentId, n } = request.params
    const operator = deps.operators.of(request)
    return sendProof(reply, await downloadProof(deps, { paymentId, n: Number(n), operator }))
  })
}

export function sendProof(reply: FastifyReply, { bytes, ...file }: ProofDownload): FastifyReply {
  return sendFile(reply.header('content-length', bytes), file)
}
