// Reads a bank statement as the bank exports it. A row that does not fit the form of the file refuses the
// whole file and names its line. A row is never read as money in on the strength of some of its columns while
// another column says otherwise.
import { setImmediate } from 'node:timers/promises'
import { DAY } from '../core/instant.js'
import { fileRefused } from '../http/upload.js'
import { type DayOrder, type DecimalSign, isDay, readCentimes, readDay } from './bank-cell.js'
import {
  type BankForm,
  type Columns,
  cleanText,
  columnsNotUnderstood,
  findForm,
  isHeadingRow,
  type KnownForm,
  shownCell,
} from './bank-form.js'
import type { LineDoubt, StoredForm } from './bank-schemas.js'
import {
  directionNamed,
  type Heading,
  isOtherCurrency,
  namesOtherCurrency,
  plainWords,
  saysCompleted,
  saysNotReceived,
  titleSaysNotReceived,
} from './bank-words.js'
import { type CsvRow, DELIMITERS, decodedText, delimiterIn, rowsIn } from './csv-rows.js'
import { referencesInside } from './references-in-text.js'

export const BANK_FILE_BYTES_MAX = 5 * 1024 * 1024
const TEXT_MAX = 500
const SHOWN_ROWS = 6
/** At most 100 rows that were left out are listed; all are counted. */
const LEFT_OUT_LISTED = 100
/** Other requests are served after 250 rows: 5 ms of work. */
const SLICE_ROWS = 250

type Table = Columns & { readonly day_order: DayOrder; readonly decimal: DecimalSign | undefined }

/** `known`: the forms of earlier files. Throws `file_not_accepted`: with a line, or with what is unclear. */
export async function readBankFile(
  file: Uint8Array,
  { asked, known }: { readonly asked: BankForm; readonly known: readonly KnownForm[] },
): Promise<{ readonly form: StoredForm; readonly lines: readonly ReadLine[] }> {
  const { encoding, text } = decodedText(file, asked.encoding)
  const delimiter = asked.delimiter ?? delimiterIn(text, isHeadingRow)
  const rows = await rowsIn(text, DELIMITERS[delimiter])
  const { columns, form: found, from, titles, unclear, absent } = findForm(rows, asked, known)
  const form = { encoding, delimiter, ...found }
  const below = rows.slice(from)
  if (below.length === 0) throw fileRefused('no_amounts')
  const shown = below.slice(0, SHOWN_ROWS).map(({ cells }) => cells.map(shownCell))
  const { day_order, decimal } = found
  if (absent.length > 0 || unclear.length > 0 || day_order === undefined) {
    const isKnown = ([name]: readonly [string, unknown]) =>
      ![...absent, ...unclear].some((one) => one === name)
    throw fileRefused(absent.length > 0 ? 'no_column' : 'form_unclear', {
      unclear: absent.length > 0 ? absent : unclear,
      form: Object.fromEntries(Object.entries(form).filter(isKnown)),
      first_rows: [columns.names, ...shown].filter((row) => row.length > 0),
    })
  }
  const { lines, telling, leftOut } = await readRows({ ...columns, day_order, decimal }, titles, below)
  if (lines.length === 0) throw fileRefused('no_amounts', { form })
  const left = { left_out: leftOut.length, left_out_rows: leftOut.slice(0, LEFT_OUT_LISTED) }
  return { lines, form: { ...form, day_order, headings: columns.names, rows: shown, telling, ...left } }
}

/** A cell with such a figure is not 0. */
const FIGURE = /[1-9\u0661-\u0669\u06f1-\u06f9\uff11-\uff19]/

/**
 * Makes lines of rows. What titles say of the rows below them is a doubt of every line of the file, and so is
 * a column that is not understood: `telling`.
 */
async function readRows(table: Table, titles: readonly (readonly string[])[], rows: readonly CsvRow[]) {
  const telling = columnsNotUnderstood(table, rows)
  const lines: ReadLine[] = []
  const leftOut: number[] = []
  const references = new Set<string>()
  const headings = table.names.filter((_, at) => table.headings[at] !== 'currency')
  const doubted = new Set<LineDoubt>(headings.some(namesOtherCurrency) ? ['currency'] : [])
  if (telling.length > 0) doubted.add('other_column')
  const addTitle = (cells: readonly string[]) => {
    const title = cells.join(' ; ')
    if (titleSaysNotReceived(title)) doubted.add('not_come')
    if (namesOtherCurrency(title)) doubted.add('currency')
  }
  for (const title of titles) addTitle(title)
  for (const [at, { cells, line }] of rows.entries()) {
    if (at % SLICE_ROWS === 0) await setImmediate()
    const isDated = isDay(cellAt(cells, table.date))
    if (!isDated && isHeadingRow(cells)) {
      requireSameHeadings(table, cells, line)
      continue
    }
    const read = readRow(table, cells, line)
    if (read) {
      lines.push(read)
      continue
    }
    addTitle(cells)
    for (const reference of referencesInside(shortText(cells.join(' ')))) references.add(reference)
    if (!isDated && cells.some((cell) => FIGURE.test(cell))) leftOut.push(line)
  }
  const doubtsOf = ({ text, doubts }: ReadLine) => {
    const isNamed = references.size > 0 && referencesInside(text).some((one) => references.has(one))
    return [...new Set([...doubts, ...doubted, ...(isNamed ? (['left_out'] as const) : [])])]
  }
  return { telling, leftOut, lines: lines.map((line) => ({ ...line, doubts: doubtsOf(line) })) }
}

