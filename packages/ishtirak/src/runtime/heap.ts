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
  // V8 reads `--max-semi-space-size` at its start only, the factor at each growth: one step from 1 MB to 8, and no other.
  growYoungGenerationBy(SEMI_SPACE_MB)
  const observer = new PerformanceObserver(() => {
    if (youngGenerationMb() <= SEMI_SPACE_MB) return
    growYoungGenerationBy(1)
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}

function growYoungGenerationBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}

/** Both halves. */
function youngGenerationMb(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return (space?.space_size ?? 0) / 2 ** 20
}
