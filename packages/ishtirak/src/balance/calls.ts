// What a host that mounts the service calls of balances. It is part of the published types, which take the
// types of these imports along and no more.
import type { UserIdentity } from '../http/auth.js'
import type {
  BalanceQuery,
  RenewalRequest,
  StandingOrderView,
  TopUpRequest,
  UserBalanceView,
} from '../ledger/balance-schemas.js'
import type { PaymentView } from '../ledger/schemas.js'

/** Where the seller has no balances, each throws `not_found`. */
export interface BalanceCalls {
  /** What there is, the standing order, and each change, newest first, in pages. */
  balance(userId: string, query?: BalanceQuery): Promise<UserBalanceView>
  /** Send the user to `checkout_url`. Throws `balance_limit_reached` and others. */
  topUpBalance(user: UserIdentity, request: TopUpRequest): Promise<PaymentView>
  /** Whenever the paid time ends, the balance buys this term. Set again, at the price of now. */
  setRenewal(user: UserIdentity, request: RenewalRequest): Promise<StandingOrderView>
  endRenewal(user: UserIdentity): Promise<UserBalanceView>
}
