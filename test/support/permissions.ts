// What acts and readings say of who may, by the names that refusals have.

import { actsOf, readingsOf } from '../../packages/ishtirak/src/acts/capability.js'
import type { Act, Permission } from '../../packages/ishtirak/src/core/role.js'
import { GRANT_LONG } from '../../packages/ishtirak/src/grants/grant.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'

const KNOWN = new Map<string, Permission>(
  [...actsOf<never>(CAPABILITIES), ...readingsOf<never>(CAPABILITIES), GRANT_LONG].flatMap(
    ({ name, roles }) => (name === undefined || roles === undefined ? [] : [[name, { name, roles }]]),
  ),
)

export function permissionNamed(name: string): Act | Permission {
  // Those of the table in core/role.ts are asked for by their names.
  return KNOWN.get(name) ?? (name as Act)
}
