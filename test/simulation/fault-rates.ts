// How bad the world is at a moment: one number for each thing that can go wrong, drawn anew for every step.
import type { Dice } from './random.js'

export interface Weather {
  readonly name: 'calm' | 'windy' | 'storm'
  /** That a process dies at one of its steps, before or after the step took effect. */
  readonly kill: number
  /** That the database is away for one statement, or its answer is lost after the commit. */
  readonly database: number
  /** That one call to the provider goes wrong. */
  readonly provider: number
  /** That time passes between two steps, as it does for a slow network or a busy machine. */
  readonly slow: number
}

export const CALM: Weather = { name: 'calm', kill: 0, database: 0, provider: 0, slow: 0 }
const WINDY: Weather = { name: 'windy', kill: 0.01, database: 0.01, provider: 0.1, slow: 0.03 }
const STORM: Weather = { name: 'storm', kill: 0.04, database: 0.04, provider: 0.35, slow: 0.12 }

export function weatherOf(dice: Dice): Weather {
  return { calm: CALM, windy: WINDY, storm: STORM }[dice.weighed({ calm: 4, windy: 4, storm: 3 })]
}
