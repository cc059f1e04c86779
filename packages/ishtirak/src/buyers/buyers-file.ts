// A file with the details of many buyers, taken apart: a line for each, below the names of the columns.
import { csvRefused, csvTextOf, oddQuotesIn, tableIn } from '../acts/csv-file.js'
import { BUYER_FIELDS, type TypedBuyer } from '../core/buyer-details.js'

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

/** Throws `file_not_accepted`. */
export function readBuyersFile(file: Uint8Array): readonly BuyerLine[] {
  const { text } = csvTextOf(file)
  const { rows, lineOf } = tableIn(text)
  const columns = (rows[0] ?? []).map((name) => name.trim().toLowerCase())
  const odd = columns.filter((name, place) => !COLUMNS.includes(name) || columns.indexOf(name) !== place)
  const absent = REQUIRED.filter((name) => !columns.includes(name))
  const quotes = columns.length === 1 ? oddQuotesIn(text) : null
  // What stands in a column that is misspelled would be lost.
  if (absent.length > 0 || odd.length > 0)
    throw quotes ?? csvRefused('columns', { absent, unknown: odd.slice(0, COLUMNS.length), known: COLUMNS })
  if (rows.length > LINES_MAX + 1) throw csvRefused('lines', { most: LINES_MAX })
  return rows.slice(1).map((row, index) => {
    const { user_id: userId = '', ...typed } = Object.fromEntries(
      columns.map((name, place) => [name, row[place] ?? '']),
    )
    const isTooWide = row.slice(columns.length).some((cell) => cell.trim() !== '')
    return { line: lineOf(index + 1), userId: userId.trim(), typed, isTooWide }
  })
}
