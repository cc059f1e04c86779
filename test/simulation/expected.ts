// What a task may end with: anything thrown that is neither promised nor the database's absence is a bug.
import { BillingError, type ErrorCode } from '../../packages/ishtirak/src/core/error.js'
import { DatabaseUnavailable } from '../../packages/ishtirak/src/database/database.js'
import type { End, Task } from './scheduler.js'
import type { World } from './world.js'

export function judged(world: World, task: Task, promised: readonly ErrorCode[]): Task {
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