const cellAt = (cells: readonly string[], at: number | null) => (cells[(at ?? 0) - 1] ?? '').trim()

/** Headings come again on each page. Other ones begin another table. */
function requireSameHeadings({ names }: Columns, cells: readonly string[], line: number): void {
  const isSame = cells.every((cell, index) => plainWords(cell) === plainWords(names[index] ?? ''))
  if (!isSame) throw fileRefused('headings', { line })
}

/** A cell in words, with or without a day, belongs to a title or a sum. */
const IN_WORDS = /^\P{Nd}*$|^\P{Nd}*\p{L}{2}/u

/** Null: no money moved, or the row has no day. Throws what refuses the whole file. */
function readRow(table: Table, cells: readonly string[], line: number) {
  const { width, date, amount, debit, decimal, day_order } = table
  const written = cellAt(cells, date)
  const day = readDay(written, day_order)
  if (day === null) {
    if (IN_WORDS.test(written)) return null
    throw fileRefused('day', { line, column: date })
  }
  if (cells.length !== width) throw fileRefused('cells', { line })
  const moneyIn = readCentimes(cellAt(cells, amount), decimal)
  const moneyOut = readCentimes(cellAt(cells, debit), decimal)
  if (moneyIn === null || moneyOut === null) throw fileRefused('amount', { line })
  if (moneyIn !== 0 && moneyOut !== 0) throw fileRefused('two_amounts', { line })
  if (moneyIn === 0 && moneyOut === 0) return null
  const centimes = moneyOut !== 0 || isNamedOut(table, cells, line) ? -Math.abs(moneyIn || moneyOut) : moneyIn
  const own = table.text.map((at) => cleanText(cells[at - 1] ?? '')).filter(Boolean)
  const text = own.join(' ')
  return {
    ...{ day, centimes, text: shortText(text) },
    /** Two equal lines have the same `row`. */
    row: cells.map(plainWords).join('|'),
    // The rest of a long text is not stored, and it may name another payment.
    doubts: [...(text.length > TEXT_MAX ? (['other_column'] as const) : []), ...doubtsOf(table, cells, day)],
  }
}

export type ReadLine = NonNullable<ReturnType<typeof readRow>>

/** Throws `file_not_accepted`: a word of the direction is not understood. */
function isNamedOut({ direction }: Columns, cells: readonly string[], line: number): boolean {
  if (typeof direction === 'string') return false
  const word = cellAt(cells, direction)
  const said = directionNamed(word)
  if (said === null) throw fileRefused('direction', { line, word: shownCell(word) })
  return said === 'out'
}

/** Banks value money some days after they book it; weeks later it is a bill that falls due. */
const VALUE_DAYS_MAX = 7

function doubtsOf({ headings, day_order }: Table, cells: readonly string[], day: string): LineDoubt[] {
  const isAny = (wanted: Heading, isSo: (cell: string) => boolean) =>
    headings.some((heading, at) => heading === wanted && isSo(cellAt(cells, at + 1)))
  const isNotYet = (cell: string) => {
    const valued = readDay(cell, day_order)
    return valued === null || Date.parse(valued) - Date.parse(day) > VALUE_DAYS_MAX * DAY
  }
  const isNotDone = (cell: string) => !saysCompleted(cell)
  const hasNotCome =
    isAny('value_date', isNotYet) || isAny('status', isNotDone) || saysNotReceived(cells.join(' ; '))
  return [
    ...(hasNotCome ? (['not_come'] as const) : []),
    ...(isAny('currency', isOtherCurrency) ? (['currency'] as const) : []),
  ]
}

/** Cuts between letters, because PostgreSQL refuses half a letter. */
function shortText(text: string): string {
  return text.slice(0, TEXT_MAX).replace(/\p{Surrogate}$/u, '')
}
