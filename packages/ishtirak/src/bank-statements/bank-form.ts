// How a bank writes its statements: which column says what, found out from the file or said by the operator.
// What can be two things is not guessed: it is named as unclear, and the operator says which is right. Pure.
import type { CsvRow } from '../acts/csv-file.js'
import type { SaidForm } from '../transfers/bank-form-schema.js'
import { createDecimalSign, isAmount, isSigned } from './bank-amount.js'
import { createDayOrder, readDay } from './bank-day.js'
import {
  directionSaid,
  type Heading,
  headingOf,
  isClearDirection,
  isCurrency,
  isOfDueDays,
  namesOtherCurrency,
  namesPayee,
  plainWords,
  saysDone,
  titleSaysNotCome,
} from './bank-headings.js'

/** Columns are counted from 1. */
export interface BankForm extends Required<Pick<SaidForm, 'encoding' | 'delimiter' | 'header_rows'>> {
  readonly date: number
  readonly amount: number
  readonly text: readonly number[]
  readonly day_order: NonNullable<SaidForm['day_order']>
  readonly decimal: NonNullable<SaidForm['decimal']>
  /** `in`: each amount is money in. `sign`: the sign of the amount says it. A number: that column says it. */
  readonly direction: 'in' | 'sign' | number
}

/** A member of a form that the file does not tell. */
type Unclear = 'header_rows' | 'date' | 'amount' | 'day_order' | 'decimal' | 'direction'

/** The columns of a file, as far as its first rows tell. */
export interface Columns {
  readonly headerRows: number
  readonly names: readonly string[]
  /** How many cells a row has. */
  readonly width: number
  readonly date: number
  readonly amount: number
  readonly debits: readonly number[]
  readonly valueDates: readonly number[]
  readonly text: readonly number[] | null
  readonly direction: BankForm['direction'] | null
  readonly currency: readonly number[]
  /** Said in a heading of money, or above the table. */
  readonly hasOtherCurrency: boolean
  readonly hasNotCome: boolean
  readonly headings: readonly (Heading | null)[]
  readonly unclear: readonly Unclear[]
  readonly absent: readonly ('date' | 'amount' | 'text' | 'direction')[]
}

/** So many rows tell the columns; so many may stand above the table. */
export const SAMPLE_ROWS = 130
const HEADER_ROWS_MAX = 30

/** Null if no column has days, or none has amounts. */
export function findColumns(sample: readonly CsvRow[], said: SaidForm): Columns | null {
  const rows = sample.map(({ cells }) => cells)
  const named = said.header_rows === undefined ? headingRowIn(rows) : said.header_rows - 1
  const headerRows = said.header_rows ?? (named < 0 ? firstLineIn(rows, said) : named + 1)
  const headingRow = named < 0 ? oddHeadingRow(rows, headerRows) : named
  const names = rows[headingRow] ?? []
  const lines = rows.slice(headerRows)
  const width = names.length > 0 ? names.length : usualWidth(lines)
  const headings = Array.from({ length: width }, (_, at) => headingOf(names[at] ?? ''))
  const table = { names, headings, lines, width }
  const unclear: Unclear[] = []
  const date = numberOf(said.date, names) ?? dateColumn(table, unclear)
  if (date === null) return null
  const amount = numberOf(said.amount, names) ?? amountColumn(table, date, unclear)
  if (amount === null) return null
  if (rows.slice(0, said.header_rows ?? 0).some((row) => isLine(row, date, width)))
    unclear.push('header_rows')
  // A column of money out is not that of money in, also if the operator names it.
  if (headings[amount - 1] === 'debit') unclear.push('amount')
  const debits = columnsCalled(table, 'debit').filter((at) => at !== amount)
  const taken = [date, amount, ...debits]
  const direction = directionIn(table, { said, amount, taken, unclear })
  const text = said.text?.split(',').map((one) => numberOf(one.trim(), names) ?? 0) ?? null
  const currency = columnsWhere(table, isCurrency).concat(columnsCalled(table, 'currency'))
  const above = rows.slice(0, headingRow < 0 ? headerRows : headingRow).map((row) => row.join(' '))
  const money = columnsCalled(table, 'credit', 'debit', 'amount', 'balance').map((at) => names[at - 1] ?? '')
  const isThere = (at: number) => at >= 1 && at <= width
  const asked = { date: [date], amount: [amount], text: text ?? [] }
  return {
    ...{ headerRows, names, width, date, amount, text, direction, headings, unclear },
    debits,
    valueDates: columnsCalled(table, 'value_date').filter((at) => at !== date),
    currency: [...new Set(currency)].filter((at) => !taken.includes(at)),
    hasOtherCurrency: [names[amount - 1] ?? '', ...money, ...above].some(namesOtherCurrency),
    hasNotCome:
      above.some((text) => titleSaysNotCome(plainWords(text))) || isOfDueDays(names[date - 1] ?? ''),
    absent: [
      ...(['date', 'amount', 'text'] as const).filter((name) => !asked[name].every(isThere)),
      ...(typeof direction === 'number' && !isThere(direction) ? (['direction'] as const) : []),
    ],
  }
}

