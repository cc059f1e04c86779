// Batches of codes: made, listed, revoked. The codes are answered once, when they are made; nothing of ours can show them
// again.

import { type AuditDeps, auditEntry, type By } from '../acts/audit.sql.js'
import { type CodeBatch, type CodeKind, printCode } from '../core/code.js'
import { BillingError } from '../core/error.js'
import { type Instant, SECOND, toTimestamp } from '../core/instant.js'
import { type Catalogue, offersOf, planById } from '../core/plan.js'
import { requireRole } from '../core/role.js'
import type { WallClock } from '../runtime/calendar.js'
import { keyedDigest } from '../runtime/secret.js'
import { findBatch, insertBatch, newestBatches, revoke } from './batches.sql.js'

export interface CodesDeps extends AuditDeps {
  readonly catalogue: Catalogue
  /** The first makes hashes; empty: there are no codes. */
  readonly codeKeys: readonly string[]
  readonly drawCode: () => string
  readonly wallClock: WallClock
}

/** As it was asked for. Null: not said. */
export interface WantedBatch
  extends Pick<CodeBatch, 'kind' | 'planId' | 'months' | 'percent' | 'amount' | 'count' | 'from' | 'until'> {
  readonly uses: number
  readonly usesPerUser: number
}

/** Throws `not_found` without a key for codes, `unknown_plan`, `plan_not_purchasable`, `unknown_term` or `validation_failed`. */
export async function createCodes(deps: CodesDeps, wanted: WantedBatch, by: By) {
  requireRole(by.operator, 'codes.create')
  const [key] = deps.codeKeys
  if (key === undefined) throw new BillingError('not_found', { extra: { setting: 'CODE_KEYS' } })
  const now = deps.clock.now()
  const plan = planOf(deps, wanted)
  checkBatch(wanted, now)
  checkTerm(deps, wanted)
  const batch: CodeBatch = {
    ...wanted,
    id: deps.ids.next('bat', now),
    plan: wanted.kind === 'months' ? plan : null,
    revokedAt: null,
  }
  const codes = new Set<string>()
  while (codes.size < wanted.count) codes.add(deps.drawCode())
  const hashes = [...codes].map((code) => keyedDigest(key, code))
  const { plan: _, revokedAt: __, from, until, ...facts } = batch
  const after = { ...facts, from: from && toTimestamp(from), until: until && toTimestamp(until) }
  const audit = auditEntry(
    deps.ids,
    { ...by, act: 'codes.create' },
    { paymentId: null, before: {}, after, now },
  )
  await insertBatch(deps.database, { batch, hashes, by, now, audit })
  return { batch_id: batch.id, codes: [...codes].map(printCode) }
}

/** Null: for any plan. */
function planOf({ catalogue }: CodesDeps, { planId }: WantedBatch) {
  if (planId === null) return null
  const plan = planById(catalogue, planId)
  if (!plan) throw new BillingError('unknown_plan')
  if (plan.price === 0) throw new BillingError('plan_not_purchasable')
  return plan
}

/** What each kind has to say beyond what all have. */
const REQUIRED: Readonly<Record<CodeKind, readonly ('plan' | CodeKind)[]>> = {
  months: ['plan', 'months'],
  percent: ['percent'],
  amount: ['amount'],
}

/** What takes something off a term that is not sold could never be used. */
function checkTerm({ catalogue }: CodesDeps, { kind, planId, months }: WantedBatch): void {
  if (kind === 'months' || months === null) return
  const offers = catalogue.plans.filter(({ id }) => planId === null || id === planId).flatMap(offersOf)
  if (!offers.some((offer) => offer.months === months)) throw new BillingError('unknown_term')
}

function checkBatch(wanted: WantedBatch, now: Instant): void {
  const { kind, planId: plan, months, percent, amount, from, until } = wanted
  const given = { plan, months, percent, amount }
  const missing = REQUIRED[kind].filter((name) => given[name] === null)
  const foreign = (['percent', 'amount'] as const).filter((name) => name !== kind && given[name] !== null)
  const begin = Math.max(now, from ?? now)
  const isOver = until !== null && until <= begin
  const problems = [
    ...missing.map((name) => ({ pointer: `/${name}`, code: 'required' as const })),
    ...foreign.map((name) => ({ pointer: `/${name}`, code: 'not_allowed' as const })),
    ...(isOver
      ? [{ pointer: '/until', code: 'too_small' as const, bound: toTimestamp(begin + SECOND) }]
      : []),
  ]
  if (problems.length > 0) throw new BillingError('validation_failed', { problems })
}

/** With what is used of it and left. Throws `not_found`. */
export async function showBatch({ database }: Pick<CodesDeps, 'database'>, batchId: string) {
  const batch = await findBatch(database, batchId)
  if (!batch) throw new BillingError('not_found', { extra: { batch_id: batchId } })
  return batch
}

export function listBatches({ database }: Pick<CodesDeps, 'database'>, limit: number) {
  return newestBatches(database, limit)
}

/** No code of the batch counts from now on. What was bought with one stays. Throws `not_found` or `already_revoked`. */
export async function revokeBatch(deps: CodesDeps, batchId: string, by: By) {
  requireRole(by.operator, 'codes.revoke')
  const now: Instant = deps.clock.now()
  const after = { batch_id: batchId, revoked_at: toTimestamp(now) }
  const audit = auditEntry(
    deps.ids,
    { ...by, act: 'codes.revoke' },
    { paymentId: null, before: {}, after, now },
  )
  const isRevoked = await revoke(deps.database, { batchId, by, now, audit })
  const batch = await showBatch(deps, batchId)
  if (!isRevoked) throw new BillingError('already_revoked', { extra: { revoked_at: batch.revoked_at } })
  return batch
}
