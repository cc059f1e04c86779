import { permissionsOf } from '../../packages/ishtirak/src/acts/capability.js'
import type { Permission } from '../../packages/ishtirak/src/core/role.js'
import { CAPABILITIES } from '../../packages/ishtirak/src/main/capabilities.js'

export const PERMISSIONS = permissionsOf(CAPABILITIES)

export function permissionNamed(name: string): Permission {
  const known = PERMISSIONS.find((one) => one.name === name)
  if (!known) throw new Error(`no act or reading is called ${name}`)
  return known
}
