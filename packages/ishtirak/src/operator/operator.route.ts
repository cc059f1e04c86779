// The operator's part, behind a key with a name: look at anybody's payment, act on it, compare the books, export a month.
// Without OPERATOR_KEYS it is not there. Every act is in the audit trail under the key's name.
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { BillingError, type ValidationCode } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import type { App } from '../http/app.js'
import type { ApiKeys } from '../http/auth.js'
import { type CallerChecks, callersWithKey } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import type { Billing } from '../main/billing.js'
import { operatorPart } from '../main/openapi-document.js'
import type { Clock } from '../runtime/clock.js'
import { eventRoutes } from './events.route.js'
import type { By } from './payments.js'
import {
  ExportQuerySchema,
  FoundSchema,
  OperatorPaymentsQuerySchema,
  OperatorPaymentsSchema,
  OperatorUserParamsSchema,
  OptionalWhySchema,
  PaymentFileSchema,
  PaymentParamsSchema,
  ReconcileRequestSchema,
  ReconciliationParamsSchema,
  ReconciliationSchema,
  ReconciliationsSchema,
  SearchQuerySchema,
  UserFileSchema,
  WhySchema,
} from './schemas.js'
import {
  viewComparison,
  viewFinding,
  viewFound,
  viewOperatorPayment,
  viewPaymentFile,
  viewReconciliation,
  viewUserFile,
} from './views.js'

export interface OperatorRoutesParts {
  readonly billing: Billing
  readonly publicUrl: string
  readonly clock: Clock
  readonly keys: ApiKeys
  readonly limitAnonymous: CallerChecks['limitAnonymous']
}

/** What the routes share: the acts, who is asking, and what a view needs. */
export interface Desk {
  readonly operator: Billing['operator']
  nameOf(request: FastifyRequest): string
  context(): { readonly now: number; readonly publicUrl: string }
}

const BASE = '/api/v1/operator'
const PAYMENT = `${BASE}/payments/:payment_id`
const OPERATOR = { security: [{ operator: [] }], tags: ['operator'] }
const READ = ['invalid_operator_key', 'not_found', 'validation_failed', 'database_unavailable'] as const
const ACT = [...READ, 'malformed_json', 'conflict'] as const
const ASK = [...ACT, 'provider_rejected', 'provider_unavailable'] as const

export function operatorRoutes({ billing, publicUrl, clock, keys, limitAnonymous }: OperatorRoutesParts) {
  const operators = callersWithKey(keys, limitAnonymous)
  const desk: Desk = {
    operator: billing.operator,
    nameOf: (request) => operators.of(request),
    context: () => ({ now: clock.now(), publicUrl }),
  }
  return async (app: App): Promise<void> => {
    app.addHook('onRequest', operators.onRequest)
    paymentRoutes(app, desk)
    actRoutes(app, desk)
    searchRoute(app, desk)
    userRoutes(app, desk)
    reconciliationRoutes(app, desk)
    exportRoute(app, desk)
    backupRoute(app, desk)
    eventRoutes(app, desk)
    app.get('/openapi-operator.json', { schema: { hide: true } }, () => operatorPart(app.swagger()))
  }
}

function paymentRoutes(app: App, desk: Desk): void {
  const listSchema = {
    ...OPERATOR,
    operationId: 'listAllPayments',
    summary: 'Payments of all users, newest first',
    querystring: OperatorPaymentsQuerySchema,
    response: { 200: OperatorPaymentsSchema, ...problemResponses(...READ) },
  }
  app.get(`${BASE}/payments`, { schema: listSchema }, async ({ query }) => {
    const { status = null, user_id: userId = null, limit = 50 } = query
    const payments = await desk.operator.payments({ status, userId, limit })
    return { data: payments.map((payment) => viewOperatorPayment(payment, desk.context())) }
  })
  const showSchema = {
    ...OPERATOR,
    operationId: 'getPaymentFile',
    summary: 'Everything known of one payment',
    params: PaymentParamsSchema,
    response: { 200: PaymentFileSchema, ...problemResponses(...READ) },
  }
  app.get(PAYMENT, { schema: showSchema }, async ({ params }) =>
    viewPaymentFile(await desk.operator.payment(params.payment_id), desk.context()),
  )
}

function actRoutes(app: App, desk: Desk): void {
  const common = { ...OPERATOR, params: PaymentParamsSchema }
  const by = (request: FastifyRequest, why: string | undefined): By => ({
    operator: desk.nameOf(request),
    reason: why ?? null,
  })
  const recheckSchema = {
    ...common,
    operationId: 'recheckPayment',
    summary: 'Ask the provider about it now',
    body: OptionalWhySchema,
    response: { 200: PaymentFileSchema, ...problemResponses(...ASK) },
  }
  app.post(`${PAYMENT}/recheck`, { schema: recheckSchema }, async (request) => {
    const acted = await desk.operator.recheck(request.params.payment_id, by(request, request.body.why))
    return viewPaymentFile(acted, desk.context())
  })
  const acceptSchema = {
    ...common,
    operationId: 'acceptPayment',
    summary: 'Take a payment under review as it is',
    description:
      'The provider is asked once more. 409 when nothing is under review, or the provider does not have the money.',
    body: WhySchema,
    response: { 200: PaymentFileSchema, ...problemResponses(...ASK) },
  }
  app.post(`${PAYMENT}/accept`, { schema: acceptSchema }, async (request) => {
    const acted = await desk.operator.accept(request.params.payment_id, by(request, request.body.why))
    return viewPaymentFile(acted, desk.context())
  })
  const refundSchema = {
    ...common,
    operationId: 'recordRefund',
    summary: 'Record a refund that was made by hand at the provider',
    description:
      'It moves no money. The month it bought ends; later paid months move up. 409 when the payment is not paid.',
    body: WhySchema,
    response: { 200: PaymentFileSchema, ...problemResponses(...ACT, 'already_refunded') },
  }
  app.post(`${PAYMENT}/refund`, { schema: refundSchema }, async (request) => {
    const acted = await desk.operator.refund(request.params.payment_id, by(request, request.body.why))
    return viewPaymentFile(acted, desk.context())
  })
}

