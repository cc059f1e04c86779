// Reads CSV as banks export it: finds the encoding and the delimiter, and takes the rows apart. A file of
// several MiB does not hold the event loop: rows are bounded, and other requests are served between slices.
import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import { fileRefused } from '../http/upload.js'

export const ENCODINGS = ['utf-8', 'utf-16le', 'windows-1252', 'windows-1256'] as const
export type Encoding = (typeof ENCODINGS)[number]
/** The comma is tried last, because amounts may have commas. */
export const DELIMITERS = { semicolon: ';', tab: '\t', pipe: '|', comma: ',' } as const
export type DelimiterName = keyof typeof DELIMITERS

/** An ordinary row has some 60 characters; 5 MiB without a line end is not a table. */
export const ROW_CHARACTERS_MAX = 16_384
export const CELLS_MAX = 200
/** A busy account has 20,000 rows in a year. Guessing the form of so many holds the event loop for 50 ms. */
const ROWS_MAX = 20_000
/** A row with line ends in quotes has at most 20 lines. */
const ROW_LINES_MAX = 20
/** Other requests are served after so many characters: 5 ms of work, 20 on a machine that has other work. */
export const SLICE_CHARACTERS = 16_384

export interface CsvRow {
  readonly cells: readonly string[]
  /** The line of the file on which the row begins, counted from 1. */
  readonly line: number
}

/** Throws `file_not_accepted`: `empty`. */
export function decodedText(file: Uint8Array, asked: Encoding | undefined) {
  const encoding = asked ?? encodingOf(file)
  const text =
    encoding === 'windows-1252'
      ? Buffer.from(file)
          .toString('latin1')
          .replace(/[\x80-\x9f]/g, windowsLetter)
      : new TextDecoder(encoding).decode(file)
  if (!/\S/.test(text)) throw fileRefused('empty')
  return { encoding, text: text.replaceAll('\r\n', '\n') }
}

/** Three Arabic letters in a row: a text in Windows-1252 does not have them by chance. */
const ARABIC_WORD = /[\u0621-\u064a]{3}/

function encodingOf(file: Uint8Array): Encoding {
  const hasMark = file[0] === 0xff && file[1] === 0xfe
  if (hasMark || (file.length > 3 && file[1] === 0 && file[3] === 0)) return 'utf-16le'
  if (isUtf8(file)) return 'utf-8'
  return ARABIC_WORD.test(new TextDecoder('windows-1256').decode(file)) ? 'windows-1256' : 'windows-1252'
}

/** The letters of Windows-1252 from 0x80 to 0x9f, which Node 20 decodes as control characters. */
const WINDOWS_LETTERS =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'
const windowsLetter = (one: string) => WINDOWS_LETTERS.charAt(one.charCodeAt(0) - 0x80)

/** The delimiter that makes headings of one of the first lines, else the one that most of them have. */
export function delimiterIn(text: string, isHeadings: (cells: readonly string[]) => boolean): DelimiterName {
  const lines = text.slice(0, 2 * SLICE_CHARACTERS).split('\n', 30)
  const names = Object.keys(DELIMITERS) as DelimiterName[]
  const counts = names.map((name) => lines.filter((line) => line.includes(DELIMITERS[name])).length)
  return (
    names.find((name) => lines.some((line) => isHeadings(line.split(DELIMITERS[name])))) ??
    names[counts.indexOf(Math.max(...counts))] ??
    'semicolon'
  )
}

/**
 * Returns the rows that are not empty. Throws `file_not_accepted` with the line: `binary`, `quote`,
 * `row_too_long`, `too_many_cells`, `too_many_rows`.
 */
export async function rowsIn(text: string, delimiter: string): Promise<readonly CsvRow[]> {
  const rows: CsvRow[] = []
  let sliceEnd = SLICE_CHARACTERS
  for (let from = 0, line = 1; from < text.length; from += 1, line += 1) {
    if (from >= sliceEnd) {
      sliceEnd = from + SLICE_CHARACTERS
      await setImmediate()
    }
    if (text[from] === '\n') continue
    const { row, cells } = rowAt(text, { from, line, delimiter })
    rows.push({ cells, line })
    if (rows.length > ROWS_MAX) throw fileRefused('too_many_rows', { line, most: ROWS_MAX })
    from += row.length
    line += row.split('\n').length - 1
  }
  return rows
}

/** A row ends with its line, unless the line ends within quotes: then it goes on in the next line. */
function rowAt(
  text: string,
  { from, line, delimiter }: { readonly from: number; readonly line: number; readonly delimiter: string },
) {
  const part = text.slice(from, from + ROW_CHARACTERS_MAX + 1)
  if (part.length > ROW_CHARACTERS_MAX && !part.includes('\n')) throw fileRefused('row_too_long', { line })
  // Within quotes, two quotes are one in the text. A delimiter or the line's end follows the closing quote.
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|(?!")([^${delimiter}\n]*))([${delimiter}\n]|$)`, 'gy')
  const cells: string[] = []
  let length = 0
  for (const [whole, quoted, plain = '', end = ''] of part.matchAll(cell)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    length += whole.length
    if (end === delimiter) continue
    const row = part.slice(0, length - end.length)
    // A stray quote swallows the rows after it, which then look like one long cell.
    const isSwallowed = cells.some((one) => one.includes('\n') && one.includes(delimiter))
    if (isSwallowed || row.split('\n').length > ROW_LINES_MAX) break
    if (row.length > ROW_CHARACTERS_MAX) throw fileRefused('row_too_long', { line })
    if (/(?![\t\n])\p{Cc}/u.test(row)) throw fileRefused('binary', { line })
    if (cells.length > CELLS_MAX) throw fileRefused('too_many_cells', { line, most: CELLS_MAX })
    return { row, cells }
  }
  throw fileRefused('quote', { line })
}
