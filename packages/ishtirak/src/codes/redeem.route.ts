// A code of months is redeemed, and what was redeemed is listed.
import { toTimestamp } from '../core/instant.js'
import { checker } from '../http/checker.js'
import {
  RedeemedSchema,
  type RedeemedView,
  type RedeemRequest,
  RedeemRequestSchema,
  RedemptionsSchema,
  type RedemptionsView,
} from '../ledger/schemas.js'
import { forBothCallers, hostCall, type UserCall, type UserRoutesDeps } from '../ledger/user-routes.js'
import type { CodeCalls } from './calls.js'
import { type RedeemDeps, redeem } from './redeem.js'
import { listRedemptions } from './redeem.sql.js'

export type RedeemRoutesDeps = RedeemDeps & UserRoutesDeps

export function redeemRoutes(deps: RedeemRoutesDeps) {
  return forBothCallers(deps, (app, { path, onRequest, ...callers }) => {
    const redeemSchema = {
      ...callers.personal('redeemCode'),
      summary: 'Redeem a code',
      description:
        'For a code that gives months of a plan, or, with `plan`, one that leaves nothing to pay for it. ' +
        'They follow on the paid time, or begin now. A code that the user has redeemed, and cannot redeem ' +
        'again, gets the same answer again. An open checkout that holds the code is closed. 404 where the ' +
        'service has no codes.',
      params: callers.params({}),
      body: RedeemRequestSchema,
      response: {
        200: RedeemedSchema,
        ...callers.refusals(
          'malformed_json',
          'forbidden',
          'not_found',
          'validation_failed',
          'unknown_plan',
          'plan_not_purchasable',
          'unknown_term',
          'prepaid_limit_reached',
          'code_not_valid',
          'too_many_wrong_codes',
          'conflict',
          'provider_rejected',
          'provider_unavailable',
        ),
      },
    }
    app.post(`${path}/redeem`, { schema: redeemSchema, onRequest }, (request) =>
      redeemCode(deps, callers.callOf(request), request.body),
    )
    const listSchema = {
      ...callers.operation('listRedemptions'),
      summary: 'Redeemed codes, newest first',
      params: callers.params({}),
      response: { 200: RedemptionsSchema, ...callers.refusals() },
    }
    app.get(`${path}/redemptions`, { schema: listSchema, onRequest }, (request) =>
      showRedemptions(deps, callers.callOf(request)),
    )
  })
}

const redeemRequest = checker<RedeemRequest>(RedeemRequestSchema)

export const codeCalls = (deps: RedeemRoutesDeps): CodeCalls => ({
  redeem: async (user, request) => redeemCode(deps, hostCall(deps, user), redeemRequest(request)),
  redemptions: async (userId) => showRedemptions(deps, hostCall(deps, { userId })),
})

export async function redeemCode(
  deps: RedeemDeps,
  { user, requestId }: Pick<UserCall, 'user' | 'requestId'>,
  { code: typed, plan, months = 1 }: RedeemRequest,
): Promise<RedeemedView> {
  const free = plan === undefined ? undefined : { planId: plan, months }
  const { grant, currentPeriodEnd } = await redeem(deps, user, { typed, free }, requestId)
  return { plan: grant.plan.id, months: grant.months, current_period_end: toTimestamp(currentPeriodEnd) }
}

async function showRedemptions(
  { database }: Pick<RedeemRoutesDeps, 'database'>,
  { user }: Pick<UserCall, 'user'>,
): Promise<RedemptionsView> {
  return { data: await listRedemptions(database, user.userId) }
}
