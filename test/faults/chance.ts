// Chance with a seed: a run that failed is repeated with the number that it printed. It knows nothing of the machine,
// so the same numbers are drawn everywhere; what the processes do with the moment between them is their own.

export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to just under 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const keyed = items.map((item) => ({ item, key: this.next() }))
    return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item)
  }
}
