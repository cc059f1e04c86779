// A bank statement as the bank hands it out, read: its encoding, its table, and each line with money. What
// cannot be understood is refused with its line. A row is never read as money in on the strength of some of
// its columns while another column says otherwise.
import { setImmediate } from 'node:timers/promises'
import {
  type CsvRow,
  csvRefused,
  csvTextOf,
  type DelimiterName,
  delimiterOf,
  eachRow,
  firstRows,
} from '../acts/csv-file.js'
import type { SaidForm } from '../transfers/bank-form-schema.js'
import { isAmount, readCentimes } from './bank-amount.js'
import { readDay } from './bank-day.js'
import {
  type BankForm,
  type Columns,
  createFileFacts,
  FIGURE,
  findColumns,
  isHeadingRow,
  SAMPLE_ROWS,
} from './bank-form.js'
import { directionSaid, isOtherCurrency, plainWords, saysNotCome } from './bank-headings.js'
import type { LineDoubt } from './bank-line.js'
import type { StoredForm } from './bank-schemas.js'
import { referencesIn, wholeReferencesIn } from './references-in-text.js'

export const BANK_FILE_BYTES_MAX = 5 * 1024 * 1024
const TEXT_MAX = 500
/** Rows, and letters of each cell, that a page shows of a file. */
const SHOWN_ROWS = 6
const SHOWN_LETTERS = 60
/** So many rows that were left out are listed; all are counted. */
const LEFT_OUT_LISTED = 100

export interface ReadLine {
  /** The line of the file, counted from 1. */
  readonly line: number
  readonly day: string
  /** Below 0 if the money went out. */
  readonly centimes: number
  readonly text: string
  /** All cells of the row, without accents and case: what tells equal lines apart. */
  readonly row: string
  /** Why the line is not sure, whatever its reference says. */
  readonly doubts: readonly LineDoubt[]
}

type LeftOutRow = StoredForm['left_out_rows'][number]
type LeftOutWhy = LeftOutRow['why']

export interface ReadFile {
  readonly form: StoredForm
  /** The references that stand in rows that were left out. */
  readonly leftOut: ReadonlySet<string>
}

type Reason = 'headings' | 'no_days' | 'no_amounts' | 'day' | 'amount' | 'form_unclear' | 'no_column'

const refused = (reason: Reason, extra?: object) => csvRefused(reason, extra)

/**
 * Passes each line of the file to `take`. Other requests are served during `afterSlice`. Throws
 * `file_not_accepted`, with a reason and the line of the file, or what is unclear.
 */
export async function readBankFile(
  file: Uint8Array,
  said: SaidForm,
  take: (line: ReadLine) => void,
  afterSlice: () => Promise<unknown> = setImmediate,
): Promise<ReadFile> {
  const { encoding, text } = await csvTextOf(file, said.encoding, afterSlice)
  const delimiter = delimiterOf(text, said.delimiter, isHeadingRow)
  const sample = firstRows(text, delimiter, SAMPLE_ROWS)
  const columns = findColumns(sample, said)
  if (!columns)
    throw refused(
      sample.some(({ cells }) => cells.some((cell) => /\d/.test(cell))) ? 'no_days' : 'no_amounts',
    )
  const { headerRows, currency, debits } = columns
  const headings = columns.names.map(shown)
  const rows = sample.slice(headerRows, headerRows + SHOWN_ROWS).map(({ cells }) => cells.map(shown))
  const table = { text, delimiter, headerRows }
  const facts = createFileFacts(columns, said)
  await eachTableRow(table, (row) => facts.add(row), afterSlice)
  const { form: foundForm, unclear, unknownDirections, telling, width, doubts } = facts.found()
  const asFound = { encoding, delimiter, ...foundForm }
  const why = {
    form: viewUnclear(asFound, unclear),
    first_rows: [headings, ...rows].filter((row) => row.length > 0),
  }
  if (columns.absent.length > 0) throw refused('no_column', { unclear: columns.absent, ...why })
  if (unclear.length > 0 || foundForm.direction === null) {
    const words = unknownDirections.map(shown)
    throw refused('form_unclear', { unclear, ...(words.length > 0 && { words }), ...why })
  }
  const form: BankForm = { ...asFound, direction: foundForm.direction }
  const reader = createLineReader({ columns, form, width, telling, doubts }, take)
  await eachTableRow(table, reader.add, afterSlice)
  const { references, ...leftOut } = reader.end()
  const ofColumns = { telling: [...telling], currency: [...currency], debits: [...debits], headings, rows }
  return { form: { ...viewForm(form), ...ofColumns, ...leftOut }, leftOut: references }
}

