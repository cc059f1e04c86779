// A full map costs no more with a million keys than with a few: its time is measured, so it runs with all
// tests.
import { expect, it } from 'vitest'
import { BoundedMap } from './bounded-map.js'

it('full, with a new key at each call, it costs with a million keys what it costs with ten thousand', () => {
  const remember = (most: number) => {
    const bounded = new BoundedMap<string, object>(most)
    return (key: string) => {
      if (!bounded.get(key)) bounded.set(key, { key })
    }
  }
  const roomy = nanosecondsACall(remember(1_000_000), 10_000, 100_000)
  const small = nanosecondsACall(remember(10_000), 10_000, 100_000)
  const large = nanosecondsACall(remember(1_000_000), 1_000_000, 500_000)
  const figures = [roomy, small, large].map((figure) => figure.toFixed(0)).join(', ')
  console.info(`ns a call with room, full at 10,000, full at 1,000,000: ${figures}`)
  // A million keys do not fit the processor's caches, which is worth a factor of 3 or so; a walk past them,
  // of 100.
  expect(Math.max(small, large) / roomy).toBeLessThan(12)
})

/** Of the processor, since the machine does other things as well. */
function nanosecondsACall(call: (key: string) => void, filledWith: number, calls: number): number {
  let next = 0
  while (next < filledWith) call(`key ${next++}`)
  const before = process.cpuUsage()
  for (const end = next + calls; next < end; next++) call(`key ${next}`)
  const { user, system } = process.cpuUsage(before)
  return ((user + system) / calls) * 1_000
}