interface Table {
  readonly names: readonly string[]
  readonly headings: readonly (Heading | null)[]
  readonly lines: readonly (readonly string[])[]
  readonly width: number
}

/** -1 if no row names the columns. */
function headingRowIn(rows: readonly (readonly string[])[]): number {
  return rows.slice(0, HEADER_ROWS_MAX).findIndex(isHeadingRow)
}

/** Whether a row names a column of days and one of money. */
export function isHeadingRow(row: readonly string[]): boolean {
  const isMoney = (cell: string) => ['credit', 'debit', 'amount'].includes(headingOf(cell) ?? '')
  return row.some((cell) => headingOf(cell) === 'date' && !isDay(cell)) && row.some(isMoney)
}

function firstLineIn(rows: readonly (readonly string[])[], { date }: SaidForm): number {
  const isIn = (at: number) => date === undefined || Number(date) === at + 1
  return Math.max(
    rows.findIndex((row) => row.some((cell, at) => isIn(at) && isDay(cell))),
    0,
  )
}

/** Whether a row has the width of the table, a day where it has days, and an amount. */
function isLine(row: readonly string[], date: number, width: number): boolean {
  const isMoney = (cell: string, at: number) => at + 1 !== date && isAmount(cell) && !isDay(cell)
  return row.length === width && isDay(row[date - 1] ?? '') && row.some(isMoney)
}

/** The row above the first line, if it has as many cells and no day; -1 if it names no columns. */
function oddHeadingRow(rows: readonly (readonly string[])[], headerRows: number): number {
  const row = rows[headerRows - 1] ?? []
  const length = row.at(-1)?.trim() === '' ? [row.length, row.length - 1] : [row.length]
  const isNames = row.length > 1 && length.includes(usualWidth(rows.slice(headerRows))) && !row.some(isDay)
  return isNames ? headerRows - 1 : -1
}

function usualWidth(lines: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>()
  for (const { length } of lines) counts.set(length, (counts.get(length) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0])[0]
}

const isDay = (cell: string) => (['dmy', 'mdy'] as const).some((order) => readDay(cell, order) !== null)

/** Null if it was not said, 0 if there is no such heading. */
function numberOf(said: string | undefined, names: readonly string[]): number | null {
  if (said === undefined) return null
  if (/^\d{1,3}$/.test(said)) return Number(said)
  return names.findIndex((name) => folded(name) === folded(said)) + 1
}

const folded = (text: string) => text.normalize('NFKC').trim().toLowerCase()

function columnsCalled({ headings }: Pick<Table, 'headings'>, ...wanted: Heading[]): number[] {
  return headings.flatMap((heading, at) => (heading !== null && wanted.includes(heading) ? [at + 1] : []))
}

/** Columns in which nearly all cells that are not empty are so. */
function columnsWhere({ lines, width }: Table, isSo: (cell: string) => boolean): number[] {
  return Array.from({ length: width }, (_, at) => at + 1).filter((at) => {
    const cells = lines.flatMap((row) => row[at - 1]?.trim() || [])
    return cells.length > 0 && cells.filter(isSo).length >= cells.length * 0.8
  })
}