function searchRoute(app: App, desk: Desk): void {
  const schema = {
    ...OPERATOR,
    operationId: 'search',
    summary: 'The users and payments that a word names',
    querystring: SearchQuerySchema,
    response: { 200: FoundSchema, ...problemResponses(...READ) },
  }
  app.get(`${BASE}/search`, { schema }, async ({ query }) =>
    viewFound(await desk.operator.search(query.q), desk.context()),
  )
}

function userRoutes(app: App, desk: Desk): void {
  const common = { ...OPERATOR, params: OperatorUserParamsSchema }
  const showSchema = {
    ...common,
    operationId: 'getUserFile',
    summary: 'Everything known of one user',
    response: { 200: UserFileSchema, ...problemResponses(...READ) },
  }
  app.get(`${BASE}/users/:user_id`, { schema: showSchema }, async ({ params }) =>
    viewUserFile(await desk.operator.user(params.user_id), desk.context()),
  )
  const endSchema = {
    ...common,
    operationId: 'endAccess',
    summary: 'End a user’s access now',
    body: WhySchema,
    response: { 200: UserFileSchema, ...problemResponses(...ACT) },
  }
  app.post(`${BASE}/users/:user_id/end`, { schema: endSchema }, async (request) => {
    const by = { operator: desk.nameOf(request), reason: request.body.why }
    return viewUserFile(await desk.operator.endUser(request.params.user_id, by), desk.context())
  })
}

function reconciliationRoutes(app: App, desk: Desk): void {
  const path = `${BASE}/reconciliations`
  const listSchema = {
    ...OPERATOR,
    operationId: 'listReconciliations',
    summary: 'The last comparisons with the provider, and what was found last',
    response: { 200: ReconciliationsSchema, ...problemResponses(...READ) },
  }
  app.get(path, { schema: listSchema }, async () => {
    const { comparisons, findings } = await desk.operator.reconciliations()
    return { data: comparisons.map(viewComparison), findings: findings.map(viewFinding) }
  })
  const startSchema = {
    ...OPERATOR,
    operationId: 'startReconciliation',
    summary: 'Compare the provider’s list with our books',
    description:
      'Answers after the first round. While `finished_at` is null, continue it from `next_round_at` on, or let the service do so.',
    body: ReconcileRequestSchema,
    response: { 200: ReconciliationSchema, ...problemResponses(...ACT) },
  }
  app.post(path, { schema: startSchema }, async (request) => {
    const { since, unknown = 'report', why = null } = request.body
    const sinceAt = Date.parse(since)
    // 31 February is no day, although the language takes it for 3 March.
    if (Number.isNaN(sinceAt) || !toTimestamp(sinceAt).startsWith(since)) throw wrongSince('wrong_format')
    // Nothing was sold before 1970, and databases know no year 0.
    if (sinceAt < 0) throw wrongSince('too_small')
    const booksUnknown = unknown === 'book'
    const asked = { sinceAt, booksUnknown, operator: desk.nameOf(request), reason: why }
    return viewReconciliation(await desk.operator.startReconciliation(asked))
  })
  const continueSchema = {
    ...OPERATOR,
    operationId: 'continueReconciliation',
    summary: 'One more round of a comparison, if it is time for one',
    params: ReconciliationParamsSchema,
    response: { 200: ReconciliationSchema, ...problemResponses(...READ) },
  }
  app.post(`${path}/:reconciliation_id/continue`, { schema: continueSchema }, async ({ params }) =>
    viewReconciliation(await desk.operator.continueReconciliation(params.reconciliation_id)),
  )
}

function wrongSince(code: ValidationCode): BillingError {
  return new BillingError('validation_failed', { problems: [{ pointer: '/since', code }] })
}

function backupRoute(app: App, desk: Desk): void {
  const schema = {
    ...OPERATOR,
    operationId: 'downloadBackup',
    summary: 'Everything in the database, as a file for `ishtirak restore`',
    response: {
      200: {
        description: 'gzip; personal data',
        content: {
          'application/gzip': { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) },
        },
      },
      ...problemResponses(...READ),
    },
  }
  app.get(`${BASE}/backup`, { schema }, async (request, reply) => {
    const content = await desk.operator.backUp({ operator: desk.nameOf(request) })
    return reply
      .type('application/gzip')
      .header('content-disposition', 'attachment; filename="ishtirak.backup.gz"')
      .send(Readable.from(content))
  })
}

function exportRoute(app: App, desk: Desk): void {
  const schema = {
    ...OPERATOR,
    operationId: 'exportPayments',
    summary: 'The payments of a month, as CSV',
    querystring: ExportQuerySchema,
    response: {
      // A text to whoever reads it, a stream to the one who writes it.
      200: {
        description: 'RFC 4180, UTF-8',
        content: { 'text/csv': { schema: Type.Unsafe<Readable>({ type: 'string' }) } },
      },
      ...problemResponses(...READ),
    },
  }
  app.get(`${BASE}/exports/payments`, { schema }, async (request, reply) => {
    const { month } = request.query
    const pieces = await desk.operator.export({ month, operator: desk.nameOf(request) })
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="payments-${month}.csv"`)
      .send(Readable.from(pieces))
  })
}
