// Reads CSV as people send it: in whatever encoding and with whatever delimiter a program wrote it. A file
// of several MiB never holds the event loop: its rows are bounded, and read in slices.
import { setImmediate } from 'node:timers/promises'
import { BillingError } from '../core/error.js'

export const ENCODINGS = ['utf-8', 'utf-16le', 'windows-1252', 'windows-1256'] as const
type Encoding = (typeof ENCODINGS)[number]
export const DELIMITERS = { semicolon: ';', comma: ',', tab: '\t', pipe: '|' } as const
export type DelimiterName = keyof typeof DELIMITERS

/** An ordinary row has some 60 characters; 5 MiB without a line end is not a table. */
export const ROW_CHARACTERS_MAX = 16_384
export const CELLS_MAX = 200
/** An ordinary bank statement of 5 MiB has 80,000 rows. More rows would take more than 60 MB of memory. */
const ROWS_MAX = 100_000
/** Other requests are served after so many characters: 5 ms of work, 20 on a machine that has other work. */
export const SLICE_CHARACTERS = 16_384
/** The delimiter is guessed from so many rows. */
const TRIED_ROWS = 100
const TRIED_CHARACTERS = 2 * SLICE_CHARACTERS
/** A cell in quotes has at most so many lines. */
const CELL_LINES_MAX = 20

export interface CsvRow {
  readonly cells: readonly string[]
  /** The line of the file on which the row ends, from 1 on. */
  readonly line: number
  readonly characters: number
}

/** `reason`: what is wrong with the file. `extra` says where. */
export function csvRefused(reason: string, extra: object = {}): BillingError {
  return new BillingError('file_not_accepted', { extra: { reason, ...extra } })
}