/** The day of the booking, not that of the value. */
function dateColumn(table: Table, unclear: Unclear[]): number | null {
  const dates = columnsCalled(table, 'date')
  const called = (is: RegExp) => dates.find((at) => is.test(plainWords(table.names[at - 1] ?? '')))
  const booked = called(/oper|compta|transac|posting|booking|عملي/) ?? called(/^(date|jour|day|(ال)?تاريخ)$/)
  const [named, ...further] = [
    ...(booked === undefined ? dates : [booked]),
    ...columnsCalled(table, 'value_date'),
  ]
  const differs = (row: readonly string[], at: number) =>
    dates.includes(at) && isDay(row[at - 1] ?? '') && row[at - 1] !== row[(named ?? 0) - 1]
  if (table.lines.some((row) => further.some((at) => differs(row, at)))) unclear.push('date')
  if (named !== undefined) return named
  const [byContents = null, ...others] = columnsWhere(table, isDay)
  if (others.length > 0) unclear.push('date')
  return byContents
}

/** The column of money in, or the only one of amounts. */
function amountColumn(table: Table, date: number, unclear: Unclear[]): number | null {
  const amounts = columnsWhere(table, (cell) => isAmount(cell) && !isDay(cell)).filter((at) => at !== date)
  const isEmpty = (at: number) => table.lines.every((row) => (row[at - 1] ?? '').trim() === '')
  for (const called of ['credit', 'amount'] as const) {
    const [first, ...others] = columnsCalled(table, called).filter((at) => at !== date)
    if (first === undefined) continue
    const [filled, ...further] = [first, ...others].filter((at) => amounts.includes(at))
    const unnamed = amounts.filter((at) => (table.names[at - 1] ?? '').trim() === '')
    if (further.length > 0 || (called === 'amount' && unnamed.length > 0)) unclear.push('amount')
    return filled ?? [first, ...others].find(isEmpty) ?? first
  }
  const isOther = (at: number) => table.headings[at - 1] === null
  const [first = null, ...others] = amounts.filter(isOther)
  if (others.length > 0) unclear.push('amount')
  return first
}

/**
 * What says whether money came in or went out. An amount without a sign, beside no column that says it, can
 * be both.
 */
function directionIn(
  table: Table,
  of: {
    readonly said: SaidForm
    readonly amount: number
    readonly taken: readonly number[]
    readonly unclear: Unclear[]
  },
): BankForm['direction'] | null {
  const { said, amount, taken, unclear } = of
  if (said.direction === 'in' || said.direction === 'sign') return said.direction
  if (said.direction !== undefined) return numberOf(said.direction, table.names) ?? 0
  const free = (at: number) => !taken.includes(at)
  const named = columnsCalled(table, 'direction').filter(free)
  const [column, ...others] = named.length > 0 ? named : directionColumns(table).filter(free)
  if (others.length > 0) unclear.push('direction')
  // A list of payments that the account's owner ordered has one column of money, too.
  const isList = columnsCalled(table, 'debit', 'balance').length === 0 && table.names.some(namesPayee)
  const saysIn = (row: readonly string[]) => directionSaid(row[(column ?? 0) - 1] ?? '') === 'in'
  if (column !== undefined) return isList && table.lines.every(saysIn) ? null : column
  return table.headings[amount - 1] !== 'credit' || isList ? null : 'in'
}

/** Columns of words of direction under a heading that says nothing else. */
function directionColumns(table: Table): readonly number[] {
  return columnsWhere(table, (cell) => directionSaid(cell) !== null).filter((at) => {
    const heading = table.headings[at - 1] ?? null
    if (heading !== null && heading !== 'text') return false
    const cells = table.lines.flatMap((row) => row[at - 1]?.trim() || [])
    const isUnnamed = (table.names[at - 1] ?? '').trim() === ''
    const isBoth = ['in', 'out'].every((side) => cells.some((cell) => directionSaid(cell) === side))
    return isUnnamed || isBoth || cells.every(isClearDirection)
  })
}

/** A column with at most so many values says what kind of row it is, or what became of it. */
const FEW_VALUES = 12

