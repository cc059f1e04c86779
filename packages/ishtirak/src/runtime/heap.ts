// How much garbage the heap may hold. On a machine with much memory V8 lets the heap grow to three times what is alive before it
// looks: a service of 50 MB holds 180. A platform pays for memory by the month, and the looks cost it next to nothing.
// Set from within, before the rest is loaded, so that it holds however the process was started.
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** In per cent of what is alive. V8 reads it after each collection, so it may be set while it runs. */
const GROWTH_PERCENT = 50

/** Half of what V8 takes by itself; less makes objects old that a request would soon have dropped. */
const SEMI_SPACE_MB = 8

/**
 * What a function of WebAssembly runs before it is optimized, ten times V8's own. The embedded database runs thousands of
 * functions at its start and few of them again: a quarter of the start's processor time, 20 MB; after 2,500 statements no difference.
 */
const WASM_TIERING_BUDGET = 18_000_000

/** For this process, from now on. */
export function keepHeapSmall(): void {
  setFlagsFromString(`--wasm-tiering-budget=${WASM_TIERING_BUDGET}`)
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  limitYoungGeneration()
  new PerformanceObserver(limitYoungGeneration).observe({ entryTypes: ['gc'] })
}

/**
 * V8 reads `--max-semi-space-size` at its start only, but the factor at each growth: one step to 8 MB, and no other. It takes the
 * memory back from a process that has little to do, so the factor is set after each collection: once at 1, the young
 * generation would stay at 1 MB, and busy minutes after quiet ones would collect ten times as often.
 */
function limitYoungGeneration(): void {
  const factor = Math.max(1, Math.floor(SEMI_SPACE_MB / youngGenerationMb()))
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}

/** One of its halves. */
function youngGenerationMb(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return space ? (space.space_used_size + space.space_available_size) / 2 ** 20 : SEMI_SPACE_MB
}
