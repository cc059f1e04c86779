// Does an act: checks the role, finds an earlier call of the same operation, and records refusals.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { BillingError, isErrorCode } from '../core/error.js'
import { untilFresh } from '../database/database.js'
import {
  type Act,
  type ActDeps,
  type ActPlan,
  type Call,
  type Change,
  change,
  requireAllowed,
} from './act.js'
import {
  type FoundAct,
  findAct,
  orRecordRefusal,
  type Requester,
  requireUnchanged,
  wasTriedMeanwhile,
} from './audit.sql.js'
import type { About } from './subject.js'

export type Performed =
  | { readonly kind: 'done'; readonly outcome: unknown }
  /** An earlier or simultaneous call of the same operation did it, or was refused. */
  | { readonly kind: 'done_before'; readonly found: FoundAct }

/** Finds the audit entry of an earlier call with the same `operation_id`; null: there is none. */
export async function findEarlierAct<Deps extends ActDeps>(
  act: Act<Deps>,
  deps: Deps,
  call: Call<object, Requester>,
  { userId }: About,
): Promise<FoundAct | null> {
  if (call.by.operationId === undefined) return null
  return findAct(deps.database, { userId, operationId: storedOperationId(act, call) })
}

/** Does the act, unless `earlier`, which `findEarlierAct` found, did it. Throws what the act throws. */
export async function perform<Deps extends ActDeps>(
  act: Act<Deps>,
  deps: Deps,
  call: Call<object, Requester>,
  { about, earlier }: { readonly about: About; readonly earlier: FoundAct | null },
): Promise<Performed> {
  requireAllowed(act, call.by.operator, { ...call.input })
  const repeated = async (found: FoundAct): Promise<Performed> => {
    if (!found.isRefused) await act.finish?.(deps, call, found)
    return { kind: 'done_before', found }
  }
  if (earlier) return repeated(earlier)
  const { operationId: operationName } = call.by
  const name = operationName === undefined ? {} : { operationId: storedOperationId(act, call), operationName }
  const by = { ...call.by, act: act.name, ...recordedInput(act, call), ...name }
  const round = async () => {
    const { version, save } = await act.plan(deps, { ...call, by })
    requireUnchanged(by, version)
    return save()
  }
  const work = async () => {
    // The act is planned again until the facts have not changed between plan and save.
    const outcome = await untilFresh(act.name, round, (again) => deps.inTurn(about.userId, again))
    await act.finish?.(deps, { ...call, by }, outcome)
    return outcome
  }
  try {
    return { kind: 'done', outcome: await orRecordRefusal(deps, by, about, work) }
  } catch (error) {
    // Another call of the same operation may have acted a moment earlier.
    const meanwhile = await findEarlierAct(act, deps, call, about)
    if (meanwhile && (wasTriedMeanwhile(error) || !meanwhile.isRefused)) return repeated(meanwhile)
    throw error
  }
}

/** Returns the plan without saving it. Throws what the act throws. */
export async function planOf<Deps>(act: Act<Deps>, deps: Deps, call: Call<object, Requester>) {
  requireAllowed(act, call.by.operator, { ...call.input })
  return act.plan(deps, { ...call, by: { ...call.by, act: act.name } })
}

/** The changes of one target of several, with its name `of`. A refusal is shown as a change. */
export async function changesOfOne(of: string, plan: () => Promise<ActPlan>): Promise<readonly Change[]> {
  try {
    const { changes } = await plan()
    return changes.map((one) => ({ ...one, of: one.of === null ? of : `${of} · ${one.of}` }))
  } catch (error) {
    if (error instanceof BillingError) return [change.text('refused', null, error.code, of)]
    throw error
  }
}

/** For the API or a host. A repetition throws what the first call threw; `conflict` for another input. */
export async function performOrRepeat<Deps extends ActDeps>(
  act: Act<Deps>,
  deps: Deps,
  call: Call<object, Requester>,
  /** What the subject's `about` would return, if the caller knows it. */
  known?: About,
): Promise<Performed> {
  // The role is checked first, so that a refused operator does not learn whether the subject exists.
  requireAllowed(act, call.by.operator, { ...call.input })
  const about = known ?? (await act.on.about(deps, call.id, call.input))
  const earlier = await findEarlierAct(act, deps, call, about)
  const performed = await perform(act, deps, call, { about, earlier })
  if (performed.kind === 'done_before') requireSame(act, performed, call)
  return performed
}

/** Throws the refusal of the first call, or `conflict` if its input was another. */
function requireSame(
  act: Pick<Act, 'secret'>,
  { found }: Extract<Performed, { kind: 'done_before' }>,
  call: Call<object, Requester>,
): void {
  const { asked = null } = recordedInput(act, call)
  if (!isDeepStrictEqual(found.asked, asked))
    throw new BillingError('conflict', { extra: { asked: found.asked } })
  if (!found.isRefused) return
  const { code, act: _, ...extra } = found.after
  throw new BillingError(typeof code === 'string' && isErrorCode(code) ? code : 'conflict', { extra })
}

/** One `operation_id` may be used for several acts and targets, so the stored name has all three. */
function storedOperationId(
  { name, countsEach }: Pick<Act, 'name' | 'countsEach'>,
  { id, by }: Call<object, Requester>,
): string {
  return `${name} ${id} ${by.operationId ?? ''}${countsEach ? `\n${by.operator.name}` : ''}`
}

/** The input for the audit trail, without the reason and the operation's name. */
function recordedInput(
  { secret = [] }: Pick<Act, 'secret'>,
  { input, by }: Call<object, Requester>,
): { readonly asked?: object } {
  const { why: _, operation_id: __, ...given }: Readonly<Record<string, unknown>> = { ...input }
  // A host in JavaScript may name a member that it does not give; the trail has none.
  const asked = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, secret.includes(key) ? fingerprint(`${by.operationId}\n${value}`) : value])
  return asked.length === 0 ? {} : { asked: Object.fromEntries(asked) }
}

/** 16 bits of a hash: enough to notice that a repetition has another value, too few to guess the value. */
function fingerprint(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 4)
}
