// The errors that a task may end with: any other error, except an unavailable database, is a bug.
import { BillingError, type ErrorCode } from '../../packages/ishtirak/src/core/error.js'
import { DatabaseUnavailable } from '../../packages/ishtirak/src/database/database.js'
import type { End, Task } from './scheduler.js'
import type { SimulatedWorld } from './world.js'

export function withExpectedErrors(world: SimulatedWorld, task: Task, promised: readonly ErrorCode[]): Task {
  const ended = (end: End) => {
    task.ended?.(end)
    if (end.kind !== 'threw') return
    const code = codeOf(end.error)
    world.figures.count(`answers: ${code}`)
    if (code !== 'database_unavailable' && !promised.some((one) => one === code)) world.surprise(end.error)
  }
  return { ...task, ended }
}

export function codeOf(error: unknown): string {
  if (error instanceof DatabaseUnavailable) return 'database_unavailable'
  return error instanceof BillingError ? error.code : 'surprise'
}
