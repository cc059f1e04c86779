// What a host that mounts the service calls of codes. It is part of the published types, which take the types
// of these imports along and no more.
import type { UserIdentity } from '../http/auth.js'
import type { RedeemedView, RedeemRequest, RedemptionsView } from '../ledger/schemas.js'

export interface CodeCalls {
  /** A code that gives months of a plan. Throws `code_not_valid`, `too_many_wrong_codes`. */
  redeem(user: UserIdentity, request: RedeemRequest): Promise<RedeemedView>
  /** What was redeemed, newest first. */
  redemptions(userId: string): Promise<RedemptionsView>
}
