// Granted days and trials as a capability: acts, calls, mail, and a part of the user's page.
import type { Capability } from '../acts/capability.js'
import { type GrantedMailDeps, grantedMail } from '../ledger/granted-mail.js'
import { type GrantDeps, grantDays } from './grant.js'
import { type TrialDeps, trialCalls } from './trial.call.js'
import { grantPart } from './user-part.js'

export const grants: Capability<GrantDeps & TrialDeps & GrantedMailDeps> = {
  name: 'grants',
  events: ['subscription.granted'],
  acts: [grantDays],
  calls: trialCalls,
  userParts: (deps) => [grantPart(deps)],
  mails: (deps) => [
    grantedMail(deps, { about: 'grt_', theme: 'granted' }),
    grantedMail(deps, { about: 'tri_', theme: 'trial' }),
  ],
}
