// All records of one emulator: in memory, and in the state file behind it. A commit is atomic and in the file before it
// is in memory, so a kill undoes nothing that a reader was shown.
import { EmulatorError } from './errors.js'
import { Journal } from './journal.js'
import type {
  CheckoutRecord,
  CustomerRecord,
  DeliveryRecord,
  PaymentLinkRecord,
  PriceRecord,
  ProductRecord,
} from './records.js'

interface Records {
  readonly customers: CustomerRecord
  readonly products: ProductRecord
  readonly prices: PriceRecord
  readonly payment_links: PaymentLinkRecord
  readonly checkouts: CheckoutRecord
  readonly deliveries: DeliveryRecord
}

/** One step of a commit; `put` replaces the record of the same id. */
export interface Change {
  readonly clock_offset_ms?: number
  readonly remove?: { readonly table: keyof Records; readonly id: string }
  readonly put?: Partial<Records>
}

/** Finished deliveries kept: at about 2 KB each this is 20 MB. */
const KEPT_DELIVERIES = 10_000

export class Store {
  readonly customers = new Table<CustomerRecord>()
  readonly products = new Table<ProductRecord>()
  readonly prices = new Table<PriceRecord>()
  readonly payment_links = new Table<PaymentLinkRecord>()
  readonly checkouts = new Table<CheckoutRecord>()
  readonly deliveries = new Table<DeliveryRecord>()
  clockOffsetMs = 0
  readonly #journal: Journal | null

  /** Reads the state file and compacts it; without a file everything is forgotten at the end. */
  constructor(stateFile?: string) {
    this.#journal = stateFile === undefined ? null : new Journal(stateFile)
    if (this.#journal === null) return
    for (const [index, line] of this.#journal.read().entries()) this.#replay(line, index)
    this.#forgetOldDeliveries()
    this.#journal.rewrite([...this.#snapshot()].map((change) => JSON.stringify([change])))
  }

  /** Durable by default: pass false only for what may be done twice, such as noting that a delivery arrived. */
  commit(changes: readonly Change[], durable = true): void {
    this.#journal?.append(JSON.stringify(changes), durable)
    for (const change of changes) this.#apply(change)
    this.#forgetOldDeliveries()
  }

  /** Forgets everything, in the file too. */
  clear(): void {
    for (const table of [this.customers, this.products, this.prices]) table.clear()
    for (const table of [this.payment_links, this.checkouts, this.deliveries]) table.clear()
    this.clockOffsetMs = 0
    this.#journal?.rewrite([])
  }

  close(): void {
    this.#journal?.close()
  }

  #replay(line: string, index: number): void {
    let changes: Change[]
    try {
      // Trusted: `Journal.read` has checked that this class wrote the file.
      changes = JSON.parse(line) as Change[]
    } catch (cause) {
      // The first line of the file is the format, hence 2.
      throw new EmulatorError(`the state file is damaged in line ${index + 2}`, { cause })
    }
    for (const change of changes) this.#apply(change)
  }

  #apply({ clock_offset_ms, remove, put = {} }: Change): void {
    if (clock_offset_ms !== undefined) this.clockOffsetMs = clock_offset_ms
    if (remove) this[remove.table].remove(remove.id)
    if (put.customers) this.customers.put(put.customers)
    if (put.products) this.products.put(put.products)
    if (put.prices) this.prices.put(put.prices)
    if (put.payment_links) this.payment_links.put(put.payment_links)
    if (put.checkouts) this.checkouts.put(put.checkouts)
    if (put.deliveries) this.deliveries.put(put.deliveries)
  }

  *#snapshot(): Iterable<Change> {
    if (this.clockOffsetMs !== 0) yield { clock_offset_ms: this.clockOffsetMs }
    for (const customers of this.customers.all()) yield { put: { customers } }
    for (const products of this.products.all()) yield { put: { products } }
    for (const prices of this.prices.all()) yield { put: { prices } }
    for (const payment_links of this.payment_links.all()) yield { put: { payment_links } }
    for (const checkouts of this.checkouts.all()) yield { put: { checkouts } }
    for (const deliveries of this.deliveries.all()) yield { put: { deliveries } }
  }

  /** The file forgets them when it is compacted. */
  #forgetOldDeliveries(): void {
    if (this.deliveries.size <= KEPT_DELIVERIES) return
    for (const { id, state } of this.deliveries.all()) {
      if (this.deliveries.size <= KEPT_DELIVERIES) return
      if (state !== 'pending') this.deliveries.remove(id)
    }
  }
}

export interface Row {
  readonly id: string
  readonly livemode: boolean
}

/** The records of one kind in the order of their creation. Test and live mode are separate. */
export class Table<Kind extends Row> {
  /** A Map keeps its order when a value is replaced, so an update does not move its record. */
  readonly #modes = { test: new Map<string, Kind>(), live: new Map<string, Kind>() }

  get size(): number {
    return this.#modes.test.size + this.#modes.live.size
  }

  find(id: string, livemode: boolean): Kind | undefined {
    return this.#mode(livemode).get(id)
  }

  /** In either mode: ids never repeat across modes. */
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

  /** Oldest first: first test mode, then live mode. */
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
