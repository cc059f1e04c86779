// The five endpoints of seed.md section 4, and one payment by its id. Each says what it takes and gives; what happens
// is billing's business.
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { BillingError } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { App } from '../http/app.js'
import { acceptRawBytes, rawBody } from '../http/body.js'
import type { CallerChecks } from '../http/callers.js'
import { callersBy } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { preferredLocale } from '../http/request.js'
import type { Billing } from '../main/billing.js'
import {
  BillingStatusSchema,
  PaymentPageSchema,
  PaymentSchema,
  PaymentsQuerySchema,
  PlanSchema,
  UpgradeRequestSchema,
  UpgradeResultSchema,
  WebhookAnswerSchema,
} from './schemas.js'
import { viewPayment, viewStatus } from './views.js'

export interface BillingRoutesParts {
  readonly billing: Billing
  readonly publicUrl: string
  /** Who is asking; refuses strangers, and callers who ask too often. */
  readonly identify: CallerChecks['identify']
  /** Bounds those who need no token, by their address. */
  readonly limitAnonymous: CallerChecks['limitAnonymous']
}

const BASE = '/api/v1/billing'
const USER = { security: [{ user: [] }], tags: ['billing'] }
const PUBLIC = { security: [], tags: ['billing'] }

export function billingRoutes(parts: BillingRoutesParts) {
  return async (app: App): Promise<void> => {
    plansRoute(app, parts)
    upgradeRoute(app, parts)
    statusRoute(app, parts)
    historyRoutes(app, parts)
    await app.register(async (raw) => webhookRoute(raw, parts))
  }
}

/** The catalogue does not change while the service runs: its text is made once. */
function plansRoute(app: FastifyInstance, { billing, limitAnonymous }: BillingRoutesParts): void {
  const body = JSON.stringify(billing.plans().map(inOrder))
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const schema = {
    ...PUBLIC,
    operationId: 'getPlans',
    summary: 'Get plans',
    response: {
      200: Type.Array(PlanSchema),
      304: Type.Null({ description: 'Not modified' }),
      ...problemResponses('rate_limited'),
    },
  }
  app.get(`${BASE}/plans`, { schema }, (request, reply) => {
    limitAnonymous(request, reply)
    reply.headers({ etag, 'cache-control': 'public, max-age=300' })
    if (holdsTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(body)
  })
}

function upgradeRoute(app: App, { billing, identify }: BillingRoutesParts): void {
  const schema = {
    ...USER,
    operationId: 'upgradePlan',
    summary: 'Upgrade plan',
    description:
      'Opens a checkout at the provider; send the user to `checkout_url`. It is also the renewal, in the last days of the paid time and in grace.',
    body: UpgradeRequestSchema,
    response: {
      200: UpgradeResultSchema,
      ...problemResponses(
        'malformed_json',
        'unauthenticated',
        'already_subscribed',
        'unknown_plan',
        'plan_not_purchasable',
        'validation_failed',
        'too_many_checkouts',
        'rate_limited',
        'provider_rejected',
        'provider_unavailable',
        'database_unavailable',
      ),
    },
  }
  const users = callersBy(identify)
  app.post(`${BASE}/upgrade`, { schema, onRequest: users.onRequest }, async (request) => {
    const user = users.of(request)
    const locale: Locale = user.locale ?? preferredLocale(request.headers['accept-language']) ?? 'ar'
    const { checkoutUrl, paymentId } = await billing.upgrade({
      user,
      planId: request.body.plan,
      locale,
      requestId: request.id,
    })
    return { checkout_url: checkoutUrl, payment_id: paymentId }
  })
}

function statusRoute(app: App, { billing, identify }: BillingRoutesParts): void {
  const schema = {
    ...USER,
    operationId: 'getStatus',
    summary: 'Get billing status',
    description: 'Computed from what was paid and the time of asking.',
    response: {
      200: BillingStatusSchema,
      ...problemResponses('unauthenticated', 'rate_limited', 'database_unavailable'),
    },
  }
  const users = callersBy(identify)
  app.get(`${BASE}/status`, { schema, onRequest: users.onRequest }, async (request) => {
    const { userId } = users.of(request)
    return viewStatus(await billing.status(userId, request.id))
  })
}

function historyRoutes(app: App, { billing, identify, publicUrl }: BillingRoutesParts): void {
  const refusals = ['unauthenticated', 'validation_failed', 'rate_limited', 'database_unavailable'] as const
  const listSchema = {
    ...USER,
    operationId: 'listPayments',
    summary: 'Payment history',
    description: 'Newest first, in pages: nothing is skipped or repeated while payments arrive.',
    querystring: PaymentsQuerySchema,
    response: { 200: PaymentPageSchema, ...problemResponses(...refusals, 'invalid_cursor') },
  }
  const users = callersBy(identify)
  const { onRequest } = users
  app.get(`${BASE}/payments`, { schema: listSchema, onRequest }, async (request) => {
    const { userId } = users.of(request)
    const { limit, cursor, status } = request.query
    const page = await billing.history({
      userId,
      limit: limit ?? 20,
      cursor: cursor ?? null,
      status: status ?? null,
      requestId: request.id,
    })
    return {
      data: page.payments.map((payment) => viewPayment(payment, page.now, publicUrl)),
      has_more: page.nextCursor !== null,
      next_cursor: page.nextCursor,
    }
  })
  const oneSchema = {
    ...USER,
    operationId: 'getPayment',
    summary: 'One payment',
    params: Type.Object({ payment_id: Type.String() }),
    response: { 200: PaymentSchema, ...problemResponses(...refusals, 'not_found') },
  }
  app.get(`${BASE}/payments/:payment_id`, { schema: oneSchema, onRequest }, async (request) => {
    const { userId } = users.of(request)
    const found = await billing.payment({
      userId,
      paymentId: request.params.payment_id,
      requestId: request.id,
    })
    return viewPayment(found.payment, found.now, publicUrl)
  })
}

/** Answered 200 only after the event and its whole effect are committed. */
function webhookRoute(app: App, { billing, limitAnonymous }: BillingRoutesParts): void {
  acceptRawBytes(app)
  const schema = {
    security: [{ signature: [] }],
    tags: ['provider'],
    operationId: 'receivePaymentEvent',
    summary: 'Payment webhook (internal)',
    description: 'Called by Chargily Pay. Header `signature`: hex HMAC-SHA256 of the raw body.',
    response: {
      200: WebhookAnswerSchema,
      ...problemResponses(
        'invalid_signature',
        'malformed_json',
        'payload_too_large',
        'rate_limited',
        'database_unavailable',
      ),
    },
  }
  app.post(`${BASE}/webhook`, { schema }, async (request, reply) => {
    const { signature } = request.headers
    const signed = typeof signature === 'string' ? signature : undefined
    const received = billing.receiveEvent(rawBody(request), signed, request.id)
    const { duplicate } = await received.catch((error: unknown) => {
      // Only what is not signed is counted: the provider calls as often as it has something to say.
      if (error instanceof BillingError && error.code === 'invalid_signature') limitAnonymous(request, reply)
      throw error
    })
    return duplicate ? { received: true as const, duplicate: true as const } : { received: true as const }
  })
}

/** Exactly the keys of seed.md section 2, in that order, whatever else the file of plans may say. */
function inOrder({ id, name, price, currency, limits }: ReturnType<Billing['plans']>[number]) {
  const { projects, domains_per_project, deploys_per_day, storage_mb } = limits
  return { id, name, price, currency, limits: { projects, domains_per_project, deploys_per_day, storage_mb } }
}

function holdsTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
