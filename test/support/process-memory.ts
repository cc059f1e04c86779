// What services of this worker remember between requests: who called, failed or was refused how often. One
// service serves many tests, and each of them begins with an empty memory.
import { expect } from 'vitest'
import { BoundedMap } from '../../packages/ishtirak/src/runtime/bounded-map.js'

const { set } = BoundedMap.prototype
const remembered = new Map<BoundedMap<unknown, NonNullable<unknown>>, Set<unknown>>()
BoundedMap.prototype.set = function (key: unknown, value: NonNullable<unknown>) {
  const keys = remembered.get(this) ?? new Set()
  remembered.set(this, keys.add(key))
  set.call(this, key, value)
}

let running: string | undefined

/**
 * Does nothing within one test: its services may be two processes that both remember. Nor where the commands
 * of the simulation and of odd calls run without tests.
 */
export function forgetOtherTests(): void {
  if (process.env.VITEST === undefined) return
  const { testPath, currentTestName } = expect.getState()
  const test = `${testPath} ${currentTestName}`
  if (test === running) return
  running = test
  for (const [map, keys] of remembered) for (const key of keys) map.delete(key)
  remembered.clear()
}
