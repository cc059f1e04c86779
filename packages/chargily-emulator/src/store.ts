// All records of one emulator: in memory, and in the state file behind it. A commit is atomic and in the file
// before it is in memory, so a kill undoes nothing that a reader was shown.
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

/** By id, in the order of creation: a Map keeps its order when a value is replaced. */
export type Table<Record> = Map<string, Record>

const KINDS = ['customers', 'products', 'prices', 'payment_links', 'checkouts', 'deliveries'] as const
type Kind = (typeof KINDS)[number]
type RecordOf<K extends Kind> = Store[K] extends Table<infer Record> ? Record : never

/** One step of a commit; `put` replaces the record of the same id. */
export interface Change {
  readonly clock_offset_ms?: number
  readonly remove?: { readonly table: Kind; readonly id: string }
  readonly put?: { readonly [K in Kind]?: RecordOf<K> }
}

/** Finished deliveries kept: at about 2 KB each this is 20 MB. */
const KEPT_DELIVERIES = 10_000

export class Store {
  readonly customers: Table<CustomerRecord> = new Map()
  readonly products: Table<ProductRecord> = new Map()
  readonly prices: Table<PriceRecord> = new Map()
  readonly payment_links: Table<PaymentLinkRecord> = new Map()
  readonly checkouts: Table<CheckoutRecord> = new Map()
  readonly deliveries: Table<DeliveryRecord> = new Map()
  clockOffsetMs = 0
  readonly #journal: Journal | null

  /** Reads the state file and compacts it; without a file everything is forgotten at the end. */
  constructor(stateFile?: string) {
    this.#journal = stateFile === undefined ? null : new Journal(stateFile)
    if (this.#journal === null) return
    for (const [index, line] of this.#journal.read().entries()) this.#replay(line, index)
    this.#forgetOldDeliveries()
    this.#journal.rewrite(this.#snapshot())
  }

  /**
   * Durable by default: pass false only for what may be done twice, such as noting that a delivery arrived.
   */
  commit(changes: readonly Change[], durable = true): void {
    this.#journal?.append(JSON.stringify(changes), durable)
    for (const change of changes) this.#apply(change)
    this.#forgetOldDeliveries()
  }

  /** Forgets everything, in the file too. */
  clear(): void {
    for (const kind of KINDS) this[kind].clear()
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
    if (remove) this[remove.table].delete(remove.id)
    for (const kind of KINDS) {
      const record = put[kind]
      // The compiler does not see that the table and the record are of one kind.
      const table = this[kind] as Table<Row>
      if (record) table.set(record.id, record)
    }
  }

  /** One line of the state file for each record. */
  #snapshot(): string[] {
    const offset = this.clockOffsetMs === 0 ? [] : [{ clock_offset_ms: this.clockOffsetMs }]
    const puts = KINDS.flatMap((kind) =>
      [...this[kind].values()].map((record) => ({ put: { [kind]: record } })),
    )
    return [...offset, ...puts].map((change) => JSON.stringify([change]))
  }

  /** The file forgets them when it is compacted. */
  #forgetOldDeliveries(): void {
    for (const { id, state } of this.deliveries.values()) {
      if (this.deliveries.size <= KEPT_DELIVERIES) return
      if (state !== 'pending') this.deliveries.delete(id)
    }
  }
}

export interface Row {
  readonly id: string
  readonly livemode: boolean
}

/** Test and live mode are separate: a record of the other mode is not found. */
export function findIn<Record extends Row>(
  table: Table<Record>,
  id: string,
  livemode: boolean,
): Record | undefined {
  const record = table.get(id)
  return record?.livemode === livemode ? record : undefined
}

export function newestFirst<Record extends Row>(table: Table<Record>, livemode: boolean): Record[] {
  return [...table.values()].filter((record) => record.livemode === livemode).reverse()
}
