// Several databases read as one: what a statement of operators finds at each cell becomes one answer, as one
// database with all the rows would give it. Where there are no cells, nothing of this is in the way.
import { AsyncLocalStorage } from 'node:async_hooks'
import { cellUnavailable } from '../core/error.js'
import type { Across, Database, Parameter, Row } from './database.js'
import { texts } from './whole-shop.sql.js'

/** Of one reading. */
interface Reading {
  /** Cells that did not answer. */
  readonly missing: Set<string>
  /** Which is whole, or fails: a file, or what decides. */
  readonly isWhole: boolean
  /** Of one cell by itself. */
  readonly only?: string
}

// The statements of one page are sent from many places: which request they are of, Node remembers.
const readings = new AsyncLocalStorage<Reading>()

/** What is done from here on reads all cells. */
export function readWholeShop<Result>({ isWhole }: Pick<Reading, 'isWhole'>, work: () => Result): Result {
  return readings.run({ missing: new Set(), isWhole }, work)
}

/** Reads all cells, as what it is part of does; else those that answer. */
export function ofAllCells<Result>(work: () => Result): Result {
  return readings.getStore() ? work() : readWholeShop({ isWhole: false }, work)
}

/** What is done from here on reads one cell by itself. */
export function readCell<Result>(cell: string, work: () => Result): Result {
  return readings.run({ missing: new Set(), isWhole: true, only: cell }, work)
}

/** Those that have not answered this reading. */
export function missingCells(): readonly string[] {
  return [...(readings.getStore()?.missing ?? [])].sort()
}

export interface OtherCells {
  readonly own: string
  readonly names: readonly string[]
  /** Null: it does not answer. */
  ask(cell: string, asked: CellQuestion): Promise<readonly Row[] | null>
}

interface CellQuestion {
  readonly name: string
  readonly parameters: readonly Parameter[]
}

/** The database of this cell, through which operators read those of the others too. */
export function wholeShop(own: Database, others: OtherCells): Database {
  const query: Database['query'] = async (statement, parameters = [], giveUpAt) => {
    const { across } = statement
    const reading = readings.getStore()
    const askOwn = () => own.query(statement, parameters, giveUpAt)
    if (!across || !(reading || across.anywhere)) return askOwn()
    const asked = { name: statement.name, parameters }
    if (across.anywhere) {
      const rows = await askOwn()
      return rows.length > 0 ? rows : firstFound(others, asked)
    }
    const rowsAt = async (cell: string) => {
      const rows = await (cell === others.own ? askOwn() : rowsOf(others, cell, { asked, reading }))
      return across.named && rows ? rows.map((row) => ({ ...row, cell })) : rows
    }
    const cells = reading?.only === undefined ? [others.own, ...others.names] : [reading.only]
    const answered = (await Promise.all(cells.map(rowsAt))).filter((rows) => rows !== null)
    return merged(own, answered, { across, parameters })
  }
  return { ...withoutQuery(own), query }
}

/** An object with methods of a class has them on its prototype. */
function withoutQuery(own: Database): Omit<Database, 'query'> {
  return {
    kind: own.kind,
    ...(own.serverTime && { serverTime: own.serverTime }),
    ...(own.maintain && { maintain: () => own.maintain?.() ?? Promise.resolve() }),
    transaction: (...given) => own.transaction(...given),
    script: (sql) => own.script(sql),
    close: () => own.close(),
  }
}

async function rowsOf(
  others: OtherCells,
  cell: string,
  { asked, reading }: { readonly asked: CellQuestion; readonly reading: Reading | undefined },
): Promise<readonly Row[] | null> {
  const rows = reading?.missing.has(cell) ? null : await others.ask(cell, asked)
  if (rows) return rows
  if (reading?.isWhole) throw cellUnavailable(cell)
  reading?.missing.add(cell)
  return null
}

/** Of the cell that has it, without a wait for the others. */
async function firstFound(others: OtherCells, asked: CellQuestion): Promise<readonly Row[]> {
  const found = others.names.map(async (cell) => {
    const rows = await others.ask(cell, asked)
    return rows && rows.length > 0 ? rows : Promise.reject(new Error(`not at ${cell}`))
  })
  return Promise.any(found).catch(() => [])
}

async function merged(
  own: Database,
  cells: readonly (readonly Row[])[],
  of: { readonly across: Across; readonly parameters: readonly Parameter[] },
): Promise<readonly Row[]> {
  const { order, limit, most = Number.POSITIVE_INFINITY, sumBy, merge } = of.across
  if (merge) return merge(cells)
  const rows = sumBy ? summed(cells.flat(), sumBy) : cells.flat()
  if (!order) return rows
  const compare = comparing(order, await placesOf(own, rows, order))
  return [...rows].sort(compare).slice(0, Math.min(most, Number(of.parameters[(limit ?? 0) - 1] ?? most)))
}

function summed(rows: readonly Row[], by: readonly string[]): readonly Row[] {
  const sums = new Map<string, Row>()
  for (const row of rows) {
    const key = JSON.stringify(by.map((name) => row[name]))
    sums.set(key, addRows(sums.get(key), row, by))
  }
  return [...sums.values()]
}

function addRows(sum: Row | undefined, row: Row, by: readonly string[]): Row {
  if (!sum) return row
  const added = Object.entries(row).filter(([name]) => !by.includes(name))
  return {
    ...sum,
    ...Object.fromEntries(added.map(([name, value]) => [name, Number(sum[name]) + Number(value)])),
  }
}

/** Texts are in the order of the database, whose collation is none of JavaScript's. */
async function placesOf(
  own: Database,
  rows: readonly Row[],
  order: readonly string[],
): Promise<ReadonlyMap<unknown, number>> {
  const values = rows.flatMap((row) => order.map((key) => row[nameIn(key)]))
  const found = [...new Set(values.filter((value) => typeof value === 'string'))]
  const sorted = found.length < 2 ? found : await texts(own, found)
  return new Map(sorted.map((text, place) => [text, place]))
}

const nameIn = (key: string) => key.replace(/^-/, '')

function comparing(order: readonly string[], places: ReadonlyMap<unknown, number>) {
  const keys = order.map((key) => ({ name: nameIn(key), sign: key.startsWith('-') ? -1 : 1 }))
  const placeOf = (value: unknown) =>
    value === null || value === undefined ? Number.POSITIVE_INFINITY : (places.get(value) ?? Number(value))
  return (one: Row, other: Row): number => {
    for (const { name, sign } of keys) {
      const [first, second] = [placeOf(one[name]), placeOf(other[name])]
      if (first !== second) return first < second ? -sign : sign
    }
    return 0
  }
}
