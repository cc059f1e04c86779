// What the hosting platform asks and reports, with its own key: who may do what, how much is in use, who a user is. Every
// deploy passes here, so there is no quota on calls; a caller without a key is bounded by their address.
import type { Static } from 'typebox'
import { timestampOrNull } from '../core/instant.js'
import type { UsageDecision } from '../core/limit.js'
import type { App } from '../http/app.js'
import type { Callers } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { saveProfile } from '../payments/users.sql.js'
import { type OverviewDeps, readOverview } from './overview.js'
import { viewPlatformUser } from './overview.route.js'
import {
  type Allowance,
  AllowanceSchema,
  type ConsumeRequest,
  ConsumeRequestSchema,
  LimitParamsSchema,
  PlatformUserSchema,
  type ReleaseRequest,
  ReleaseRequestSchema,
  type UsageReport,
  UsageReportSchema,
  UserParamsSchema,
  type UserUpdate,
  UserUpdateSchema,
} from './schemas.js'
import { type CountUsageDeps, countUsage } from './usage.js'

export interface PlatformRoutesDeps extends OverviewDeps, CountUsageDeps {
  /** Known by the name of their key. */
  readonly platforms: Callers<string>
}

const USER = '/api/v1/platform/users/:user_id'
const LIMIT = `${USER}/limits/:limit`
const PLATFORM = { security: [{ platform: [] }], tags: ['platform'] }
const REFUSALS = ['unauthenticated', 'not_found', 'validation_failed', 'database_unavailable'] as const
const COUNT_REFUSALS = [...REFUSALS, 'unknown_limit', 'malformed_json'] as const

export function platformRoutes(deps: PlatformRoutesDeps) {
  return async (app: App): Promise<void> => {
    app.addHook('onRequest', deps.platforms.onRequest)
    userRoutes(app, deps)
    consumeRoute(app, deps)
    releaseRoute(app, deps)
    usageRoute(app, deps)
  }
}

function userRoutes(app: App, deps: OverviewDeps): void {
  const common = { ...PLATFORM, params: UserParamsSchema }
  const readSchema = {
    ...common,
    operationId: 'getUser',
    summary: 'A user: status, limits, usage, renewal',
    description: 'An unknown user is on the free plan. All figures are of one instant.',
    response: { 200: PlatformUserSchema, ...problemResponses(...REFUSALS) },
  }
  app.get(USER, { schema: readSchema }, async (request) =>
    viewPlatformUser(await readOverview(deps, request.params.user_id, request.id)),
  )
  const updateSchema = {
    ...common,
    operationId: 'updateUser',
    summary: 'Update a user',
    description:
      'For mail and receipts. What is absent stays, null clears. Answers with the user as they are now.',
    body: UserUpdateSchema,
    response: { 200: PlatformUserSchema, ...problemResponses(...REFUSALS, 'malformed_json') },
  }
  app.put(USER, { schema: updateSchema }, ({ id, params, body }) =>
    updateUser(deps, params.user_id, body, id),
  )
}

export async function updateUser(deps: OverviewDeps, userId: string, update: UserUpdate, requestId: string) {
  await saveProfile(deps.database, userId, update, deps.clock.now())
  return viewPlatformUser(await readOverview(deps, userId, requestId))
}

function consumeRoute(app: App, deps: CountUsageDeps): void {
  const schema = {
    ...PLATFORM,
    operationId: 'consumeLimit',
    summary: 'Consume',
    description:
      'Counts if there is room; yes and no are both 200. Exact under any concurrency: the figures come from the statement that decided. A denied operation is not remembered, so the same `operation_id` may be sent again after an upgrade.',
    params: LimitParamsSchema,
    body: ConsumeRequestSchema,
    response: { 200: AllowanceSchema, ...problemResponses(...COUNT_REFUSALS, 'conflict') },
  }
  app.post(`${LIMIT}/consume`, { schema }, ({ params, body }) => consume(deps, params, body))
}

type Place = Static<typeof LimitParamsSchema>

export async function consume(deps: CountUsageDeps, place: Place, body: ConsumeRequest): Promise<Allowance> {
  const answer = await countUsage(deps, {
    kind: 'consume',
    userId: place.user_id,
    limit: place.limit,
    projectId: body.project_id ?? null,
    amount: body.amount ?? 1,
    operationId: body.operation_id,
    consumeOperationId: null,
  })
  return viewAllowance(answer)
}

function releaseRoute(app: App, deps: CountUsageDeps): void {
  const schema = {
    ...PLATFORM,
    operationId: 'releaseLimit',
    summary: 'Give back',
    description:
      'Never below zero, and nothing twice. What was consumed on a day that is over is not given back to today.',
    params: LimitParamsSchema,
    body: ReleaseRequestSchema,
    response: { 200: AllowanceSchema, ...problemResponses(...COUNT_REFUSALS, 'conflict') },
  }
  app.post(`${LIMIT}/release`, { schema }, ({ params, body }) => release(deps, params, body))
}

export async function release(deps: CountUsageDeps, place: Place, body: ReleaseRequest): Promise<Allowance> {
  const answer = await countUsage(deps, {
    kind: 'release',
    userId: place.user_id,
    limit: place.limit,
    projectId: body.project_id ?? null,
    amount: body.amount ?? null,
    operationId: body.operation_id,
    consumeOperationId: body.consume_operation_id ?? null,
  })
  return viewAllowance(answer)
}

function usageRoute(app: App, deps: CountUsageDeps): void {
  const schema = {
    ...PLATFORM,
    operationId: 'reportUsage',
    summary: 'Report usage',
    description:
      'The platform’s own count, absolute. It is never refused, even above the limit. Report 0 for a project that is gone.',
    params: LimitParamsSchema,
    body: UsageReportSchema,
    response: { 200: AllowanceSchema, ...problemResponses(...COUNT_REFUSALS) },
  }
  app.put(`${LIMIT}/usage`, { schema }, ({ params, body }) => reportUsage(deps, params, body))
}

export async function reportUsage(deps: CountUsageDeps, place: Place, body: UsageReport): Promise<Allowance> {
  const answer = await countUsage(deps, {
    kind: 'report',
    userId: place.user_id,
    limit: place.limit,
    projectId: body.project_id ?? null,
    amount: body.used,
    operationId: '',
    consumeOperationId: null,
  })
  return viewAllowance(answer)
}

function viewAllowance({ allowed, limit, used, remaining, resetsAt, reason }: UsageDecision) {
  return { allowed, limit, used, remaining, resets_at: timestampOrNull(resetsAt), reason }
}
