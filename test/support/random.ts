// Named streams are independent: one more draw in one does not change the others.

export class SeededRandom {
  #state: number

  constructor(
    private readonly seed: number,
    stream = '',
  ) {
    // FNV-1a over the name and the seed: neighbouring seeds start from distant states.
    let hash = 0x811c9dc5
    for (const character of `${stream}:${seed}`) {
      hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
    }
    this.#state = hash >>> 0
  }

  stream(name: string): SeededRandom {
    return new SeededRandom(this.seed, name)
  }

  /** Returns a number of at least 0 and below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  boolean(probability: number): boolean {
    return this.next() < probability
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.between(0, values.length - 1)]
    if (value === undefined) throw new RangeError('nothing to pick from')
    return value
  }

  weighted<Name extends string>(weights: Readonly<Partial<Record<Name, number>>>): Name {
    // Object.entries loses the type of the keys.
    const entries = Object.entries<number | undefined>(weights) as [Name, number | undefined][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + (weight ?? 0), 0)
    for (const [name, weight] of entries) {
      left -= weight ?? 0
      if (left < 0) return name
    }
    throw new RangeError('every weight is 0')
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const keyed = items.map((item) => ({ item, key: this.next() }))
    return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item)
  }

  bytes(size: number): Uint8Array {
    return Uint8Array.from({ length: size }, () => this.between(0, 255))
  }
}
