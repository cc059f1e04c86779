// Any error that is not documented for a call, except an unavailable database, is a bug.
import { callBy, doAct } from '../../packages/ishtirak/src/acts/act-routes.js'
import { BillingError, type ErrorCode } from '../../packages/ishtirak/src/core/error.js'
import { DatabaseUnavailable } from '../../packages/ishtirak/src/database/database.js'
import { ownerNamed } from '../support/operator.js'
import type { Parts, Process } from './process.js'
import type { Task } from './scheduler.js'
import type { SimulatedWorld } from './world.js'

interface Deed<Value> {
  readonly name: string
  readonly start: (parts: Parts) => Promise<Value>
  readonly refusals?: readonly ErrorCode[]
  /** Counted with the way in which the deed ended. */
  readonly figure?: string
  /** Called at once with `done`, `killed` or the code of the error. */
  readonly ended?: (how: string) => void
  /** Both are called after all concurrent tasks have ended and the ledger has been read. */
  readonly done?: (value: Value) => void
  readonly refused?: (code: string) => void
}

export function deed<Value>(world: SimulatedWorld, { state, parts }: Process, of: Deed<Value>): Task {
  const { name, start, refusals = [], figure, ended, done, refused } = of
  return {
    ...{ name, state, start: () => start(parts) },
    ended: (end) => {
      const how = end.kind === 'threw' ? codeOf(end.error) : end.kind
      if (figure) world.figures.count(`${figure} ${end.kind}`)
      ended?.(how)
      // The value is what `start` has resolved with.
      if (end.kind === 'done' && done) world.afterwards(() => done(end.value as Value))
      if (end.kind !== 'threw') return
      if (refused) world.afterwards(() => refused(how))
      world.figures.count(`answers: ${how}`)
      if (how !== 'database_unavailable' && !refusals.some((one) => one === how)) world.surprise(end.error)
    },
  }
}

export function act(
  parts: Parts,
  what: Parameters<typeof doAct<Parts>>[1],
  id: string,
  input: object = {},
  by = 'operator',
) {
  return doAct(parts, what, callBy(ownerNamed(by), id, { ...input, why: 'the simulation' }))
}

function codeOf(error: unknown): string {
  if (error instanceof DatabaseUnavailable) return 'database_unavailable'
  return error instanceof BillingError ? error.code : 'surprise'
}
