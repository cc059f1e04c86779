// An act is done: its role asked, an earlier sending found, what is refused written down.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { BillingError, isErrorCode } from '../core/error.js'
import { untilFresh } from '../database/database.js'
import { type Act, type ActDeps, type ActPlan, type Call, requireAllowed } from './act.js'
import {
  type By,
  type FoundAct,
  findAct,
  orRecordRefusal,
  requireUnchanged,
  wasTriedMeanwhile,
} from './audit.sql.js'
import { type Change, change } from './preview.js'
import type { About } from './subject.js'

export type Performed =
  | { readonly kind: 'done'; readonly outcome: unknown }
  /** By an earlier sending of the same operation, or by one at the same moment. */
  | { readonly kind: 'done_before'; readonly found: FoundAct }

/** One sending of an act. */
export interface Sending {
  readonly about: About
  /** It cannot have been tried before; the index audit_operations has the last word. */
  readonly isFirst?: boolean
  /** What became of it; null: it was not tried, or has no name. */
  find(): Promise<FoundAct | null>
}

/** `known`: what it is about, where it was read already. Throws `role_not_allowed`, or `not_found`. */
export async function sendingOf<Deps extends ActDeps>(
  act: Act<Deps>,
  deps: Deps,
  call: Call<object, By>,
  known?: About,
): Promise<Sending> {
  requireAllowed(act, call.by.operator, { ...call.input })
  const about = known ?? (await act.on.about(deps, call.id, call.input))
  const { userId } = about
  const find = async () =>
    call.by.operationId === undefined
      ? null
      : findAct(deps.database, { userId, operationId: nameOf(act, call) })
  return { about, find }
}

/** Throws what the act throws. */
export async function perform<Deps extends ActDeps>(
  act: Act<Deps>,
  deps: Deps,
  call: Call<object, By>,
  { about: { userId, paymentId }, isFirst = false, find }: Sending,
): Promise<Performed> {
  const before = isFirst ? null : await find()
  if (before) return repeated(act, deps, call, before)
  const { operationId: operationName } = call.by
  const name = operationName === undefined ? {} : { operationId: nameOf(act, call), operationName }
  const named = { ...call.by, act: act.name, ...askedIn(act, call), ...name }
  try {
    const about = paymentId === undefined ? { userId } : { userId, paymentId }
    const work = () => carryOut(act, deps, { ...call, by: named }, userId)
    return { kind: 'done', outcome: await orRecordRefusal(deps, named, about, work) }
  } catch (error) {
    // The same form, or another call with its name, may have acted a moment earlier.
    const meanwhile = await find()
    if (meanwhile && (wasTriedMeanwhile(error) || !meanwhile.isRefused))
      return repeated(act, deps, call, meanwhile)
    throw error
  }
}

/** Plans it again until the facts that it was planned on are still true when it is saved. */
async function carryOut<Deps extends ActDeps>(
  act: Act<Deps>,
  deps: Deps,
  call: Call<object>,
  userId: string,
): Promise<unknown> {
  const round = async () => {
    const { version, save } = await act.plan(deps, call)
    requireUnchanged(call.by, version)
    return save()
  }
  const outcome = await untilFresh(act.name, round, (again) => deps.inTurn(userId, again))
  await act.finish?.(deps, call, outcome)
  return outcome
}

async function repeated<Deps>(
  act: Act<Deps>,
  deps: Deps,
  call: Call<object, By>,
  found: FoundAct,
): Promise<Performed> {
  if (!found.isRefused) await act.finish?.(deps, call, found)
  return { kind: 'done_before', found }
}

/** What it would do, to those who may act. */
export async function planOf<Deps>(act: Act<Deps>, deps: Deps, call: Call<object, By>) {
  requireAllowed(act, call.by.operator, { ...call.input })
  return act.plan(deps, { ...call, by: { ...call.by, act: act.name } })
}

/** What changes of one of several, which `of` names, or that it is refused. */
export async function changesOfOne(of: string, plan: () => Promise<ActPlan>): Promise<readonly Change[]> {
  try {
    const { changes } = await plan()
    return changes.map((one) => ({ ...one, of: one.of === null ? of : `${of} · ${one.of}` }))
  } catch (error) {
    if (error instanceof BillingError) return [change.text('refused', null, error.code, of)]
    throw error
  }
}

/**
 * `perform`, where an earlier sending has to have asked for the same. `known`: as of `sendingOf`. Throws what
 * the act throws, now or then.
 */
export async function performOrRepeat<Deps extends ActDeps>(
  act: Act<Deps>,
  deps: Deps,
  call: Call<object, By>,
  known?: About,
): Promise<Performed> {
  const performed = await perform(act, deps, call, await sendingOf(act, deps, call, known))
  if (performed.kind === 'done_before') requireSame(act, performed, call)
  return performed
}

/** Throws the refusal of then, or `conflict` where it asked for something else. */
function requireSame(
  act: Pick<Act, 'secret'>,
  { found }: Extract<Performed, { kind: 'done_before' }>,
  call: Call<object, By>,
): void {
  const { asked = null } = askedIn(act, call)
  if (!isDeepStrictEqual(found.asked, asked))
    throw new BillingError('conflict', { extra: { asked: found.asked } })
  if (!found.isRefused) return
  const { code, act: _, ...extra } = found.after
  throw new BillingError(typeof code === 'string' && isErrorCode(code) ? code : 'conflict', { extra })
}

/** An operation may have several targets, and a target several acts: its name is told with both. */
function nameOf(
  { name, countsEach }: Pick<Act, 'name' | 'countsEach'>,
  { id, by }: Call<object, By>,
): string {
  return `${name} ${id} ${by.operationId ?? ''}${countsEach ? `\n${by.operator.name}` : ''}`
}

/** What was asked for, without the reason and the name, for the trail. */
function askedIn(
  { secret = [] }: Pick<Act, 'secret'>,
  { input, by }: Call<object, By>,
): { readonly asked?: object } {
  const { why: _, operation_id: __, ...given }: Readonly<Record<string, unknown>> = { ...input }
  // A host in JavaScript may name a member that it does not give; the trail has none.
  const asked = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, secret.includes(key) ? marked(`${by.operationId}\n${value}`) : value])
  return asked.length === 0 ? {} : { asked: Object.fromEntries(asked) }
}

/** Tells one value from another in a repetition, and is that of many: 16 bits name nothing. */
function marked(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 4)
}
