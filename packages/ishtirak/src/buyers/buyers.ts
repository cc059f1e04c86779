// Buyers' details as a capability: calls, the portal page, an act, and a part of the user's page.
import type { ActDeps } from '../acts/act.js'
import type { Capability } from '../acts/capability.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import { buyerCalls } from './buyer.call.js'
import { correctBuyer } from './correct-buyer.js'
import { buyerPages } from './portal-part.js'
import type { BuyerDeps } from './set-buyer.js'
import { buyerPart } from './user-part.js'

export const buyers: Capability<BuyerDeps & ActDeps & ChangeDeps & SubjectDeps> = {
  name: 'buyers',
  acts: [correctBuyer],
  userParts: (deps) => [buyerPart(deps)],
  calls: buyerCalls,
  portal: buyerPages,
}
