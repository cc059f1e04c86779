// A world whose service has a guarded clock that can be wrong, while the provider's is right.
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { guardedClock } from '../../packages/ishtirak/src/database/guarded-clock.js'
import { movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { CHARGILY_KEY, createWorld, START, type World } from './world.js'

export interface WronglyTimed extends World {
  /** What `work` does while the service's clock is ahead by so much; behind, where it is negative. */
  wrongBy<Result>(ms: number, work: () => Promise<Result>): Promise<Result>
}

export async function wronglyTimed(
  database: Database,
  env: Record<string, string> = {},
): Promise<WronglyTimed> {
  const right = movableClock(START)
  const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY], clock: right })
  let aheadMs = 0
  const known = { now: right.now, secondLook: right.now, confirm: () => {}, learn: async () => {} }
  const guarded = guardedClock(
    { now: () => right.now() + aheadMs },
    { name: 'the clock of the test', ...known },
    createLog({ level: 'silent' }),
  )
  const clock = { ...guarded, advance: right.advance }
  const world = await createWorld(database, { clock, emulator, env })
  const stop = async () => {
    await world.stop()
    await emulator.close()
  }
  return {
    ...world,
    stop,
    [Symbol.asyncDispose]: stop,
    wrongBy: async (ms, work) => {
      aheadMs = ms
      try {
        return await work()
      } finally {
        aheadMs = 0
      }
    },
  }
}
