// Calls that redeem a code of months, and list what was redeemed.
import { PROVIDER_REFUSALS } from '../acts/files.js'
import { userCall } from '../acts/user-call.js'
import { CODE_REFUSALS } from '../checkout/upgrade.call.js'
import { toTimestamp } from '../core/instant.js'
import type { UserIdentity } from '../http/auth.js'
import {
  RedeemedSchema,
  type RedeemedView,
  type RedeemRequest,
  RedeemRequestSchema,
  RedemptionsSchema,
  type RedemptionsView,
} from '../ledger/schemas.js'
import { listRedemptions } from './code-uses.sql.js'
import { type RedeemDeps, redeem } from './redeem.js'

export interface CodeCalls {
  /** Redeems a code of months. Throws `code_not_valid`, `too_many_wrong_codes`. */
  redeem(user: UserIdentity, request: RedeemRequest): Promise<RedeemedView>
  /** Lists what was redeemed, newest first. */
  redemptions(userId: string): Promise<RedemptionsView>
}

const redeemCode = userCall<RedeemDeps>()({
  name: 'redeem',
  operationId: 'redeemCode',
  summary: 'Redeem a code',
  description:
    'For a code that gives months of a plan, or, with `plan`, one that leaves nothing to pay for it. ' +
    'They follow on the paid time, or begin now. A code that the user has redeemed, and cannot redeem ' +
    'again, gets the same answer again. An open checkout that holds the code is closed. 404 where the ' +
    'service has no codes.',
  method: 'POST',
  path: '/redeem',
  input: RedeemRequestSchema,
  answer: RedeemedSchema,
  refuses: [
    'malformed_json',
    'forbidden',
    'not_found',
    'validation_failed',
    'unknown_plan',
    'plan_not_purchasable',
    'unknown_term',
    'prepaid_limit_reached',
    ...CODE_REFUSALS,
    'conflict',
    ...PROVIDER_REFUSALS,
  ],
  run: async (deps, { user, requestId, input: { code: typed, plan, months = 1 } }) => {
    const free = plan === undefined ? undefined : { planId: plan, months }
    const { grant, currentPeriodEnd } = await redeem(deps, user, { typed, free }, requestId)
    return { plan: grant.plan.id, months: grant.months, current_period_end: toTimestamp(currentPeriodEnd) }
  },
})

const redemptions = userCall<Pick<RedeemDeps, 'database'>>()({
  name: 'redemptions',
  operationId: 'listRedemptions',
  summary: 'Redeemed codes, newest first',
  method: 'GET',
  path: '/redemptions',
  answer: RedemptionsSchema,
  run: async ({ database }, { user }) => ({ data: await listRedemptions(database, user.userId) }),
})

export const codeCalls = [redeemCode, redemptions]
