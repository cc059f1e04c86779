// Counts at most two steps of each pause, in which the machine stood still or computed for others.

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
