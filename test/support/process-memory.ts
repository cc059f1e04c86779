// One service serves many tests; each of them begins with an empty memory of who called or failed how often.
import { BoundedMap } from '../../packages/ishtirak/src/runtime/bounded-map.js'

const { set } = BoundedMap.prototype
const remembered = new Map<BoundedMap<unknown, NonNullable<unknown>>, Set<unknown>>()
BoundedMap.prototype.set = function (key: unknown, value: NonNullable<unknown>) {
  const keys = remembered.get(this) ?? new Set()
  remembered.set(this, keys.add(key))
  set.call(this, key, value)
}

let running: string | undefined

/** Keeps the memory within one test, whose services may be two processes, and outside of vitest. */
export function forgetOtherTests(): void {
  if (process.env.VITEST === undefined) return
  const { testPath, currentTestName } = expect.getState()
  const test = `${testPath} ${currentTestName}`
  if (test === running) return
  running = test
  for (const [map, keys] of remembered) for (const key of keys) map.delete(key)
  remembered.clear()
}
