// What the hosting platform asks and reports, with its own key: who may do what, how much is in use, who a
// user is. Every deploy passes here: no quota on calls. Then the user's own overview.
import type { Static } from 'typebox'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import { countsByMonth, scopeField } from '../core/limit.js'
import type { Renewal } from '../core/quote.js'
import type { App } from '../http/app.js'
import type { PlatformCallers } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { viewPayment, viewStatus } from '../ledger/schemas.js'
import { viewTimeList } from '../ledger/time-list.js'
import {
  forBothCallers,
  PLATFORM_ROUTE,
  PLATFORM_USER,
  PlatformUserParamsSchema,
  type UserCall,
  type UserRoutesDeps,
} from '../ledger/user-routes.js'
import { saveProfile } from '../ledger/users.sql.js'
import { type Overview, type OverviewDeps, readOverview, readOverviewWithTime } from './overview.js'
import {
  type Allowance,
  AllowanceSchema,
  type ConsumeRequest,
  type PlatformSchemas,
  platformSchemas,
  type ReleaseRequest,
  type UsageReport,
  type UserUpdate,
  UserUpdateSchema,
} from './schemas.js'
import { type CountUsageDeps, countUsage, type UsageWish } from './usage.js'

export type PlatformRoutesDeps = OverviewDeps & CountUsageDeps & PlatformCallers

const LIMIT = `${PLATFORM_USER}/limits/:limit`
const REFUSALS = ['unauthenticated', 'not_found', 'validation_failed', 'database_unavailable'] as const
const COUNT_REFUSALS = [...REFUSALS, 'unknown_limit', 'malformed_json'] as const

export function platformRoutes(deps: PlatformRoutesDeps) {
  return async (app: App): Promise<void> => {
    app.addHook('onRequest', deps.platforms.onRequest)
    const schemas = platformSchemas(deps.catalogue.limits)
    profileRoutes(app, deps, schemas)
    countRoutes(app, deps, schemas)
  }
}

function profileRoutes(app: App, deps: OverviewDeps, { User }: PlatformSchemas): void {
  const common = { ...PLATFORM_ROUTE, params: PlatformUserParamsSchema }
  const readSchema = {
    ...common,
    operationId: 'getUser',
    summary: 'A user: status, limits, usage, renewal',
    description: 'An unknown user is on the free plan. All figures are of one instant.',
    response: { 200: User, ...problemResponses(...REFUSALS) },
  }
  app.get(PLATFORM_USER, { schema: readSchema }, async (request) =>
    viewPlatformUser(await readOverview(deps, request.params.user_id, request.id)),
  )
  const updateSchema = {
    ...common,
    operationId: 'updateUser',
    summary: 'Update a user',
    description:
      'For mail and receipts. What is absent stays, null clears. Answers with the user as they are now.',
    body: UserUpdateSchema,
    response: { 200: User, ...problemResponses(...REFUSALS, 'malformed_json') },
  }
  app.put(PLATFORM_USER, { schema: updateSchema }, ({ id, params, body }) =>
    updateUser(deps, params.user_id, body, id),
  )
}

export async function updateUser(deps: OverviewDeps, userId: string, update: UserUpdate, requestId: string) {
  await saveProfile(deps.database, userId, update, deps.clock.now())
  return viewPlatformUser(await readOverview(deps, userId, requestId))
}

/** Consume, give back, report: each about one limit of one user, answered with what is left. */
function countRoutes(app: App, deps: CountUsageDeps, schemas: PlatformSchemas): void {
  const counted = { ...PLATFORM_ROUTE, params: schemas.LimitParams }
  const answers = (...codes: readonly 'conflict'[]) => ({
    response: { 200: AllowanceSchema, ...problemResponses(...COUNT_REFUSALS, ...codes) },
  })
  const consumeSchema = {
    ...counted,
    operationId: 'consumeLimit',
    summary: 'Consume',
    description:
      'Counts if there is room; yes and no are both 200. Exact under any concurrency: the figures ' +
      'come from the statement that decided. A denied operation is not remembered, so the same ' +
      '`operation_id` may be sent again after an upgrade.',
    body: schemas.ConsumeRequest,
    ...answers('conflict'),
  }
  app.post(`${LIMIT}/consume`, { schema: consumeSchema }, ({ params, body }) => consume(deps, params, body))
  const releaseSchema = {
    ...counted,
    operationId: 'releaseLimit',
    summary: 'Give back',
    description:
      'Never below zero, and nothing twice. What was consumed on a day that is over is not given back ' +
      'to today.',
    body: schemas.ReleaseRequest,
    ...answers('conflict'),
  }
  app.post(`${LIMIT}/release`, { schema: releaseSchema }, ({ params, body }) => release(deps, params, body))
  const usageSchema = {
    ...counted,
    operationId: 'reportUsage',
    summary: 'Report usage',
    description:
      'The platform’s own count, absolute. It is never refused, even above the limit. Report 0 for a ' +
      'project that is gone.',
    body: schemas.UsageReport,
    ...answers(),
  }
  app.put(`${LIMIT}/usage`, { schema: usageSchema }, ({ params, body }) => reportUsage(deps, params, body))
}

