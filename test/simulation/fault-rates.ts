// How likely each fault is: drawn for each run of tasks.
import type { SeededRandom } from '../support/random.js'

export interface FaultRates {
  readonly name: 'none' | 'few' | 'many'
  /** A process dies at one of its steps, before or after the step took effect. */
  readonly kill: number
  /** The database is away for one statement, or its answer is lost after the commit. */
  readonly database: number
  /** One call to the provider fails. */
  readonly provider: number
  /** Time passes between two steps, as on a slow network or a busy machine. */
  readonly slow: number
}

export const NO_FAULTS: FaultRates = { name: 'none', kill: 0, database: 0, provider: 0, slow: 0 }
const FEW_FAULTS: FaultRates = { name: 'few', kill: 0.01, database: 0.01, provider: 0.1, slow: 0.03 }
const MANY_FAULTS: FaultRates = { name: 'many', kill: 0.04, database: 0.04, provider: 0.35, slow: 0.12 }

export function drawFaultRates(random: SeededRandom): FaultRates {
  return { calm: NO_FAULTS, windy: FEW_FAULTS, storm: MANY_FAULTS }[
    random.weighted({ calm: 4, windy: 4, storm: 3 })
  ]
}
