// Cells: each serves whole users on a database of its own. A user's part is `crc32(account id) mod 256`,
// which the router computes as well; a cell holds ranges of parts. CELLS_FILE says which.
import { crc32 } from 'node:zlib'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { ConfigError, parseJson, readText, schemaProblems } from './config-file.js'

export const PARTS = 256
/** Crockford's alphabet, without i, l, o and u; lower case as in Chargily's own ids. */
export const SYMBOLS = '0123456789abcdefghjkmnpqrstvwxyz'

/** From 0 to 255, of the id in UTF-8. */
export function partOf(userId: string): number {
  return crc32(userId) % PARTS
}

/** Two symbols, from `00` to `7z`: how ids and secrets carry the part of their user. */
export function markOf(part: number): string {
  return SYMBOLS.charAt(part >> 5) + SYMBOLS.charAt(part & 31)
}

/** The part that two symbols name; null: none. */
export function partIn(mark: string): number | null {
  const [high, low] = [SYMBOLS.indexOf(mark.charAt(0)), SYMBOLS.indexOf(mark.charAt(1))]
  return mark.length === 2 && high >= 0 && high < 8 && low >= 0 ? high * 32 + low : null
}

/** By the mark at the end of its id; null: it has none. */
export function partOfPayment(paymentId: string): number | null {
  return partIn(paymentId.slice(-2))
}

export function othersThan({ own, all }: Cells): readonly Cell[] {
  return all.filter((cell) => cell !== own)
}

/** The one that has the part; null: this one has, or there are no cells. Throws as `holderOf`. */
export async function otherCellOf(cells: LiveCells | null, part: number): Promise<string | null> {
  const cell = await cells?.holderOf(part)
  return !cell || cell === cells?.own ? null : cell.name
}

/** Of a cell's name, a to zz: two symbols in upper case. */
export function codeMarkOf(cell: string): string {
  const number = [...cell].reduce((sum, letter) => sum * 27 + letter.charCodeAt(0) - 96, 0)
  return (SYMBOLS.charAt(number >> 5) + SYMBOLS.charAt(number & 31)).toUpperCase()
}

const RANGE = /^(\d{1,3})(?:-(\d{1,3}))?$/
const Address = Type.String({
  pattern: '^[\\w.-]+:\\d{1,5}$',
  description: 'an address such as 10.0.1.11:3000',
})
const CellSchema = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z]{1,2}$', description: 'one or two of the letters a to z' }),
    parts: Type.Array(Type.String({ pattern: RANGE.source, description: 'a range such as 0-127' })),
    /** Services on the cell's database, all of them used. */
    servers: Type.Array(Address, { minItems: 1 }),
    /** Services that are used when none of `servers` is ready. */
    standbys: Type.Optional(Type.Array(Address)),
  },
  { additionalProperties: false },
)
const CellsFile = Type.Object(
  { cells: Type.Array(CellSchema, { minItems: 1 }) },
  { additionalProperties: false },
)

export interface Cell {
  readonly name: string
  readonly parts: ReadonlySet<number>
  /** `host:port`. */
  readonly servers: readonly string[]
  readonly standbys: readonly string[]
}

export interface Cells {
  readonly own: Cell
  readonly all: readonly Cell[]
}

/** With where users are now. */
export interface LiveCells extends Cells {
  /** The cell that has a part. Throws `busy` while it is on its way, or where it is not known. */
  holderOf(part: number): Promise<Cell>
}

/** Where users are now. */
export interface CellPlaces {
  /** The cell that has a part; null: it is on its way from this one to another. */
  of(part: number): string | null
  /** Null: it is known. Else it is looked up now, as after a moment in which the process stood still. */
  whenKnown(): Promise<void> | null
}

const NAME = 'CELLS_FILE'

/** All cells in the order of the file. Throws `ConfigError` with every problem. */
export function readCellsFile(file: string): readonly Cell[] {
  return parseCells(readText(NAME, file))
}

/** As `readCellsFile`, of its text. */
export function parseCells(text: string): readonly Cell[] {
  const value = parseJson(NAME, text)
  const problems = schemaProblems(NAME, CellsFile, value, '', text)
  if (problems.length > 0 || !Value.Check(CellsFile, value)) throw new ConfigError(problems)
  const broken: string[] = []
  const cells = value.cells.map((cell, place) => toCell(cell, `${NAME} /cells/${place}`, broken))
  const names = cells.map(({ name }) => name)
  if (new Set(names).size < names.length) broken.push(`${NAME}: two cells have one name`)
  const holders = Array.from({ length: PARTS }, (_, part) => cells.filter(({ parts }) => parts.has(part)))
  const say = (count: (held: number) => boolean, words: string) => {
    const parts = holders.flatMap((held, part) => (count(held.length) ? [part] : []))
    if (parts.length > 0) broken.push(`${NAME}: ${words} ${rangesOf(parts).join(', ')}`)
  }
  say((held) => held === 0, 'no cell has the parts')
  say((held) => held > 1, 'more than one cell has the parts')
  for (const { servers, standbys } of cells)
    for (const address of [...servers, ...standbys])
      if (!hasPort(address)) broken.push(`${NAME}: ${address} has no port from 1 to 65535`)
  if (broken.length > 0) throw new ConfigError(broken)
  return cells
}

function hasPort(address: string): boolean {
  const port = Number(address.slice(address.indexOf(':') + 1))
  return port >= 1 && port <= 65_535
}

function toCell(
  { name, parts, servers, standbys = [] }: Static<typeof CellSchema>,
  place: string,
  broken: string[],
): Cell {
  const held = parts.flatMap((range, index) => {
    const found = partsOf(range)
    if (!found) broken.push(`${place}/parts/${index}: must be a range from 0 to ${PARTS - 1}, such as 0-127`)
    return found ?? []
  })
  return { name, parts: new Set(held), servers, standbys }
}

/** Of `64-127` or `7`; null: it is no range of parts. */
export function partsOf(range: string): readonly number[] | null {
  const [, from, to = from] = RANGE.exec(range) ?? []
  const [first, last] = [Number(from), Number(to)]
  if (from === undefined || first > last || last >= PARTS) return null
  return Array.from({ length: last - first + 1 }, (_, place) => first + place)
}

/** Parts as ranges, as they are written: `0-63`, `128`. */
export function rangesOf(parts: Iterable<number>): readonly string[] {
  const ranges: [number, number][] = []
  for (const part of [...parts].sort((one, other) => one - other)) {
    const last = ranges.at(-1)
    if (last && last[1] + 1 === part) last[1] = part
    else ranges.push([part, part])
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`))
}

/** Of the service that is cell `name`. Throws `ConfigError`. */
export function cellsFor(name: string, all: readonly Cell[]): Cells {
  const own = all.find((cell) => cell.name === name)
  if (!own) throw new ConfigError([`CELL is ${name}, which is no cell of ${NAME}`])
  return { own, all }
}