/** What other programs write where a person expects CSV, by the first bytes and characters of the file. */
const BINARY_FORMATS = {
  ...{ xlsx: 'PK\x03\x04', xls: '\xd0\xcf\x11\xe0', pdf: '%PDF', rtf: '{\\rtf' },
  ...{ jpeg: '\xff\xd8\xff', png: '\x89PNG', gif: 'GIF8' },
}
const TEXT_FORMATS: Readonly<Record<string, RegExp>> = {
  mt940: /^(\{1:F01|:20:)/,
  ofx: /^(OFXHEADER|<\?OFX|(<\?xml[^>]*>\s*)?<OFX\b)/i,
  camt: /^(<\?xml[^>]*>\s*)?<(\w+:)?Document\b/,
  html: /^<(!doctype|html|table)\b/i,
  xml: /^<\?xml\b/,
}

/** Null for a file that may be CSV. */
function otherFormatOf(file: Uint8Array): string | null {
  const bytes = Buffer.from(file.subarray(0, 2_000)).toString('latin1')
  const text = bytes.replace(/^\xef\xbb\xbf/, '').trimStart()
  const binary = Object.entries(BINARY_FORMATS).find(([, begins]) => bytes.startsWith(begins))
  return (binary ?? Object.entries(TEXT_FORMATS).find(([, begins]) => begins.test(text)))?.[0] ?? null
}

/** Decoded at once; more would hold the event loop. */
const SLICE_BYTES = 262_144
type AfterSlice = () => Promise<unknown>

/** Throws `file_not_accepted`: `only_csv` for another format, `empty`, or `binary`. */
export async function csvTextOf(file: Uint8Array, said?: Encoding, afterSlice: AfterSlice = setImmediate) {
  const format = otherFormatOf(file)
  if (format !== null) throw csvRefused('only_csv', { format })
  const { encoding, text } = await decodedText(file, said, afterSlice)
  if (!/\S/.test(text)) throw csvRefused('empty')
  return { encoding, text }
}

/** Three Arabic letters in a row: a text in Windows-1252 does not have them by chance. */
const ARABIC_WORD = /[\u0621-\u064a]{3}/

async function decodedText(file: Uint8Array, said: Encoding | undefined, afterSlice: AfterSlice) {
  const decode = async (encoding: Encoding, fatal = false) => {
    const text = await decoded(file, decoderOf(encoding, fatal), afterSlice)
    return text === null ? null : { encoding, text }
  }
  const [first, second] = file
  const isWide = (first === 0xff && second === 0xfe) || (file.length > 3 && file[1] === 0 && file[3] === 0)
  const guesses = isWide ? (['utf-16le'] as const) : (['utf-8', 'windows-1256', 'windows-1252'] as const)
  for (const encoding of said ? [said] : guesses) {
    const found = await decode(encoding, !said && encoding === 'utf-8')
    if (found && (said || encoding !== 'windows-1256' || ARABIC_WORD.test(found.text))) return found
  }
  throw csvRefused('binary')
}

/** What Windows-1252 has at 0x80 to 0x9f. Node 20 decodes these bytes as control characters. */
const WINDOWS_LETTERS =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

function decoderOf(encoding: Encoding, fatal: boolean): Pick<TextDecoder, 'decode'> {
  const decoder = new TextDecoder(encoding, { fatal })
  if (encoding !== 'windows-1252') return decoder
  const letter = (one: string) => WINDOWS_LETTERS.charAt(one.charCodeAt(0) - 0x80)
  return { decode: (...given) => decoder.decode(...given).replace(/[\x80-\x9f]/g, letter) }
}

/** Null if the bytes are not of this encoding. Throws `binary`: text has no characters of control. */
async function decoded(
  file: Uint8Array,
  decoder: Pick<TextDecoder, 'decode'>,
  afterSlice: AfterSlice,
): Promise<string | null> {
  let text = ''
  let carried = ''
  for (let from = 0; from < file.length; from += SLICE_BYTES) {
    try {
      const isLast = from + SLICE_BYTES >= file.length
      const slice = decoder.decode(file.subarray(from, from + SLICE_BYTES), { stream: !isLast })
      if (/(?![\t-\r\x85])\p{Cc}/u.test(slice)) throw csvRefused('binary')
      // A line may end at the end of a slice: its second character comes with the next one.
      const whole = carried + slice
      carried = whole.endsWith('\r') && !isLast ? '\r' : ''
      text += whole.slice(0, whole.length - carried.length).replace(/\r\n?|[\x85\u2028\u2029]/g, '\n')
    } catch (error) {
      if (error instanceof BillingError) throw error
      return null
    }
    await afterSlice()
  }
  return text
}

/**
 * Unless it was said, the delimiter that makes headings of a row; else the one by which most of the first
 * rows have the same number of cells. A comma in each amount separates as evenly as a semicolon.
 */
export function delimiterOf(
  text: string,
  said: DelimiterName | undefined,
  isHeading: (cells: readonly string[]) => boolean,
): DelimiterName {
  if (said !== undefined) return said
  const names = Object.keys(DELIMITERS) as DelimiterName[]
  const tried = names.map((name) => {
    const rows = firstRows(text, name, TRIED_ROWS)
    return { name, fits: fitOf(rows) + (rows.some(({ cells }) => isHeading(cells)) ? TRIED_ROWS : 0) }
  })
  return tried.reduce((best, one) => (one.fits > best.fits ? one : best)).name
}

/** How many rows have the most frequent number of cells; 0 if that is one cell. */
function fitOf(rows: readonly CsvRow[]): number {
  const widths = new Map<number, number>()
  for (const { cells } of rows) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1)
  return Math.max(0, ...[...widths].map(([width, count]) => (width < 2 ? 0 : count + width / 1_000)))
}

/** Reads the beginning of the file, at most `most` rows. */
export function firstRows(text: string, delimiter: DelimiterName, most: number): readonly CsvRow[] {
  const rows: CsvRow[] = []
  let characters = 0
  for (const row of rowsIn(text, delimiter)) {
    characters += row.characters
    if (row.cells.length > 0) rows.push(row)
    if (rows.length === most || characters > TRIED_CHARACTERS) break
  }
  return rows
}

/**
 * Calls `each` for every row that is not empty, and `afterSlice` after each `SLICE_CHARACTERS`, which lets
 * other requests be served. Throws `file_not_accepted`: `row_too_long`, `too_many_cells`, `too_many_rows`.
 */
export async function eachRow(
  text: string,
  delimiter: DelimiterName,
  each: (row: CsvRow) => void,
  afterSlice: AfterSlice = setImmediate,
): Promise<void> {
  let characters = 0
  for (const row of rowsIn(text, delimiter)) {
    if (row.cells.length > 0) each(row)
    characters += row.characters
    if (characters < SLICE_CHARACTERS) continue
    characters = 0
    await afterSlice()
  }
  await afterSlice()
}

