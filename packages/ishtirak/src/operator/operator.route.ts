// The operator's API, behind a key with a name: look at any payment or user, act on it, compare the books, manage events,
// download. Without OPERATOR_KEYS it refuses every call. Every act is in the audit trail under the key's name.
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { BillingError, type ErrorCode, type ValidationCode } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import type { Database } from '../database/database.js'
import {
  type ManageEventsDeps,
  reportEvents,
  resendAllWaiting,
  resendFrom,
  skipEvent,
} from '../events/manage-events.js'
import {
  EventParamsSchema,
  EventsQuerySchema,
  EventsSchema,
  ResentSchema,
  RestartedSchema,
  SkippedSchema,
} from '../events/schemas.js'
import type { App } from '../http/app.js'
import type { Callers } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import type { By } from '../payments/audit.js'
import {
  acceptPayment,
  endUser,
  type PaymentFile,
  recheckPayment,
  refundPayment,
  showPayment,
  showUser,
} from './acts.js'
import { type BackupDeps, backUp } from './backup.js'
import { type ExportDeps, exportPayments } from './export.js'
import { newestPayments, search } from './operator.sql.js'
import { continueReconciliation, type ReconcileDeps, startReconciliation } from './reconcile.js'
import { listComparisons } from './reconcile.sql.js'
import * as schemas from './schemas.js'
import { type ViewContext, viewOperatorPayment, viewPaymentFile, viewUserFile } from './views.js'

export interface OperatorRoutesDeps extends ReconcileDeps, ExportDeps, BackupDeps, ManageEventsDeps {
  readonly database: Database
  /** Known by the name of their key. */
  readonly operators: Callers<string>
  readonly publicUrl: string
}

export const BASE = '/api/v1/operator'

export function operatorRoutes(deps: OperatorRoutesDeps) {
  return async (app: App): Promise<void> => {
    app.addHook('onRequest', deps.operators.onRequest)
    paymentRoutes(app, deps)
    paymentActs(app, deps)
    userRoutes(app, deps)
    reconcileRoutes(app, deps)
    downloadRoutes(app, deps)
    eventRoutes(app, deps)
  }
}

const READ = ['invalid_operator_key', 'not_found', 'validation_failed', 'database_unavailable'] as const

/** What the schema of each route begins with: how it answers, and what it refuses. */
function reads<Answer>(
  operationId: string,
  summary: string,
  answer: Answer,
  ...refusals: readonly ErrorCode[]
) {
  const response = { 200: answer, ...problemResponses(...READ, ...refusals) }
  return { operationId, summary, security: [{ operator: [] }], tags: ['operator'], response }
}

/** Of those that change something. */
function acts<Answer>(
  operationId: string,
  summary: string,
  answer: Answer,
  ...refusals: readonly ErrorCode[]
) {
  return reads(operationId, summary, answer, 'malformed_json', 'conflict', ...refusals)
}

function actedBy({ operators }: OperatorRoutesDeps, request: FastifyRequest, why?: string): By {
  return { operator: operators.of(request), reason: why ?? null }
}

function viewedNow({ clock, publicUrl }: OperatorRoutesDeps): ViewContext {
  return { now: clock.now(), publicUrl }
}

function paymentRoutes(app: App, deps: OperatorRoutesDeps): void {
  const list = {
    ...reads('listAllPayments', 'Payments of all users, newest first', schemas.OperatorPaymentsSchema),
    querystring: schemas.OperatorPaymentsQuerySchema,
  }
  app.get(`${BASE}/payments`, { schema: list }, async ({ query }) => {
    const { status = null, user_id: userId = null, limit = 50 } = query
    const payments = await newestPayments(deps.database, { status, userId, limit }, deps.clock.now())
    return { data: payments.map((payment) => viewOperatorPayment(payment, viewedNow(deps))) }
  })
  const show = {
    ...reads('getPaymentFile', 'Everything known of one payment', schemas.PaymentFileSchema),
    params: schemas.PaymentParamsSchema,
  }
  app.get(`${BASE}/payments/:payment_id`, { schema: show }, async ({ params }) =>
    viewPaymentFile(await showPayment(deps, params.payment_id), viewedNow(deps)),
  )
}

