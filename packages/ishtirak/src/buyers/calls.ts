// What a host that mounts the service calls of buyers' details. It is part of the published types, which take
// the types of these imports along and no more.
import type { UserIdentity } from '../http/auth.js'
import type { BuyerRequest, BuyerView } from './buyer-schemas.js'

export interface BuyerCalls {
  /** What an invoice names of the buyer, and what it lacks. */
  buyer(userId: string): Promise<BuyerView>
  /** In place of what was given; for an owner. Throws `validation_failed` with each wrong field. */
  setBuyer(user: UserIdentity, details: BuyerRequest): Promise<BuyerView>
}
