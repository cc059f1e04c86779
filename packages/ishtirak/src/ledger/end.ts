// A user's access ends now, as for fraud. What was paid stays paid, and the next payment begins anew.
import { act, change, WhySchema } from '../acts/act.js'
import { BillingError } from '../core/error.js'
import { decideEnd } from '../core/refund.js'
import { type ChangeDeps, changeBy } from './change-user.js'
import { loadUser } from './load.js'
import { type SubjectDeps, USER } from './subjects.js'

export const endAccess = act<ChangeDeps & SubjectDeps>()({
  name: 'user.end',
  rank: 'destructive',
  roles: [],
  on: USER,
  operationId: 'endAccess',
  summary: 'End a user’s access now (fraud); what was paid stays paid',
  description: 'The next payment begins anew. 409 when the user has no access that ends.',
  input: WhySchema,
  bulk: true,
  isOffered: ({ subscription: { status, currentPeriodEnd } }) =>
    ['active', 'past_due'].includes(status) && currentPeriodEnd !== null,
  plan: async (deps, { id: userId, by }) => {
    const user = await loadUser(deps, userId)
    const now = deps.clock.now()
    const revision = decideEnd(user.subscription, now, deps.rules)
    if (!revision) throw new BillingError('conflict')
    return {
      version: user.version,
      changes: [change.access(user.subscription, revision.subscription, now, deps.rules)],
      save: () => changeBy(deps, by, { userId, user }, { revision, now }),
    }
  },
})
