// A code of months is redeemed, and what was redeemed is listed.
import { toTimestamp } from '../core/instant.js'
import type { App } from '../http/app.js'
import { identityOf, idOf, type UserIdentity } from '../http/auth.js'
import { type CallerChecks, callersBy } from '../http/callers.js'
import { checker } from '../http/checker.js'
import { problemResponses } from '../http/problem.js'
import { newRequestId } from '../http/request.js'
import type { CommonParts } from '../ledger/parts.js'
import {
  BILLING_API,
  RedeemedSchema,
  type RedeemedView,
  type RedeemRequest,
  RedeemRequestSchema,
  RedemptionsSchema,
  type RedemptionsView,
  USER_ROUTE,
} from '../ledger/schemas.js'
import type { CodeCalls } from './calls.js'
import { type RedeemDeps, redeem } from './redeem.js'
import { listRedemptions } from './redeem.sql.js'

export type RedeemRoutesDeps = RedeemDeps & Pick<CallerChecks, 'identify'> & Pick<CommonParts, 'publicUrl'>

const REFUSALS = ['unauthenticated', 'rate_limited', 'database_unavailable'] as const

export function redeemRoutes(deps: RedeemRoutesDeps) {
  const redeemSchema = {
    ...USER_ROUTE,
    operationId: 'redeemCode',
    summary: 'Redeem a code',
    description:
      'For a code that gives months of a plan. They follow on the paid time, or begin now. 404 where ' +
      'the service has no codes.',
    body: RedeemRequestSchema,
    response: {
      200: RedeemedSchema,
      ...problemResponses(
        ...REFUSALS,
        'malformed_json',
        'not_found',
        'validation_failed',
        'code_not_valid',
        'too_many_wrong_codes',
      ),
    },
  }
  const listSchema = {
    ...USER_ROUTE,
    operationId: 'listRedemptions',
    summary: 'Redeemed codes, newest first',
    response: { 200: RedemptionsSchema, ...problemResponses(...REFUSALS) },
  }
  return async (app: App): Promise<void> => {
    const users = callersBy(deps.identify)
    const { onRequest } = users
    app.post(`${BILLING_API}/redeem`, { schema: redeemSchema, onRequest }, (request) =>
      redeemCode(deps, users.of(request), request.body, request.id),
    )
    app.get(`${BILLING_API}/redemptions`, { schema: listSchema, onRequest }, (request) =>
      showRedemptions(deps, users.of(request).userId),
    )
  }
}

const redeemRequest = checker<RedeemRequest>(RedeemRequestSchema)

export const codeCalls = (deps: RedeemRoutesDeps): CodeCalls => ({
  redeem: async (given, request) =>
    redeemCode(deps, identityOf(given), redeemRequest(request), newRequestId()),
  redemptions: async (userId) => showRedemptions(deps, idOf(userId)),
})

export async function redeemCode(
  deps: RedeemDeps,
  user: UserIdentity,
  { code }: RedeemRequest,
  requestId: string,
): Promise<RedeemedView> {
  const { grant, currentPeriodEnd } = await redeem(deps, user, code, requestId)
  return { plan: grant.plan.id, months: grant.months, current_period_end: toTimestamp(currentPeriodEnd) }
}

async function showRedemptions(
  { database, publicUrl }: Pick<RedeemRoutesDeps, 'database' | 'publicUrl'>,
  userId: string,
): Promise<RedemptionsView> {
  const redemptions = await listRedemptions(database, userId)
  const data = redemptions.map((one) => ({
    ...one,
    statement_url: `${publicUrl}${BILLING_API}/redemptions/${one.id}/statement`,
  }))
  return { data }
}
