// What arrives while a statement is under way goes out as one statement over arrays: data loader for reads, group commit
// for writes. There is no timer: a lone call goes out at the end of its turn of the event loop, when all that has come over
// the network is read, and a busy service pays one round trip for many. One batch at a time gathers the most; only a batch
// that is slow, behind somebody's lock say, does not hold up those after it.
// It knows nothing of SQL; whoever uses it says how one is done, and how many are done at once. What waits is bounded in
// number and in time: a call that is given up here is never begun.

export interface Coalescing<Item, Result> {
  /**
   * Two items of one key never share a batch and are never under way together: they keep their order. Reads have none:
   * they do not mind each other.
   */
  readonly keyOf?: (item: Item) => string
  /** `giveUpAt`, on the scale of `performance.now()`: when nobody waits for the answer any more. */
  one(item: Item, giveUpAt: number): Promise<Result>
  /** All or nothing: when it throws, nothing was done. Gives the results in the order of the items. */
  many(items: readonly Item[], giveUpAt: number): Promise<readonly Result[]>
  /** Whether what was thrown would be thrown for each item alone as well, so that trying one by one is no help. */
  concernsAll(error: unknown): boolean
  /** What a call gets that has waited for too long, or finds too many waiting. */
  refusal(): Error
  /** A call is given up after this long: 4 s by default. */
  limitMs?: number
  /** Calls that may wait: 5,000 by default, a quarter of a second of the fastest of them. */
  readonly waitingMax?: number
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
  readonly giveUpAt: number
  resolve(result: Result): void
  reject(error: unknown): void
}

/** What has waited for long still gets this much when it is sent, so that it does not spoil its batch. */
const LEAST_MS = 1_000
/** Those who wait for a batch that hangs are looked at this often. */
const LOOK_EVERY_MS = 250

/** A call may name the instant at which it is given up, where it is a part of something longer. */
export type Coalesced<Item, Result> = (item: Item, giveUpAt?: number) => Promise<Result>

export function coalesce<Item, Result>(coalescing: Coalescing<Item, Result>): Coalesced<Item, Result> {
  const { itemsMax = 32, patienceMs = 100, lanes = 4, limitMs = 4_000, waitingMax = 5_000 } = coalescing
  const busyKeys = new Set<string>()
  let queue: Waiting<Item, Result>[] = []
  let underWay = 0
  let lastSentAt = 0
  let isArranged = false
  let looking: NodeJS.Timeout | undefined

  const giveUpLate = () => {
    looking = undefined
    const now = performance.now()
    const late = queue.filter(({ giveUpAt }) => giveUpAt <= now)
    if (late.length > 0) queue = queue.filter(({ giveUpAt }) => giveUpAt > now)
    for (const { reject } of late) reject(coalescing.refusal())
    if (queue.length > 0) looking = setTimeout(giveUpLate, LOOK_EVERY_MS)
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
  return (item, giveUpAt = performance.now() + limitMs) =>
    new Promise((resolve, reject) => {
      if (queue.length >= waitingMax) return reject(coalescing.refusal())
      queue.push({ item, key: coalescing.keyOf?.(item), giveUpAt, resolve, reject })
      arrange()
      if (looking === undefined) looking = setTimeout(giveUpLate, LOOK_EVERY_MS)
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
  const earliest = Math.min(...batch.map(({ giveUpAt }) => giveUpAt))
  const giveUpAt = Math.max(earliest, performance.now() + LEAST_MS)
  if (batch.length === 1) return workOneByOne(coalescing, batch, giveUpAt)
  try {
    const items = batch.map(({ item }) => item)
    const results = await coalescing.many(items, giveUpAt)
    if (results.length !== batch.length)
      throw new Error(`${results.length} results for ${batch.length} items`)
    results.forEach((result, index) => {
      batch[index]?.resolve(result)
    })
  } catch (error) {
    if (coalescing.concernsAll(error)) for (const { reject } of batch) reject(error)
    // One bad item must not fail its neighbours, so each gets its own answer.
    else await workOneByOne(coalescing, batch, giveUpAt)
  }
}

async function workOneByOne<Item, Result>(
  coalescing: Coalescing<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
  giveUpAt: number,
): Promise<void> {
  for (const { item, resolve, reject } of batch) {
    await coalescing.one(item, giveUpAt).then(resolve, reject)
  }
}
