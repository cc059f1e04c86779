// Remembers the events that were handled.

/**
 * Calls `handle` unless the event with this id was handled before, and stores the id. If both are in one
 * transaction, an event takes effect exactly once. If the id is stored after `handle`, a crash in between
 * repeats the event. `handle` passes its argument to the functions in `on`, as their second one.
 */
export type Seen<Context = void> = (id: string, handle: (context: Context) => Promise<void>) => unknown

/** Keeps the last ids, for one process. */
export function inMemory<Context>(most: number): Seen<Context> {
  const ids = new Set<string>()
  return async (id, handle) => {
    if (ids.has(id)) return
    // Only a `Seen` of the caller passes a context.
    await handle(undefined as Context)
    ids.add(id)
    const [oldest] = ids
    if (ids.size > most && oldest !== undefined) ids.delete(oldest)
  }
}
