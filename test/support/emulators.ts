// The emulators of this worker: one serves a world after the other.
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import type { MovableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { type ReplaceableClock, replaceableClock } from './replaceable-clock.js'

export const CHARGILY_KEY = 'test_sk_world0000000000000000000000000000000'

interface KeptEmulator {
  readonly emulator: Emulator
  readonly clock: ReplaceableClock
}

/** Those of this worker that have no world now. Starting one costs as much as half a test. */
const idleEmulators: KeptEmulator[] = []

/** An emulator that knows nothing and has this clock; closed, it serves the next world. */
export async function emulatorAt(clock: MovableClock): Promise<Emulator> {
  const kept = idleEmulators.pop() ?? (await startEmulatorAt(clock))
  kept.clock.become(clock)
  const close = async () => {
    await kept.emulator.reset()
    idleEmulators.push(kept)
  }
  return { ...kept.emulator, close }
}

async function startEmulatorAt(first: MovableClock): Promise<KeptEmulator> {
  const clock = replaceableClock(first)
  return { emulator: await startEmulator({ secretKeys: [CHARGILY_KEY], clock }), clock }
}
