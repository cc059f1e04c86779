// An operator views the portal of a user, where nothing can be done. The audit trail has each view.

import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import type { Capability } from '../acts/capability.js'
import { requireUser } from '../ledger/load.js'
import type { ViewAsUser } from '../pages/portal-kinds.js'
import { withoutSlash } from '../runtime/http-client.js'
import { portalPage } from './portal-page.js'
import { orderPartsOf, type PortalDeps, portalReader } from './portal-pages.js'

type ViewAsUserDeps = Omit<PortalDeps, 'admitLinkRequest' | 'mailsLinks'> & AuditDeps

export function createViewAsUser<Deps extends ViewAsUserDeps>(
  deps: Deps,
  capabilities: readonly Capability<Deps>[],
): ViewAsUser {
  const parts = {
    ...deps,
    ...orderPartsOf(deps, capabilities),
    base: withoutSlash(new URL(deps.publicUrl).pathname),
  }
  return async ({ userId, operator, requestId, style, safeStart }) => {
    const pages = { ...parts, style }
    const { email, name, locale } = await requireUser(deps, userId)
    const actor = { userId, personId: null, billingRole: 'owner' } as const
    const session = { ...actor, email, name, locale, returnPath: null, formToken: null }
    // The stored state is shown: without a lookup at the provider nothing is booked.
    const readPortal = portalReader({ ...pages, lookups: async () => false }, capabilities)
    const read = await readPortal({ session, requestId, page: '', asked: () => null, sent: null })
    await recordAct(deps, { operator, act: 'user.look', reason: null }, { userId })
    return portalPage(pages, { ...read, locale: locale ?? 'ar' }, { backUrl: null, safeStart })
  }
}
