// When jobs run, and when no longer.
import { expect, it, onTestFinished, vi } from 'vitest'
import { createLog } from '../runtime/log.js'
import { createRunner } from './schedule.js'

it('a start that ends after the stop leaves no timer: none would ever be cleared', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const job = { name: 'count', everyMs: 1_000, run: async () => 1 }
  const runner = createRunner([job], createLog({ level: 'fatal' }))
  runner.start()
  expect(vi.getTimerCount()).toBe(1)
  await runner.stop()
  runner.start()
  expect(vi.getTimerCount()).toBe(0)
})