/** What all rows of a file tell that its first rows do not. */
function createState({ headings, hasNotCome, hasOtherCurrency }: Columns) {
  return {
    days: createDayOrder(),
    decimals: createDecimalSign(),
    /** Of each column, its first values and how many letters it has. */
    values: headings.map(() => new Set<string>()),
    letters: new Map<number, number>(),
    /** Columns that have no figure in a row with a day. */
    blanks: new Set<number>(),
    /** How many cells rows have. */
    lengths: new Set<number>(),
    ...{ rows: 0, endsEmpty: true, marked: false, unmarked: false },
    /** What the direction column says that is not understood. */
    unknownDirections: new Set<string>(),
    ...{ spareMoney: false, notCome: hasNotCome, otherCurrency: hasOtherCurrency },
  }
}
type State = ReturnType<typeof createState>

/** A cell with such a figure is not 0. */
export const FIGURE = /[1-9\u0661-\u0669\u06f1-\u06f9\uff11-\uff19]/

/** Collects all rows of a file, and tells the form of the file as far as it is clear, and what is not. */
export function createFileFacts(columns: Columns, said: SaidForm) {
  const state = createState(columns)
  const { date, amount, debits, direction, headings } = columns
  const spare = headings.flatMap((heading, index) =>
    (heading === 'credit' || heading === 'amount') && index + 1 !== amount ? [index + 1] : [],
  )
  const addUndated = (cells: readonly string[]) => {
    if (isHeadingRow(cells)) return
    const plain = plainWords(cells.join(' ; '))
    state.notCome ||= titleSaysNotCome(plain)
    state.otherCurrency ||= namesOtherCurrency(plain)
  }
  const addDated = (cells: readonly string[]) => {
    const cell = (at: number) => (cells[at - 1] ?? '').trim()
    state.rows += 1
    state.lengths.add(cells.length)
    state.endsEmpty &&= cells.at(-1)?.trim() === ''
    if (![amount, ...debits].some((at) => FIGURE.test(cell(at)))) addUndated(cells)
    if (FIGURE.test(cell(amount))) {
      state[isSigned(cell(amount)) ? 'marked' : 'unmarked'] = true
      // A column that the operator named may be empty where money came in.
      if (typeof direction === 'number' && (cell(direction) !== '' || !said.direction))
        if (directionSaid(cell(direction)) === null && state.unknownDirections.size < FEW_VALUES)
          state.unknownDirections.add(cell(direction))
    }
    state.spareMoney ||= spare.some((at) => FIGURE.test(cell(at)))
    cells.forEach((text, index) => {
      const value = text.trim()
      if (!/\p{Nd}/u.test(value)) state.blanks.add(index + 1)
      const letters = state.letters.get(index + 1) ?? 0
      if (/\p{L}/u.test(value)) state.letters.set(index + 1, letters + value.length)
      const ofColumn = state.values[index]
      if (ofColumn && ofColumn.size <= FEW_VALUES) ofColumn.add(value)
    })
  }
  return {
    add({ cells }: CsvRow): void {
      const day = (cells[date - 1] ?? '').trim()
      state.days.add(day)
      for (const at of [amount, ...debits]) state.decimals.add((cells[at - 1] ?? '').trim())
      if (isDay(day)) addDated(cells)
      else addUndated(cells)
    },
    found: () => formFound(columns, said, state),
  }
}

function formFound(columns: Columns, said: SaidForm, state: State) {
  const { date, amount } = columns
  const order = state.days.order()
  const decimal = state.decimals.sign()
  // One sign explains no amount without a sign.
  const bySign = state.marked && !state.unmarked ? ('sign' as const) : null
  const found = columns.direction ?? bySign
  const unclear = new Set(columns.unclear)
  if (state.spareMoney && said.amount === undefined) unclear.add('amount')
  if (said.day_order === undefined && order === null) unclear.add('day_order')
  if (said.decimal === undefined && decimal === null) unclear.add('decimal')
  if (found === null || state.unknownDirections.size > 0) unclear.add('direction')
  const text = columns.text ?? textColumns(columns, [...state.letters.keys()], found)
  const { width, isTrailing } = allowedWidth(columns, [...state.lengths], state)
  return {
    unclear: [...unclear],
    unknownDirections: [...state.unknownDirections],
    width,
    telling: tellingColumns(columns, { ...state, text, direction: found }),
    doubts: {
      // Too few rows tell a trailing delimiter from one that stands in a text.
      cells: isTrailing && state.rows < TRAILING_ROWS_MIN,
      notCome: state.notCome,
      otherCurrency: state.otherCurrency,
    },
    form: {
      header_rows: columns.headerRows,
      ...{ date, amount, text },
      day_order: said.day_order ?? order ?? ('dmy' as const),
      decimal: said.decimal ?? decimal ?? (',' as const),
      direction: found,
    },
  }
}