const ASKED = ['provider_rejected', 'provider_unavailable'] as const

function paymentActs(app: App, deps: OperatorRoutesDeps): void {
  const act = (
    name: string,
    run: (deps: OperatorRoutesDeps, paymentId: string, by: By) => Promise<PaymentFile>,
    described: object,
    body: typeof schemas.WhySchema | typeof schemas.OptionalWhySchema = schemas.WhySchema,
  ) => {
    const schema = { ...described, params: schemas.PaymentParamsSchema, body }
    app.post(`${BASE}/payments/:payment_id/${name}`, { schema }, async (request) => {
      const by = actedBy(deps, request, request.body.why)
      return viewPaymentFile(await run(deps, request.params.payment_id, by), viewedNow(deps))
    })
  }
  const recheck = acts('recheckPayment', 'Ask the provider about it now', schemas.PaymentFileSchema, ...ASKED)
  act('recheck', recheckPayment, recheck, schemas.OptionalWhySchema)
  act('accept', acceptPayment, {
    ...acts('acceptPayment', 'Take a payment under review as it is', schemas.PaymentFileSchema, ...ASKED),
    description:
      'The provider is asked once more. 409 when nothing is under review, or the provider does not have the money.',
  })
  const refunds = 'Record a refund that was made by hand at the provider'
  act('refund', refundPayment, {
    ...acts('recordRefund', refunds, schemas.PaymentFileSchema, 'already_refunded'),
    description:
      'It moves no money. The period it bought ends; later paid periods move up. 409 when the payment is not paid.',
  })
}

function userRoutes(app: App, deps: OperatorRoutesDeps): void {
  const find = {
    ...reads('search', 'The users and payments that a word names', schemas.FoundSchema),
    querystring: schemas.SearchQuerySchema,
  }
  app.get(`${BASE}/search`, { schema: find }, async ({ query }) => {
    const { users, payments } = await search(deps, query.q)
    return { users, payments: payments.map((payment) => viewOperatorPayment(payment, viewedNow(deps))) }
  })
  const show = {
    ...reads('getUserFile', 'Everything known of one user', schemas.UserFileSchema),
    params: schemas.OperatorUserParamsSchema,
  }
  app.get(`${BASE}/users/:user_id`, { schema: show }, async ({ params }) =>
    viewUserFile(await showUser(deps, params.user_id), viewedNow(deps)),
  )
  const end = {
    ...acts('endAccess', 'End a user’s access now', schemas.UserFileSchema),
    params: schemas.OperatorUserParamsSchema,
    body: schemas.WhySchema,
  }
  app.post(`${BASE}/users/:user_id/end`, { schema: end }, async (request) => {
    const by = actedBy(deps, request, request.body.why)
    return viewUserFile(await endUser(deps, request.params.user_id, by), viewedNow(deps))
  })
}

const SHOWN = { comparisons: 10, findings: 100 }

function reconcileRoutes(app: App, deps: OperatorRoutesDeps): void {
  const path = `${BASE}/reconciliations`
  const lists = 'The last comparisons with the provider, and what was found last'
  const list = reads('listReconciliations', lists, schemas.ReconciliationsSchema)
  app.get(path, { schema: list }, async () => {
    const { comparisons, findings } = await listComparisons(deps.database, null, SHOWN)
    return { data: comparisons, findings }
  })
  const starts = 'Compare the provider’s list with our books'
  const start = {
    ...acts('startReconciliation', starts, schemas.ReconciliationSchema),
    description:
      'Answers after the first round. While `finished_at` is null, continue it from `next_round_at` on, or let the service do so.',
    body: schemas.ReconcileRequestSchema,
  }
  app.post(path, { schema: start }, async (request) => {
    const { since, unknown = 'report', why } = request.body
    const sinceAt = Date.parse(since)
    // 31 February is no day, although the language takes it for 3 March.
    if (Number.isNaN(sinceAt) || !toTimestamp(sinceAt).startsWith(since)) throw wrongSince('wrong_format')
    // Nothing was sold before 1970, and databases know no year 0.
    if (sinceAt < 0) throw wrongSince('too_small')
    const wanted = { sinceAt, booksUnknown: unknown === 'book' }
    return startReconciliation(deps, wanted, actedBy(deps, request, why))
  })
  const continues = 'One more round of a comparison, if it is time for one'
  const resume = {
    ...reads('continueReconciliation', continues, schemas.ReconciliationSchema),
    params: schemas.ReconciliationParamsSchema,
  }
  app.post(`${path}/:reconciliation_id/continue`, { schema: resume }, async ({ params }) =>
    continueReconciliation(deps, params.reconciliation_id),
  )
}

