// How much garbage the heap may hold. On a machine with much memory V8 lets the heap grow to three times what
// is alive before it looks: a service of 50 MB holds 180. A platform pays for memory by the month, and the
// looks cost it next to nothing. Set from within, before the rest is loaded, so that it holds however the
// process was started.
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * In per cent of what is alive. V8 reads it after each collection, so it may be set while it runs. Under load
 * of all kinds the service holds 149 MB with 20 and 163 with 50; the old generation is then collected more
 * often, by other threads: 4 % of an upgrade.
 */
const GROWTH_PERCENT = 20

/**
 * One half of the young generation, of the 16 that V8 takes. Less makes objects old that a request would soon
 * have dropped. The process with the embedded database in it holds twice the memory of others, and has fewer
 * requests.
 */
const SEMI_SPACE_MB = { server: 12, embedded: 8 } as const

/**
 * What a function of WebAssembly runs before it is optimized, ten times V8's own. The embedded database runs
 * thousands of functions at its start and few of them again: a quarter of the start's processor time, 20 MB;
 * after 2,500 statements no difference.
 */
const WASM_TIERING_BUDGET = 18_000_000

/**
 * For this process, from now on, by the database that it uses. One thread collects the young generation: the
 * others that V8 starts for it wait for each other most of the time, where a request or the database could
 * have their processor. On two processors under load, four processes each with 12 MB: 55 µs of processor time
 * for 59 for a status, 318 for 411 for a webhook.
 */
export function keepHeapSmall(database: keyof typeof SEMI_SPACE_MB): void {
  const limitYoungGeneration = () => growYoungGenerationTo(SEMI_SPACE_MB[database])
  setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString(`--wasm-tiering-budget=${WASM_TIERING_BUDGET}`)
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  limitYoungGeneration()
  new PerformanceObserver(limitYoungGeneration).observe({ entryTypes: ['gc'] })
}

/**
 * V8 reads `--max-semi-space-size` at its start only, but the factor at each growth: one step to the limit,
 * and no other. It takes the memory back from a process that has little to do, so the factor is set after
 * each collection: once at 1, the young generation would stay at 1 MB, and busy minutes after quiet ones
 * would collect ten times as often.
 */
function growYoungGenerationTo(limitMb: number): void {
  const factor = Math.max(1, Math.floor(limitMb / youngGenerationMb(limitMb)))
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}

/** One of its halves; `otherwise` where V8 does not say. */
function youngGenerationMb(otherwise: number): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return space ? (space.space_used_size + space.space_available_size) / 2 ** 20 : otherwise
}
