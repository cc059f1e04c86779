// The calls of codes for a host that mounts the service.
import { identityOf, idOf, type UserIdentity } from '../http/auth.js'
import { checker } from '../http/checker.js'
import { newRequestId } from '../http/request.js'
import {
  type RedeemedView,
  type RedeemRequest,
  RedeemRequestSchema,
  type RedemptionsView,
} from '../ledger/schemas.js'
import { type RedeemRoutesDeps, redeemCode, showRedemptions } from './redeem.route.js'

export interface CodeCalls {
  /** A code that gives months of a plan. Throws `code_not_valid`, `too_many_wrong_codes`. */
  redeem(user: UserIdentity, request: RedeemRequest): Promise<RedeemedView>
  /** What was redeemed, newest first. */
  redemptions(userId: string): Promise<RedemptionsView>
}

const redeemRequest = checker<RedeemRequest>(RedeemRequestSchema)

export const codeCalls = (deps: RedeemRoutesDeps): CodeCalls => ({
  redeem: async (given, request) =>
    redeemCode(deps, identityOf(given), redeemRequest(request), newRequestId()),
  redemptions: async (userId) => showRedemptions(deps, idOf(userId)),
})