export function consume(deps: CountUsageDeps, params: LimitParams, body: ConsumeRequest): Promise<Allowance> {
  return countUsage(deps, wishOf('consume', params, body, body.amount ?? 1))
}

export function release(deps: CountUsageDeps, params: LimitParams, body: ReleaseRequest): Promise<Allowance> {
  return countUsage(deps, wishOf('release', params, body, body.amount ?? null))
}

export function reportUsage(
  deps: CountUsageDeps,
  params: LimitParams,
  body: UsageReport,
): Promise<Allowance> {
  return countUsage(deps, wishOf('report', params, body, body.used))
}

type LimitParams = Static<PlatformSchemas['LimitParams']>

function wishOf(
  kind: UsageWish['kind'],
  { user_id, limit }: LimitParams,
  body: Partial<Omit<ReleaseRequest, 'amount'>>,
  amount: number | null,
): UsageWish {
  return {
    kind,
    userId: user_id,
    limit,
    project_id: body.project_id ?? null,
    scope_id: body.scope_id ?? null,
    amount,
    operationId: body.operation_id ?? '',
    consumeOperationId: body.consume_operation_id ?? null,
  }
}

export type OverviewRoutesDeps = OverviewDeps & UserRoutesDeps

export function overviewRoutes(deps: OverviewRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const schema = {
      ...callers.operation('getOverview', 'portal'),
      summary: 'Overview',
      description:
        'Plan, limits, usage, what a renewal would buy, the checkout that is waiting to be paid, and ' +
        'all time that was paid or granted.',
      params: callers.params({}),
      response: { 200: platformSchemas(deps.catalogue.limits).Overview, ...callers.refusals() },
    }
    app.get(`${path}/overview`, { schema, onRequest }, (request) =>
      showOverview(deps, callers.callOf(request)),
    )
  })
}

/** For the platform and the overview. Named one by one: a field that follows a spread costs 2 µs. */
export function viewPlatformUser(overview: Overview) {
  const status = viewStatus(overview.subscription)
  const { email, name, locale } = overview.profile
  return {
    user_id: overview.userId,
    plan: status.plan,
    status: status.status,
    current_period_end: status.current_period_end,
    payment_method: status.payment_method,
    limits: overview.subscription.plan.limits,
    usage: overview.usage,
    resets_at: toTimestamp(overview.resetsAt.day),
    ...(countsByMonth(overview.limits) ? { month_resets_at: toTimestamp(overview.resetsAt.month) } : {}),
    over_limit: overview.overLimits.map(({ limit, scopeId, used, max }) => ({
      limit: limit.name,
      ...(scopeId === null ? {} : { [scopeField(limit) ?? 'scope_id']: scopeId }),
      used,
      max,
    })),
    renewal: overview.renewal && viewRenewal(overview.renewal),
    email,
    name,
    locale,
  }
}

export async function showOverview(deps: OverviewDeps, { user, api, requestId }: UserCall) {
  const { overview, timeList } = await readOverviewWithTime(deps, user.userId, requestId)
  const { pendingPayment: pending, now } = overview
  return {
    ...viewPlatformUser(overview),
    pending_payment: pending && viewPayment(pending, now, { methods: deps.methods, api }),
    time: viewTimeList(timeList),
  }
}

function viewRenewal(renewal: Renewal) {
  return {
    allowed: renewal.allowed,
    plan: renewal.plan.id,
    amount: renewal.amount,
    currency: renewal.plan.currency,
    would_start: toTimestamp(renewal.wouldStart),
    would_end: toTimestamp(renewal.wouldEnd),
    renewable_from: timestampOrNull(renewal.renewableFrom),
  }
}
