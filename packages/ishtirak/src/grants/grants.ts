// What granted days bring to the service.
import type { Capability } from '../acts/capability.js'
import { type GrantDeps, grantDays } from './grant.js'
import { grantPart } from './user-part.js'

export const grants: Capability<GrantDeps> = {
  name: 'grants',
  acts: [grantDays],
  userParts: (deps) => [grantPart(deps)],
}
