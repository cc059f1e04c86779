// What granted days bring to the service.
import type { Capability } from '../acts/capability.js'
import { type GrantDeps, grantDays } from './grant.js'
import './words.js'

export const grants: Capability<GrantDeps> = {
  name: 'grants',
  acts: [grantDays],
}
