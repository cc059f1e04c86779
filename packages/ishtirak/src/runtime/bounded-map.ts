// A map that holds at most so many keys and costs the same however many they are. JavaScript's own map finds its oldest
// key by walking past those that were deleted, which becomes slow when a full one forgets a key for each new one.

/** What is asked for stays; of what is not, the longer unused half is forgotten at once when there is no room. */
export class BoundedMap<Key, Value extends NonNullable<unknown> | null> {
  readonly #half: number
  #recent = new Map<Key, Value>()
  #older = new Map<Key, Value>()

  constructor(most: number) {
    this.#half = Math.max(1, Math.floor(most / 2))
  }

  get(key: Key): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: Value): void {
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }

  delete(key: Key): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }

  /** How many it holds; one that was asked for again may count twice. */
  get size(): number {
    return this.#recent.size + this.#older.size
  }
}
