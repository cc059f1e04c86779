// What the hosting platform asks and tells, with its own key: who may do what, how much is in use, who somebody is. Every
// deploy passes here, so there is no quota on calls; whoever has no key is nobody, and is bounded by his address.

import type { App } from '../http/app.js'
import type { ApiKeys } from '../http/auth.js'
import { type CallerChecks, callersWithKey } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import type { Billing } from '../main/billing.js'
import { viewAllowance, viewPlatformUser } from './overview-view.js'
import {
  AllowanceSchema,
  ConsumeRequestSchema,
  LimitParamsSchema,
  PlatformUserSchema,
  ReleaseRequestSchema,
  UsageReportSchema,
  UserParamsSchema,
  UserUpdateSchema,
} from './schemas.js'

export interface PlatformRoutesParts {
  readonly billing: Billing
  readonly keys: ApiKeys
  readonly limitAnonymous: CallerChecks['limitAnonymous']
}

const USER = '/api/v1/platform/users/:user_id'
const LIMIT = `${USER}/limits/:limit`
const PLATFORM = { security: [{ platform: [] }], tags: ['platform'] }
const REFUSALS = ['unauthenticated', 'not_found', 'validation_failed', 'database_unavailable'] as const
const COUNT_REFUSALS = [...REFUSALS, 'unknown_limit', 'malformed_json'] as const

export function platformRoutes({ billing, keys, limitAnonymous }: PlatformRoutesParts) {
  return async (app: App): Promise<void> => {
    app.addHook('onRequest', callersWithKey(keys, limitAnonymous).onRequest)
    userRoutes(app, billing)
    consumeRoute(app, billing)
    releaseRoute(app, billing)
    usageRoute(app, billing)
  }
}

function userRoutes(app: App, billing: Billing): void {
  const common = { ...PLATFORM, params: UserParamsSchema }
  const readSchema = {
    ...common,
    operationId: 'getUser',
    summary: 'A user: status, limits, usage, renewal',
    description: 'A user whom nobody has spoken of is on the free plan. All figures are of one instant.',
    response: { 200: PlatformUserSchema, ...problemResponses(...REFUSALS) },
  }
  app.get(USER, { schema: readSchema }, async (request) =>
    viewPlatformUser(await billing.overview(request.params.user_id, request.id)),
  )
  const updateSchema = {
    ...common,
    operationId: 'updateUser',
    summary: 'Tell who a user is',
    description:
      'For mail and receipts. What is absent stays, null clears. Answers with the user as he is now.',
    body: UserUpdateSchema,
    response: { 200: PlatformUserSchema, ...problemResponses(...REFUSALS, 'malformed_json') },
  }
  app.put(USER, { schema: updateSchema }, async ({ id, params, body }) => {
    await billing.updateProfile(params.user_id, body)
    return viewPlatformUser(await billing.overview(params.user_id, id))
  })
}

function consumeRoute(app: App, billing: Billing): void {
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
  app.post(`${LIMIT}/consume`, { schema }, async ({ params, body }) => {
    const answer = await billing.countUsage({
      kind: 'consume',
      userId: params.user_id,
      limit: params.limit,
      projectId: body.project_id ?? null,
      amount: body.amount ?? 1,
      operationId: body.operation_id,
      consumeOperationId: null,
    })
    return viewAllowance(answer)
  })
}

function releaseRoute(app: App, billing: Billing): void {
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
  app.post(`${LIMIT}/release`, { schema }, async ({ params, body }) => {
    const answer = await billing.countUsage({
      kind: 'release',
      userId: params.user_id,
      limit: params.limit,
      projectId: body.project_id ?? null,
      amount: body.amount ?? null,
      operationId: body.operation_id,
      consumeOperationId: body.consume_operation_id ?? null,
    })
    return viewAllowance(answer)
  })
}

function usageRoute(app: App, billing: Billing): void {
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
  app.put(`${LIMIT}/usage`, { schema }, async ({ params, body }) => {
    const answer = await billing.countUsage({
      kind: 'report',
      userId: params.user_id,
      limit: params.limit,
      projectId: body.project_id ?? null,
      amount: body.used,
      operationId: '',
      consumeOperationId: null,
    })
    return viewAllowance(answer)
  })
}
