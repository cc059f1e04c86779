// What arrives while a statement is under way goes out as one statement over arrays: data loader for reads, group commit
// for writes. There is no timer: a lone call goes out at the end of its turn of the event loop, when all that has come over
// the network is read, and a busy service pays one round trip for many. One batch at a time gathers the most; only a batch
// that is slow, behind somebody's lock say, does not hold up those after it.
// It knows nothing of SQL; whoever uses it says how one is done, and how many are done at once.

export interface Coalescing<Item, Result> {
  /**
   * Two items of one key never share a batch and are never under way together: they keep their order. Reads have none:
   * they do not mind each other.
   */
  readonly keyOf?: (item: Item) => string
  one(item: Item): Promise<Result>
  /** All or nothing: when it throws, nothing was done. Gives the results in the order of the items. */
  many(items: readonly Item[]): Promise<readonly Result[]>
  /** Whether what was thrown would be thrown for each item alone as well, so that trying one by one is no help. */
  concernsAll(error: unknown): boolean
  /** 32 by default: larger batches gained nothing (measured) and make everyone wait for the largest. */
  readonly itemsMax?: number
  /** A batch that takes longer than this is not waited for any more: 100 ms by default. */
  readonly patienceMs?: number
  /** Batches under way at once, however slow they are; 4 by default. */
  readonly lanes?: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly key: string | undefined
  resolve(result: Result): void
  reject(error: unknown): void
}

export function coalesce<Item, Result>(
  coalescing: Coalescing<Item, Result>,
): (item: Item) => Promise<Result> {
  const { itemsMax = 32, patienceMs = 100, lanes = 4 } = coalescing
  const busyKeys = new Set<string>()
  let queue: Waiting<Item, Result>[] = []
  let underWay = 0
  let lastSentAt = 0
  let isArranged = false

  const maySend = () => underWay === 0 || (underWay < lanes && performance.now() - lastSentAt >= patienceMs)
  const send = () => {
    while (queue.length > 0 && maySend()) {
      const [batch, rest] = choose(queue, busyKeys, itemsMax)
      if (batch.length === 0) return
      queue = rest
      underWay += 1
      lastSentAt = performance.now()
      for (const { key } of batch) if (key !== undefined) busyKeys.add(key)
      void work(coalescing, batch).finally(() => {
        underWay -= 1
        for (const { key } of batch) if (key !== undefined) busyKeys.delete(key)
        if (queue.length > 0) arrange()
      })
    }
  }
  // The embedded database answers within the turn: without this, every call would be gone before the next one is read.
  const arrange = () => {
    if (isArranged) return
    isArranged = true
    setImmediate(() => {
      isArranged = false
      send()
    })
  }
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, key: coalescing.keyOf?.(item), resolve, reject })
      arrange()
    })
}

/** The oldest of each free key, sorted: batches of several processes then lock rows in one order, without deadlock. */
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

/** Never rejects: what goes wrong is told to those whom it concerns. */
async function work<Item, Result>(
  coalescing: Coalescing<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  if (batch.length === 1) return workOneByOne(coalescing, batch)
  try {
    const results = await coalescing.many(batch.map(({ item }) => item))
    if (results.length !== batch.length)
      throw new Error(`${results.length} results for ${batch.length} items`)
    results.forEach((result, index) => {
      batch[index]?.resolve(result)
    })
  } catch (error) {
    if (coalescing.concernsAll(error)) for (const { reject } of batch) reject(error)
    // One bad item must not fail its neighbours, so each gets its own answer.
    else await workOneByOne(coalescing, batch)
  }
}

async function workOneByOne<Item, Result>(
  coalescing: Coalescing<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  for (const { item, resolve, reject } of batch) {
    await coalescing.one(item).then(resolve, reject)
  }
}
