// The records of one kind, in the order of their creation. Test and live mode live side by side and never meet:
// every look-up names its mode.

interface Row {
  readonly id: string
  readonly livemode: boolean
}

export class Table<Kind extends Row> {
  /** A Map keeps its order when a value is replaced, so an update does not move its record. */
  readonly #modes = { test: new Map<string, Kind>(), live: new Map<string, Kind>() }

  get size(): number {
    return this.#modes.test.size + this.#modes.live.size
  }

  find(id: string, livemode: boolean): Kind | undefined {
    return this.#mode(livemode).get(id)
  }

  /** For those who hold an id and need no mode: ids never repeat across modes. */
  findAnywhere(id: string): Kind | undefined {
    return this.#modes.test.get(id) ?? this.#modes.live.get(id)
  }

  put(record: Kind): void {
    this.#mode(record.livemode).set(record.id, record)
  }

  remove(id: string): void {
    this.#modes.test.delete(id)
    this.#modes.live.delete(id)
  }

  clear(): void {
    this.#modes.test.clear()
    this.#modes.live.clear()
  }

  /** Oldest first, both modes. */
  *all(): Iterable<Kind> {
    yield* this.#modes.test.values()
    yield* this.#modes.live.values()
  }

  newestFirst(livemode: boolean): Kind[] {
    return [...this.#mode(livemode).values()].reverse()
  }

  #mode(livemode: boolean): Map<string, Kind> {
    return livemode ? this.#modes.live : this.#modes.test
  }
}
