// What arrives while a statement is under way goes out as one statement over arrays: data loader for reads,
// group commit for writes. There is no timer: a lone call goes out at the end of its turn of the event loop.
// What waits is bounded in number and in time: a call that is given up here is never begun.
import { CALL_LIMIT_MS, DatabaseUnavailable, type Queryable, withLimit } from './database.js'

/** How several calls are done at once, and one, where that differs; each with the limit of its batch. */
interface SharedStatements<Item, Result> {
  /** Two items of one key are never under way together, so they keep their order. Reads have none. */
  readonly keyOf?: (item: Item) => string
  /** Where it is left out: `many` of one. */
  one?(database: Queryable, item: Item): Promise<Result>
  /**
   * All or nothing: when it throws, nothing was done. Gives the results in the order of the items. `giveUpAt`
   * limits the statements of `database` already; a transaction needs it.
   */
  many(database: Queryable, items: readonly Item[], giveUpAt: number): Promise<readonly Result[]>
}

/** A call may name the instant at which it is given up, on the scale of `performance.now()`. */
export type Coalesced<Item, Result> = (item: Item, giveUpAt?: number) => Promise<Result>

const BOUNDS = {
  /** A call is given up after this long. */
  limitMs: CALL_LIMIT_MS,
  /** Calls that may wait: a quarter of a second of the fastest of them. */
  waitingMax: 5_000,
  /** Larger batches gained nothing (measured) and make everyone wait for the largest. */
  itemsMax: 32,
  /** A batch that takes longer than this is not waited for any more. */
  patienceMs: 100,
  /** Batches under way at once, however slow they are. */
  lanes: 4,
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly key: string | undefined
  readonly giveUpAt: number
  resolve(result: Result): void
  reject(error: unknown): void
}

/** What has waited for long still gets this much when it is sent, so that it does not spoil its batch. */
const LEAST_MS = 1_000
/** Calls that wait for a batch that hangs are checked this often. */
const CHECK_EVERY_MS = 250

export function shareStatements<Item, Result>(
  database: Queryable,
  statements: SharedStatements<Item, Result>,
  bounds: Partial<typeof BOUNDS> = {},
): Coalesced<Item, Result> {
  const { limitMs, waitingMax, itemsMax, patienceMs, lanes } = { ...BOUNDS, ...bounds }
  const refusal = () => new DatabaseUnavailable('given up while waiting for the database')
  const busyKeys = new Set<string>()
  let queue: Waiting<Item, Result>[] = []
  let underWay = 0
  let lastSentAt = 0
  let isArranged = false
  let timer: NodeJS.Timeout | undefined

  const giveUpLate = () => {
    timer = undefined
    const now = performance.now()
    const late = queue.filter(({ giveUpAt }) => giveUpAt <= now)
    if (late.length > 0) queue = queue.filter(({ giveUpAt }) => giveUpAt > now)
    for (const { reject } of late) reject(refusal())
    if (queue.length > 0) timer = setTimeout(giveUpLate, CHECK_EVERY_MS)
  }
  const maySend = () => underWay === 0 || (underWay < lanes && performance.now() - lastSentAt >= patienceMs)
  const send = () => {
    while (queue.length > 0 && maySend()) {
      const [batch, rest] = choose(queue, busyKeys, itemsMax)
      if (batch.length === 0) return
      queue = rest
      underWay += 1
      lastSentAt = performance.now()
      for (const { key } of batch) if (key !== undefined) busyKeys.add(key)
      void work(database, statements, batch).finally(() => {
        underWay -= 1
        for (const { key } of batch) if (key !== undefined) busyKeys.delete(key)
        if (queue.length > 0) arrange()
      })
    }
  }
  // The embedded database answers within the turn: every call would be gone before the next is read.
  const arrange = () => {
    if (isArranged) return
    isArranged = true
    setImmediate(() => {
      isArranged = false
      send()
    })
  }
  return (item, giveUpAt = performance.now() + limitMs) =>
    new Promise((resolve, reject) => {
      if (queue.length >= waitingMax) return reject(refusal())
      queue.push({ item, key: statements.keyOf?.(item), giveUpAt, resolve, reject })
      arrange()
      if (timer === undefined) timer = setTimeout(giveUpLate, CHECK_EVERY_MS)
    })
}

/** The oldest of each free key, sorted: batches of all processes lock rows in one order, so no deadlock. */
function choose<Entry extends { readonly key: string | undefined }>(
  queue: readonly Entry[],
  busyKeys: ReadonlySet<string>,
  itemsMax: number,
): [batch: Entry[], rest: Entry[]] {
  const taken = new Set(busyKeys)
  const batch: Entry[] = []
  const rest: Entry[] = []
  for (const entry of queue) {
    const isFree = entry.key === undefined || !taken.has(entry.key)
    if (isFree && batch.length < itemsMax) batch.push(entry)
    else rest.push(entry)
    // Later entries of this key wait for this one, wherever it went.
    if (entry.key !== undefined) taken.add(entry.key)
  }
  return [batch.sort((one, other) => ((one.key ?? '') < (other.key ?? '') ? -1 : 1)), rest]
}

/** Never rejects: each call gets its own outcome. */
async function work<Item, Result>(
  database: Queryable,
  statements: SharedStatements<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  const earliest = Math.min(...batch.map(({ giveUpAt }) => giveUpAt))
  const giveUpAt = Math.max(earliest, performance.now() + LEAST_MS)
  const limited = withLimit(database, giveUpAt)
  const many = async (items: readonly Item[]) => {
    const results = await statements.many(limited, items, giveUpAt)
    if (results.length === items.length) return results
    throw new Error(`${results.length} results for ${items.length} items`)
  }
  // Of as many results as items, the first is one.
  const one = (item: Item) =>
    statements.one?.(limited, item) ?? many([item]).then(([result]) => result as Result)
  const oneByOne = async () => {
    for (const { item, resolve, reject } of batch) await one(item).then(resolve, reject)
  }
  if (batch.length === 1) return oneByOne()
  try {
    const results = await many(batch.map(({ item }) => item))
    results.forEach((result, index) => {
      batch[index]?.resolve(result)
    })
  } catch (error) {
    if (error instanceof DatabaseUnavailable) for (const { reject } of batch) reject(error)
    // One bad item must not fail its neighbours, so each gets its own answer.
    else await oneByOne()
  }
}
