// What granted days bring to the service.
import type { Capability } from '../acts/capability.js'
import { type GrantedMailDeps, grantedMail } from '../ledger/granted-mail.js'
import { type GrantDeps, grantDays } from './grant.js'
import { grantPart } from './user-part.js'
import './words.js'

export const grants: Capability<GrantDeps & GrantedMailDeps> = {
  name: 'grants',
  events: ['subscription.granted'],
  acts: [grantDays],
  userParts: (deps) => [grantPart(deps)],
  mails: (deps) => [grantedMail(deps, { about: 'grt_', theme: 'granted' })],
}
