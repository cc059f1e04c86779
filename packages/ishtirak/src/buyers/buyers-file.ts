// A file with the details of many buyers, taken apart: a line for each, below the names of the columns.
import { type CsvRow, csvRefused, csvTextOf, delimiterOf, eachRow } from '../acts/csv-file.js'
import { BUYER_FIELDS } from '../core/buyer-details.js'
import type { TypedBuyer } from './read-buyer.js'

export const BUYERS_FILE_BYTES_MAX = 5 * 1024 * 1024
const LINES_MAX = 10_000

const COLUMNS: readonly string[] = ['user_id', ...BUYER_FIELDS]
const REQUIRED = ['user_id', 'kind']

export interface BuyerLine {
  /** Of the file, from 1 on. */
  readonly line: number
  readonly userId: string
  /** Of the columns that the file has; what it has none of stays as it is. */
  readonly typed: TypedBuyer
  /** It has more cells than there are columns: a delimiter stands in one without quotes. */
  readonly isTooWide: boolean
}

const isHeading = (cells: readonly string[]) => REQUIRED.every((name) => cells.includes(name))

/** Throws `file_not_accepted`. */
export async function readBuyersFile(file: Uint8Array): Promise<readonly BuyerLine[]> {
  const { text } = await csvTextOf(file)
  const rows: CsvRow[] = []
  await eachRow(text, delimiterOf(text, undefined, isHeading), (row) => {
    if (row.hasOddQuote) throw csvRefused('quotes', { line: row.line })
    if (rows.push(row) > LINES_MAX + 1) throw csvRefused('lines', { most: LINES_MAX })
  })
  const columns = (rows[0]?.cells ?? []).map((name) => name.trim().toLowerCase())
  const odd = columns.filter((name, place) => !COLUMNS.includes(name) || columns.indexOf(name) !== place)
  const absent = REQUIRED.filter((name) => !columns.includes(name))
  // What stands in a column that is misspelled would be lost.
  if (absent.length > 0 || odd.length > 0)
    throw csvRefused('columns', { absent, unknown: odd.slice(0, COLUMNS.length), known: COLUMNS })
  return rows.slice(1).map(({ cells, line }) => {
    const { user_id: userId = '', ...typed } = Object.fromEntries(
      columns.map((name, place) => [name, cells[place] ?? '']),
    )
    const isTooWide = cells.slice(columns.length).some((cell) => cell.trim() !== '')
    return { line, userId: userId.trim(), typed, isTooWide }
  })
}
