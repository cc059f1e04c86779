// A map with a maximum number of keys at constant cost. To find its oldest key, JavaScript's own map walks
// past deleted ones. lru-cache allocates all its room at once, 2.8 MB for a rate limit.

/** Keys in use stay. When it is full, the half that was unused for longer is dropped. */
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

  /** The number of keys. A key that was read again may count twice. */
  get size(): number {
    return this.#recent.size + this.#older.size
  }
}