const shown = (cell: string) => plainText(cell).slice(0, SHOWN_LETTERS)

interface Source {
  readonly text: string
  readonly delimiter: DelimiterName
  readonly headerRows: number
}

/** All rows below the headings. */
function eachTableRow(
  { text, delimiter, headerRows }: Source,
  each: (row: CsvRow) => void,
  afterSlice?: () => Promise<unknown>,
): Promise<void> {
  let index = 0
  const below = (row: CsvRow) => {
    if (index++ >= headerRows && row.cells.some((cell) => cell !== '')) each(row)
  }
  return eachRow(text, delimiter, below, afterSlice)
}

/** As it may be said with the file. */
function viewForm({ date, amount, text, direction, ...form }: BankForm) {
  return {
    ...form,
    ...{ date: String(date), amount: String(amount), text: text.join(','), direction: String(direction) },
  }
}

/** Without what is not known. */
function viewUnclear({ direction, ...form }: UnclearForm, unclear: readonly string[]) {
  const view = viewForm({ ...form, direction: direction ?? 'in' })
  const isKnown = (name: string) => !unclear.includes(name) && (name !== 'direction' || direction !== null)
  return Object.fromEntries(Object.entries(view).filter(([name]) => isKnown(name)))
}
type UnclearForm = Omit<BankForm, 'direction'> & { readonly direction: BankForm['direction'] | null }

/** In words, with or without a day: a heading, or a sum. */
const IN_WORDS = /^\P{Nd}*$|^\P{Nd}*\p{L}{2}/u

interface Table {
  readonly columns: Columns
  readonly form: BankForm
  readonly width: number
  readonly telling: readonly number[]
  readonly doubts: ReturnType<ReturnType<typeof createFileFacts>['found']>['doubts']
}

interface Begun {
  /** A line may have more rows than one, of text alone. */
  readonly cells: (readonly string[])[]
  readonly line: number
  readonly day: string
  readonly centimes: number
}

/** Makes lines of rows. A row may go on in the next one, so a line is given when the next row is known. */
function createLineReader(table: Table, take: (line: ReadLine) => void) {
  const rows: LeftOutRow[] = []
  const references = new Set<string>()
  let count = 0
  let last: Begun | null = null
  const flush = () => {
    if (last) take(lineOf(table, last))
    last = null
  }
  return {
    add: (row: CsvRow): void => {
      const { form } = table
      const day = readDay((row.cells[form.date - 1] ?? '').trim(), form.day_order)
      if (last && day === null && last.cells.length < LINE_ROWS_MAX && goesOn(table, row)) {
        last.cells.push(row.cells)
        return
      }
      flush()
      const read = readRow(table, row, day)
      if (typeof read === 'object') last = read
      if (typeof read !== 'string') return
      count += 1
      const text = shortText(row.cells.map(plainText).join(' '))
      for (const reference of referencesIn(text)) references.add(reference)
      if (rows.length < LEFT_OUT_LISTED) rows.push({ line: row.line, why: read })
    },
    /** Gives what was left out. */
    end: () => {
      flush()
      return { left_out: count, left_out_rows: rows, references }
    },
  }
}

/** A line, why the row is left out, or null: no money moved. Throws what refuses the whole file. */
function readRow(
  { columns, form, width }: Table,
  { cells, line }: CsvRow,
  day: string | null,
): Begun | LeftOutWhy | null {
  const cell = (at: number | null) => (at === null ? '' : (cells[at - 1] ?? '').trim())
  const date = cell(form.date)
  const amount = readCentimes(cell(form.amount), form.decimal)
  const debit = debitIn(columns.debits.map(cell), form)
  const isWide = cells.length === width
  if (day === null && IN_WORDS.test(date)) {
    if (isHeadingRow(cells)) return sameHeadings(columns, cells, line)
    if (isWide ? amount !== 0 || debit !== 0 : cells.some(isAmount)) return isWide ? 'no_day' : 'cells'
    return null
  }
  if (!isWide) return 'cells'
  if (debit === null || (amount !== 0 && debit !== 0)) return 'amounts'
  if (amount === null) throw refused('amount', { line, column: form.amount })
  const said = typeof form.direction === 'number' ? directionSaid(cell(form.direction)) : null
  // Below 0 if any column says that the money went out.
  const centimes = debit !== 0 ? -Math.abs(debit) : said === 'out' ? -Math.abs(amount) : amount
  if (centimes === 0) return hasOtherMoney(columns, form, cells) ? 'amounts' : null
  if (day === null) throw refused('day', { line, column: form.date })
  return { cells: [cells], line, day, centimes }
}

