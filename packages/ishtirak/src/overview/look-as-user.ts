// The portal of a user as an operator looks at it: all that the user would see, and nothing that can be done. It is in the audit
// trail, because it shows what is the user's own.

import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import type { Operator } from '../core/role.js'
import { loadUser } from '../ledger/load.js'
import { type ReadPortal, type ReadPortalDeps, readPortalAsStored } from '../portal/read-portal.js'

export type LookAsUserDeps = ReadPortalDeps & AuditDeps

/** Throws `not_found`. */
export async function lookAsUser(
  deps: LookAsUserDeps,
  of: { readonly userId: string; readonly operator: Operator; readonly requestId: string },
): Promise<ReadPortal> {
  const { userId, operator, requestId } = of
  const { email, name, locale } = await loadUser(deps, userId)
  const session = { userId, email, name, locale, returnPath: null, formToken: null }
  const read = await readPortalAsStored(deps, session, requestId)
  await recordAct(deps, { operator, act: 'user.look', reason: null }, { userId })
  return read
}
