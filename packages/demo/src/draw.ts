// Random numbers from a seed: the same seed makes the same year. Each name has a stream of its own, so that
// one more draw for one user changes nothing for others.

export interface Draw {
  /** Returns a number of at least 0 and below 1. */
  readonly next: () => number
  chance(probability: number): boolean
  /** A whole number, both ends included. */
  between(least: number, most: number): number
  pick<Value>(values: readonly Value[]): Value
  /** Chooses in proportion to the weights, the first members of the entries. */
  weighted<Entry extends readonly [number, ...unknown[]]>(entries: readonly Entry[]): Entry
}

export function createDraw(seed: number, stream: string): Draw {
  let state = hash(`${stream}:${seed}`)
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (values) => {
      const value = values[between(0, values.length - 1)]
      if (value === undefined) throw new RangeError('nothing to pick from')
      return value
    },
    weighted: (entries) => {
      let left = next() * entries.reduce((sum, [weight]) => sum + weight, 0)
      for (const entry of entries) {
        left -= entry[0]
        if (left < 0) return entry
      }
      throw new RangeError('every weight is 0')
    },
  }
}

/** FNV-1a: neighbouring seeds start from distant states. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 0x01000193)
  return value >>> 0
}
