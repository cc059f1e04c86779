// Which events were handled.

/**
 * Calls `handle` unless the event with this id was handled before, and notes that it was. In one transaction
 * with the insert of the id an event takes effect exactly once; where the id is noted after `handle`, a crash
 * in between repeats the event. What `handle` is given is the second argument of the functions in `on`.
 */
export type Seen<Context = void> = (id: string, handle: (context: Context) => Promise<void>) => unknown

/** The last ids, of one process. */
export function inMemory<Context>(most: number): Seen<Context> {
  const ids = new Set<string>()
  return async (id, handle) => {
    if (ids.has(id)) return
    // There is no context without a `Seen` that gives one.
    await handle(undefined as Context)
    ids.add(id)
    const [oldest] = ids
    if (ids.size > most && oldest !== undefined) ids.delete(oldest)
  }
}
