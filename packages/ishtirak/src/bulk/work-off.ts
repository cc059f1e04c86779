// Works off bulk acts in any process. Each target is acted on once, by itself, and its result is stored.
import type { Act } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { findEarlierAct, perform } from '../acts/perform.js'
import { ERRORS } from '../core/error.js'
import { MINUTE } from '../core/instant.js'
import { type Operator, operatorIn } from '../core/role.js'
import { toBillingError } from '../http/problem.js'
import {
  type Claimed,
  claimTargets,
  endBulk,
  finishBulk,
  type Marked,
  markTargets,
  type RunningBulk,
  unfinishedBulks,
} from './bulk.sql.js'
import { actInBulk, type BulkDeps } from './bulk-act.js'

const CHUNK = 100
/** Targets that are acted on at the same time: few, so that other calls find the database free. */
const AT_ONCE = 8
const LEASE_MS = 2 * MINUTE
const ATTEMPTS = 3

/** Works on one bulk act or (null) on all, a chunk of each in turn. Returns the number of targets. */
export async function workOff(
  deps: BulkDeps,
  id: string | null,
  { most, goesOn = () => true }: { readonly most: number; readonly goesOn?: () => boolean },
): Promise<number> {
  let done = 0
  const turns = (await unfinishedBulks(deps.database, id)).map((one) => one.id)
  for (let found = turns.shift(); found !== undefined; found = turns.shift()) {
    const worked = done < most && goesOn() ? await workNext(deps, found) : 0
    done += worked
    if (worked === CHUNK) turns.push(found)
    else await finishBulk(deps.database, found, deps.clock.now())
  }
  return done
}

/** Works on one chunk, if the operator who began it still may. 0: it is stopped, or no target is due. */
async function workNext(deps: BulkDeps, id: string): Promise<number> {
  const [bulk] = await unfinishedBulks(deps.database, id)
  if (!bulk || bulk.isStopped) return 0
  const { operator: name, role, byKey, isOutdated } = bulk
  const isKept = !byKey || deps.operatorKeys.some((key) => key.name === name && key.role === role)
  const operator = isKept && !isOutdated ? operatorIn(deps.operatorRoles, name, role) : null
  if (operator) return workChunk(deps, bulk, operator)
  // The operator was blocked, left OPERATOR_KEYS, or has another role by now.
  const now = deps.clock.now()
  const act = { operator: { name, role }, act: 'bulk.stop', reason: null }
  const audit = auditEntry(deps.ids, act, { after: { bulk_id: id, code: 'operator_unknown' }, now })
  await endBulk(deps.database, id, { because: 'operator_unknown', audit, now })
  return 0
}

async function workChunk(deps: BulkDeps, bulk: RunningBulk, operator: Operator): Promise<number> {
  const now = deps.clock.now()
  const claimed = await claimTargets(deps.database, bulk.id, { now, leaseMs: LEASE_MS, most: CHUNK })
  if (claimed.length === 0) return 0
  const act = actInBulk(deps, bulk.act)
  const results: Marked[] = []
  const waiting = [...claimed]
  const work = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift())
      results.push({ place: one.place, ...(await actOn(deps, act, { bulk, operator }, one)) })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  await markTargets(deps.database, bulk.id, results)
  return claimed.length
}

/** The operation id is that of the bulk act, so a target that is tried again after a crash counts once. */
async function actOn(
  deps: BulkDeps,
  act: Act<BulkDeps>,
  { bulk: { id: bulkId, input, why }, operator }: { bulk: RunningBulk; operator: Operator },
  { target, attempts }: Claimed,
): Promise<Omit<Marked, 'place'>> {
  const by = { operator, reason: why, operationId: bulkId }
  // The input of an act without `why` must not have one.
  const call = { id: target, input: { ...input, ...('why' in act.input.properties && { why }) }, by }
  try {
    const about = act.on.isUser ? { userId: target } : await act.on.about(deps, target, call.input)
    // The first attempt has no earlier act. The index audit_operations refuses a second act anyway.
    const earlier = attempts === 1 ? null : await findEarlierAct(act, deps, call, about)
    const performed = await perform(act, deps, call, { about, earlier })
    if (performed.kind === 'done' || !performed.found.isRefused) return { result: 'done', code: null }
    return { result: 'refused', code: String(performed.found.after.code) }
  } catch (error) {
    const { code } = toBillingError(error)
    if (ERRORS[code] < 500) return { result: 'refused', code }
    deps.log.warn({ err: error, bulk_id: bulkId, target }, 'one of a list could not be acted on')
    // After a lost answer the act may be done. It is repeated until that is known, and never marked as
    // failed.
    const isUnknown = code === 'database_unavailable'
    return { result: attempts < ATTEMPTS || isUnknown ? null : 'failed', code }
  }
}
