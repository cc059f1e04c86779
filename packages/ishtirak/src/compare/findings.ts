// A finding of a comparison that a person has judged: it is closed with the reason, waits no more, and comes back only where the
// provider says something else.

import { type AuditDeps, auditEntry, type By, orRecordRefusal, requireUnchanged } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { requireRole } from '../core/role.js'
import { type FindingName, findFinding, saveClosed } from './findings.sql.js'

/** Throws `not_found`, or `conflict` where it is closed already, or is not what was shown before. */
export async function closeFinding(deps: AuditDeps, name: FindingName, by: By & { readonly reason: string }) {
  requireRole(by.operator, 'finding.close')
  const { checkoutId, kind } = name
  const found = await findFinding(deps.database, name)
  if (!found) throw new BillingError('not_found', { extra: { finding_id: checkoutId } })
  const { version } = found.finding
  requireUnchanged(by, version)
  const { user_id, payment_id: paymentId, outcome, details } = found.finding
  const userId = user_id ?? ''
  const act = { ...by, act: 'finding.close' } as const
  const now = deps.clock.now()
  const before = { kind, checkout_id: checkoutId, outcome, details }
  const audit = auditEntry(deps.ids, act, { paymentId, before, after: { closed: true }, now })
  const about = { userId, ...(paymentId !== null && { paymentId }) }
  await orRecordRefusal(deps, act, about, async () => {
    const of = { by: by.operator.name, because: by.reason, audit, version, now }
    if (await saveClosed(deps.database, { userId, checkoutId, kind }, of)) return
    const { closed_at } = (await findFinding(deps.database, name))?.finding ?? found.finding
    throw new BillingError('conflict', { extra: closed_at === null ? { changed: true } : { closed_at } })
  })
  const closed = await findFinding(deps.database, { userId, checkoutId, kind })
  if (!closed) throw new BillingError('not_found')
  return closed.finding
}
