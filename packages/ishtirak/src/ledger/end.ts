// A user's access ends now, as for fraud. What was paid stays paid, and the next payment begins anew.
import { act, actTexts } from '../acts/act.js'
import { WhySchema } from '../acts/reason.js'
import { BillingError } from '../core/error.js'
import { decideEnd } from '../core/refund.js'
import { accessAfter } from './access-after.js'
import { type ChangeDeps, changeBy } from './change-user.js'
import { loadUser } from './load.js'
import { type SubjectDeps, USER } from './subjects.js'
import { ledgerWords } from './words.js'

export const endAccess = act<ChangeDeps & SubjectDeps>().decides({
  name: 'user.end',
  roles: [],
  on: USER,
  operationId: 'endAccess',
  summary: 'End a user’s access now (fraud); what was paid stays paid',
  input: WhySchema,
  texts: actTexts(ledgerWords, 'end'),
  load: (deps, { id }) => loadUser(deps, id),
  decide: ({ subscription }, _call, now, { rules }) => {
    const after = decideEnd(subscription, now, rules)
    if (!after) throw new BillingError('conflict')
    return after
  },
  save: (deps, { id: userId, by }, { facts: user, decision, now }) =>
    changeBy(deps, { ...by, act: 'user.end' }, { userId, user }, { revision: decision, now }),
  preview: (decided, { rules }) => accessAfter(decided, rules),
  form: {
    isOffered: ({ subscription: { status, currentPeriodEnd } }) =>
      ['active', 'past_due'].includes(status) && currentPeriodEnd !== null,
  },
})
