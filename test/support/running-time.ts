// A clock for bounds on time: it shows for how long this process ran. Of each moment in which the machine
// stood still, or computed for others, it counts two steps at most.

const STEP_MS = 50

export function startRunningTime() {
  let total = 0
  let last = performance.now()
  const step = () => {
    const now = performance.now()
    total += Math.min(now - last, 2 * STEP_MS)
    last = now
    return total
  }
  const timer = setInterval(step, STEP_MS)
  return { ms: step, [Symbol.dispose]: () => clearInterval(timer) }
}