const TRAILING_ROWS_MIN = 3

/** One trailing delimiter is allowed if every row has it, or if only the headings have it. */
function allowedWidth(
  { width, names }: Columns,
  lengths: readonly number[],
  { endsEmpty }: { readonly endsEmpty: boolean },
): { readonly width: number; readonly isTrailing: boolean } {
  const [length = width, ...others] = lengths
  const isTrailing = others.length === 0 && length === width + 1 && endsEmpty
  const isInHeadings = others.length === 0 && length === width - 1 && names.at(-1)?.trim() === ''
  return { width: isTrailing || isInHeadings ? length : width, isTrailing }
}

const NOT_TEXT: readonly (Heading | null)[] = ['date', 'value_date', 'credit', 'debit', 'amount', 'balance']

/**
 * Every column with letters that says nothing else. A reference can have digits alone: without such a column
 * it is one that is headed as text.
 */
function textColumns(
  { headings, date, amount, debits, currency }: Columns,
  letters: readonly number[],
  direction: BankForm['direction'] | null,
): readonly number[] {
  const taken = [date, amount, ...debits, direction, ...currency]
  const free = (at: number) => !taken.includes(at)
  const written = letters.filter((at) => free(at) && !NOT_TEXT.includes(headings[at - 1] ?? null))
  if (written.length === 0) return columnsCalled({ headings }, 'text').filter(free)
  return written.sort((one, other) => one - other)
}

/**
 * Columns that may say of a row that its money did not come: nothing else is known of them and their few
 * values differ, or they are a column of states that says anything but that all is done.
 */
function tellingColumns(
  { headings, date, amount, debits, currency, text: said }: Columns,
  of: {
    readonly values: readonly ReadonlySet<string>[]
    readonly letters: ReadonlyMap<number, number>
    readonly blanks: ReadonlySet<number>
    readonly text: readonly number[]
    readonly direction: BankForm['direction'] | null
  },
): readonly number[] {
  const { values, letters, blanks, text, direction } = of
  // A column of states stays in doubt if the operator names it as text.
  const saidText = said?.filter((at) => headings[at - 1] !== 'status') ?? []
  const known = [date, amount, ...debits, direction, ...currency, ...saidText]
  const hasText = text.some((at) => headings[at - 1] === 'text')
  const byLength = [...text].sort((one, other) => (letters.get(other) ?? 0) - (letters.get(one) ?? 0))
  // Without a heading that says so, the longest text is what the payer wrote.
  const written = hasText ? undefined : byLength[0]
  return values.flatMap((seen, index) => {
    const heading = headings[index] ?? null
    if (known.includes(index + 1) || index + 1 === written) return []
    // A state says that money came of every row, or of none.
    if (heading === 'status') {
      const isSilent = seen.size === 1 && seen.has('')
      return isSilent || [...seen].every(saysDone) ? [] : [index + 1]
    }
    // Without its day of booking or of value a row is still expected.
    const isOfDays = [...seen].some(isDay) && [...seen].every((value) => isDay(value) || !/\d/.test(value))
    if (heading === 'date' || heading === 'value_date' || (heading === null && isOfDays))
      return blanks.has(index + 1) && [...seen].some(isDay) ? [index + 1] : []
    const isOut = [...seen].some((value) => directionSaid(value) === 'out')
    const saysNothingElse = [...seen].every((value) => value === '' || directionSaid(value) !== null)
    if (isOut && (heading !== 'text' || saysNothingElse)) return [index + 1]
    const isFew = seen.size > 1 && seen.size <= FEW_VALUES
    const isDayOrTime = [...seen].every(
      (value) => value === '' || isDay(value) || /^\d{1,2}[:h]\d{2}/.test(value),
    )
    return (heading === null || heading === 'direction') && isFew && !isDayOrTime ? [index + 1] : []
  })
}