function* rowsIn(text: string, name: DelimiterName): Generator<CsvRow> {
  const delimiter = DELIMITERS[name]
  let line = 0
  let rows = 0
  let width = 0
  for (let from = 0; from < text.length; ) {
    const empty = emptyLines(text, from)
    if (empty.lines > 0) {
      line += empty.lines
      from += empty.characters
      yield { cells: [], line, characters: empty.characters }
      continue
    }
    line += 1
    const lineBegin = from
    let end = lineEnd(text, from, line)
    let row = cellsIn(text.slice(from, end), delimiter)
    const more = row.isOpen ? quotedLines(text, from, end, { delimiter, width, line }) : null
    if (more) {
      row = more.row
      end = more.end
      line += more.lines
    }
    from = end + 1
    const { cells } = row
    if (cells.length > CELLS_MAX) throw csvRefused('too_many_cells', { line, most: CELLS_MAX })
    if (++rows > ROWS_MAX) throw csvRefused('too_many_rows', { line, most: ROWS_MAX })
    if (cells.length > 1) width = cells.length
    yield { cells, line, characters: from - lineBegin }
  }
}

/** Lines without a character, as many as a slice may have: a file may end in millions of them. */
function emptyLines(text: string, from: number): { readonly characters: number; readonly lines: number } {
  let at = from
  let lines = 0
  while (at - from < SLICE_CHARACTERS) {
    if (text[at] !== '\n') break
    at += 1
    lines += 1
  }
  return { characters: at - from, lines }
}

function lineEnd(text: string, from: number, line: number): number {
  const found = text.indexOf('\n', from)
  const end = found < 0 ? text.length : found
  if (end - from > ROW_CHARACTERS_MAX) throw csvRefused('row_too_long', { line })
  return end
}

interface Cells {
  readonly cells: readonly string[]
  /** A cell begins with a quote that nothing closes. */
  readonly isOpen: boolean
}

/**
 * The row of a cell in quotes that has line breaks. Null if the quote only begins a word: if nothing closes
 * it, or if a line that it would take in is a row by itself.
 */
function quotedLines(
  text: string,
  from: number,
  firstEnd: number,
  { delimiter, width, line }: { readonly delimiter: string; readonly width: number; readonly line: number },
) {
  const isRow = (part: string) => width > 1 && part.split(delimiter).length === width
  if (isRow(text.slice(from, firstEnd))) return null
  let end = firstEnd
  let parsed = 0
  for (let lines = 1; lines < CELL_LINES_MAX && end < text.length; lines++) {
    const next = lineEnd(text, end + 1, line + lines)
    if (isRow(text.slice(end + 1, next)) || next - from > ROW_CHARACTERS_MAX) return null
    const mayClose = closes(text.slice(end + 1, next), delimiter)
    end = next
    if (!mayClose) continue
    if (++parsed > QUOTES_TRIED) return null
    const row = cellsIn(text.slice(from, end), delimiter)
    if (!row.isOpen) return { row, end, lines }
  }
  return null
}

/** Whether a quote stands at the end of a cell. */
const closes = (line: string, delimiter: string) => line.endsWith('"') || line.includes(`"${delimiter}`)
/** A row is taken apart so often to find the end of a quote. */
const QUOTES_TRIED = 3

function cellsIn(text: string, delimiter: string): Cells {
  if (!text.includes('"')) return { cells: text.split(delimiter), isOpen: false }
  const cells: string[] = []
  let isOpen = false
  for (let from = 0; from <= text.length; ) {
    const end = text[from] === '"' ? closingQuote(text, from + 1, delimiter) : null
    if (typeof end === 'number') {
      cells.push(text.slice(from + 1, end).replaceAll('""', '"'))
      from = end + 2
      continue
    }
    // The quote is a letter like others: it begins a word, or nothing closes it.
    isOpen ||= end === 'none'
    const found = text.indexOf(delimiter, from)
    const cellEnd = found < 0 ? text.length : found
    cells.push(text.slice(from, cellEnd))
    from = cellEnd + 1
  }
  return { cells, isOpen }
}

/** Where the quote stands that ends a cell; `inside` if more of the cell follows it. */
function closingQuote(text: string, from: number, delimiter: string): number | 'none' | 'inside' {
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return 'none'
    if (text[quote + 1] === '"') at = quote + 2
    else return quote + 1 === text.length || text[quote + 1] === delimiter ? quote : 'inside'
  }
}