/** Whether another column than those of money has some, such as an unnamed one. */
function hasOtherMoney(columns: Columns, form: BankForm, cells: readonly string[]): boolean {
  const { headings, date, amount, debits, currency } = columns
  const known = [date, amount, ...debits, ...currency, form.direction]
  return cells.some((cell, index) => {
    const heading = headings[index] ?? null
    if (known.includes(index + 1) || cell.length > 40 || !MAY_BE_MONEY.includes(heading)) return false
    // In a text, a number without centimes may be anything.
    if (!FIGURE.test(cell) || (heading === 'text' && !CENTIMES.test(cell))) return false
    return isAmount(cell) && readDay(cell.trim(), form.day_order) === null
  })
}
const MAY_BE_MONEY: readonly Columns['headings'][number][] = [null, 'text', 'credit', 'amount']
const CENTIMES = /[.,\u066b]\p{Nd}{2}\P{Nd}*$/u

/** What the columns of money out say; null if one has text, or two have money. */
function debitIn(cells: readonly string[], { decimal }: BankForm): number | null {
  const debits = cells.map((cell) => readCentimes(cell, decimal)).filter((debit) => debit !== 0)
  return debits.length > 1 ? null : (debits[0] ?? (debits.length === 1 ? null : 0))
}

/** Headings that come again are no row. Refuses the file if they name other columns. */
function sameHeadings({ names }: Columns, cells: readonly string[], line: number): null {
  const isSame = cells.every((cell, index) => plainWords(cell) === plainWords(names[index] ?? ''))
  if (!isSame) throw refused('headings', { line })
  return null
}

/** Text below a line, in the columns of text alone, or a reference alone. */
function goesOn({ form }: Table, { cells }: CsvRow): boolean {
  if (cells.length === 1) return wholeReferencesIn(shortText(cells[0] ?? '')).length > 0
  const filled = cells.flatMap((cell, index) => (cell.trim() === '' ? [] : [index + 1]))
  return filled.length > 0 && filled.every((at) => form.text.includes(at))
}

function lineOf(table: Table, { cells: rows, line, day, centimes }: Begun): ReadLine {
  const { columns, form, telling, doubts: ofFile } = table
  const cellsOf = (at: number) => rows.map((cells) => plainText(cells[at - 1] ?? '')).filter(Boolean)
  const plain = rows.flat().map(plainWords)
  const alone = rows.slice(1).flatMap((cells) => (cells.length === 1 ? cells : []))
  const text = [...form.text.flatMap(cellsOf), ...alone.map(plainText)].join(' ')
  const ownText = form.text.map((at) => plainText(rows[0]?.[at - 1] ?? '')).join(' ')
  const isAhead = columns.valueDates.some((at) => {
    const valued = readDay((rows[0]?.[at - 1] ?? '').trim(), form.day_order)
    return valued !== null && Date.parse(valued) - Date.parse(day) > VALUE_DAYS_MAX * 86_400_000
  })
  const isForeign = columns.currency.some((at) => isOtherCurrency(rows[0]?.[at - 1] ?? ''))
  const doubts: readonly (readonly [boolean, LineDoubt])[] = [
    // What is not read of a long text may name another payment.
    [telling.length > 0 || ofFile.cells || text.length > TEXT_MAX, 'other_column'],
    [ofFile.notCome || isAhead || saysNotCome(plain.join(' ; ')), 'not_come'],
    [ofFile.otherCurrency || isForeign, 'currency'],
    [rows.length > 1 && wholeReferencesIn(ownText).length === 0, 'continued'],
  ]
  return {
    ...{ line, day, centimes, text: shortText(text) },
    row: plain.join('|'),
    doubts: doubts.flatMap(([isSo, doubt]) => (isSo ? [doubt] : [])),
  }
}

/** Banks value money some days after they book it; weeks later it is a bill that falls due. */
const VALUE_DAYS_MAX = 7
/** A line has at most so many rows. */
const LINE_ROWS_MAX = 20

/** Cut between letters: PostgreSQL refuses half of one. */
function shortText(text: string): string {
  return text.slice(0, TEXT_MAX).replace(/\p{Surrogate}$/u, '')
}

/** Removes control characters and half surrogate pairs. */
function plainText(cell: string): string {
  return cell
    .replace(/\p{Cc}|\p{Cf}|\p{Surrogate}/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
