// What acts and readings say of who may, by the names that refusals have.

import { actsOf, readingsOf } from '../../packages/ishtirak/src/acts/capability.js'
import type { Permission } from '../../packages/ishtirak/src/core/role.js'
import { GRANT_LONG } from '../../packages/ishtirak/src/grants/grant.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'

const KNOWN = new Map<string, Permission>(
  [...actsOf<never>(CAPABILITIES), ...readingsOf<never>(CAPABILITIES), GRANT_LONG].flatMap(
    ({ name, roles }) => (name === undefined || roles === undefined ? [] : [[name, { name, roles }]]),
  ),
)

export function permissionNamed(name: string): Permission {
  const known = KNOWN.get(name)
  if (!known) throw new Error(`no act or reading is called ${name}`)
  return known
}