function wrongSince(code: ValidationCode): BillingError {
  return new BillingError('validation_failed', { problems: [{ pointer: '/since', code }] })
}

/** A text to the reader, a stream to the route. */
const FILE = Type.Unsafe<Readable>({ type: 'string' })
const BINARY_FILE = Type.Unsafe<Readable>({ type: 'string', format: 'binary' })

function downloadRoutes(app: App, deps: OperatorRoutesDeps): void {
  const csv = { description: 'RFC 4180, UTF-8', content: { 'text/csv': { schema: FILE } } }
  const month = {
    ...reads('exportPayments', 'The payments of a month, as CSV', csv),
    querystring: schemas.ExportQuerySchema,
  }
  app.get(`${BASE}/exports/payments`, { schema: month }, async (request, reply) => {
    const { month } = request.query
    const pieces = await exportPayments(deps, { month, operator: deps.operators.of(request) })
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="payments-${month}.csv"`)
      .send(Readable.from(pieces))
  })
  const gzip = {
    description: 'gzip; personal data',
    content: { 'application/gzip': { schema: BINARY_FILE } },
  }
  const summary = 'Everything in the database, as a file for `ishtirak restore`'
  app.get(`${BASE}/backup`, { schema: reads('downloadBackup', summary, gzip) }, async (request, reply) => {
    const content = await backUp(deps, { operator: deps.operators.of(request) })
    return reply
      .type('application/gzip')
      .header('content-disposition', 'attachment; filename="ishtirak.backup.gz"')
      .send(Readable.from(content))
  })
}

function eventRoutes(app: App, deps: OperatorRoutesDeps): void {
  const path = `${BASE}/events`
  const lists = 'Events to the platform, newest first, and whether its address works'
  const list = { ...reads('listEvents', lists, EventsSchema), querystring: EventsQuerySchema }
  app.get(path, { schema: list }, async ({ query }) => {
    const { user_id: userId = null, state, limit = 50 } = query
    return reportEvents(deps, { userId, waiting: state === 'waiting', limit })
  })
  const resends = 'Deliver an event and all later ones of its user again, in order'
  const resend = {
    ...acts('resendEvent', resends, ResentSchema),
    params: EventParamsSchema,
    body: schemas.OptionalWhySchema,
  }
  app.post(`${path}/:event_id/resend`, { schema: resend }, (request) =>
    resendFrom(deps, request.params.event_id, actedBy(deps, request, request.body.why)),
  )
  const restarts = 'Switch the address on again, and begin anew with all that waits'
  const restart = {
    ...acts('resendWaitingEvents', restarts, RestartedSchema),
    body: schemas.OptionalWhySchema,
  }
  app.post(`${path}/resend-waiting`, { schema: restart }, (request) =>
    resendAllWaiting(deps, actedBy(deps, request, request.body.why)),
  )
  const skip = {
    ...acts('skipEvent', 'Wait no longer for this event and those before it', SkippedSchema),
    description: 'For an event that its receiver will never take: the later ones of its user can go on.',
    params: EventParamsSchema,
    body: schemas.WhySchema,
  }
  app.post(`${path}/:event_id/skip`, { schema: skip }, async (request) => {
    await skipEvent(deps, request.params.event_id, actedBy(deps, request, request.body.why))
    return { skipped: true as const }
  })
}
