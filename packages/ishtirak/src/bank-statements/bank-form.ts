// How a bank writes its statements: which column says what, and the forms of days and amounts. It is guessed
// once, from headings that are known words and from days and amounts that prove their form. Later files of
// the account with the same headings are read in the same way. What can be two things is not guessed: it is
// named as unclear, and the operator says which is right. Pure.
import { type Static, type TObject, Type } from 'typebox'
import { DAY_ORDERS, dayOrderIn, decimalSignIn, isDay, isSigned } from './bank-cell.js'
import { type Heading, headingOf, titleSaysNotReceived } from './bank-words.js'
import { type CsvRow, DELIMITERS, type DelimiterName, ENCODINGS } from './csv-rows.js'

const said = (description: string, maxLength = 80) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))
const column = (what: string) => said(`${what}: the number of its column, from 1 on, or its heading`)

/** An operator may say these of a file. The rest is as in the last file with these headings, else guessed. */
export const bankForm = {
  encoding: Type.Optional(Type.Enum([...ENCODINGS])),
  delimiter: Type.Optional(
    Type.Enum(Object.keys(DELIMITERS) as DelimiterName[], { description: 'Between the columns' }),
  ),
  date: column('The day'),
  amount: column('What came in; below zero it went out'),
  debit: column('What went out, if it has its own column'),
  direction: said(
    'Whether money came in or went out: the number or heading of the column that says it; `sign` if ' +
      'the sign of the amount says it; `in` if each amount came in',
  ),
  text: said('The text: numbers or headings of columns, with commas between them', 200),
  day_order: Type.Optional(
    Type.Enum([...DAY_ORDERS], { description: 'The order of day, month and year in the file' }),
  ),
  decimal: Type.Optional(
    Type.Enum([',', '.'], { description: 'Before the centimes; absent: the amounts are whole dinars' }),
  ),
}
export type BankForm = Static<TObject<typeof bankForm>>

export type KnownForm = BankForm & { readonly headings: readonly string[] }

const TITLE_ROWS_MAX = 30
/** Letters of a heading, and of a cell that a page shows. */
export const shownCell = (cell: string) => cleanText(cell).slice(0, 60)

/** Removes control characters and half surrogate pairs. */
export function cleanText(cell: string): string {
  return cell
    .replace(/\p{Cc}|\p{Cf}|\p{Surrogate}/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

export function isHeadingRow(cells: readonly string[]): boolean {
  const headings = cells.map(headingOf)
  return headings.includes('date') && headings.some((one) => one !== null && MONEY.includes(one))
}
const MONEY: readonly Heading[] = ['credit', 'debit', 'amount']

function partsOf(rows: readonly CsvRow[], asked: BankForm, known: readonly KnownForm[]) {
  const cells = rows.map((row) => row.cells)
  const first = cells.slice(0, TITLE_ROWS_MAX)
  const isNamed = (row: readonly string[]) =>
    isHeadingRow(row) || row.some((cell) => isSame(cell, asked.date)) || known.some(hasHeadings(row))
  let at = first.findIndex(isNamed)
  // Headings may stand in two languages; the last row of them counts.
  while (at >= 0 && isHeadingRow(cells[at + 1] ?? [])) at += 1
  if (at < 0) {
    const firstDay = Math.max(
      first.findIndex((row) => row.some(isDay)),
      0,
    )
    const [above = []] = cells.slice(Math.max(firstDay - 1, 0), firstDay)
    if (above.length !== cells[firstDay]?.length) return { titles: cells.slice(0, firstDay), from: firstDay }
    at = firstDay - 1
  }
  return { titles: cells.slice(0, at), names: cells[at]?.map(shownCell) ?? [], from: at + 1 }
}

const hasHeadings = (row: readonly string[]) => {
  const names = row.map(shownCell).join('\n')
  return ({ headings }: KnownForm) => headings.length > 0 && headings.join('\n') === names
}

function isSame(cell: string, asked: string | undefined): boolean {
  return asked !== undefined && !IS_NUMBER.test(asked) && folded(cell) === folded(asked)
}
const IS_NUMBER = /^\d{1,3}$/
const folded = (text: string) => text.normalize('NFKC').trim().toLowerCase()

/**
 * Finds the form of a file. `unclear` are the members of the form that the file does not tell, `absent` those
 * that name a column which the file does not have. The caller refuses the file if there are any.
 */
export function findForm(rows: readonly CsvRow[], asked: BankForm, known: readonly KnownForm[]) {
  const { titles, names = [], from } = partsOf(rows, asked, known)
  const said: BankForm = { ...earlierForm(known.find(hasHeadings(names))), ...asked }
  const table = rows.slice(from).map(({ cells }) => cells)
  const { columns, unclear, absent } = findColumns(said, names, table)
  const { date, amount, debit, direction, text } = columns
  const dayOrder = said.day_order ?? dayOrderIn(cellsAt(table, [date]))
  if (dayOrder === null) unclear.add('day_order')
  const decimal = said.decimal ?? decimalSignIn(cellsAt(table, [amount, debit]))
  if (decimal === null) unclear.add('decimal')
  return {
    ...{ titles, from, columns, unclear: [...unclear], absent: [...absent] },
    form: {
      ...{ date: String(date), amount: String(amount), text: text.join(',') },
      ...(debit !== null && { debit: String(debit) }),
      direction: String(direction),
      ...(dayOrder && { day_order: dayOrder }),
      ...(decimal && { decimal }),
    },
  }
}

/** Lists of money in and of money out may have the same headings, so `in` is asked each time. */
function earlierForm({ direction = 'in', ...form }: BankForm = {}): BankForm {
  return direction === 'in' ? form : { ...form, direction }
}

type Cells = readonly (readonly string[])[]

/** A column that the operator said counts; else the only one with such a heading. Counts columns from 1. */
function findColumns(said: BankForm, names: string[], table: Cells) {
  const unclear = new Set<keyof BankForm>()
  const absent = new Set<keyof BankForm>()
  const headings = names.map(headingOf)
  const width = names.length || (table[0]?.length ?? 0)
  const called = (wanted: Heading) => headings.flatMap((heading, at) => (heading === wanted ? [at + 1] : []))
  const numberOf = (name: keyof BankForm, of: string) => {
    const at = IS_NUMBER.test(of) ? Number(of) : names.findIndex((one) => isSame(one, of)) + 1
    if (at < 1 || at > width) absent.add(name)
    return at
  }
  const columnOf = (name: 'date' | 'amount' | 'debit', [guess = 0, ...others]: readonly number[]) => {
    const of = said[name]
    if (of !== undefined) return numberOf(name, of)
    if (others.length > 0 || (guess === 0 && name !== 'debit')) unclear.add(name)
    return guess
  }
  const date = columnOf('date', called('date'))
  const credits = called('credit')
  const amount = columnOf('amount', credits.length > 0 ? credits : called('amount'))
  const debit = columnOf('debit', called('debit')) || null
  // A column of money out is not that of money in, also if the operator names it.
  if (amount === debit || ['debit', 'balance'].includes(headings[amount - 1] ?? '')) unclear.add('amount')
  const text = said.text?.split(',').map((one) => numberOf('text', one.trim())) ?? called('text')
  if (text.length === 0) unclear.add('text')
  const guess = () =>
    directionIn(headings[amount - 1] ?? null, called('direction'), cellsAt(table, [amount, debit]))
  const { direction: of } = said
  const direction = of === undefined ? guess() : of === 'in' || of === 'sign' ? of : numberOf('direction', of)
  if (direction === null) unclear.add('direction')
  const columns = { names, headings, width, date, amount, debit, direction: direction ?? 'in', text }
  return { columns, unclear, absent }
}
/** The meaning of each column. `debit` is null if what went out has no column of its own. */
export type Columns = ReturnType<typeof findColumns>['columns']

/** The cells of these columns that are not empty. */
function cellsAt(table: Cells, columns: readonly (number | null)[]): readonly string[] {
  return table.flatMap((cells) => columns.flatMap((at) => cells[(at ?? 0) - 1]?.trim() || []))
}

/** Null: an amount without a sign, beside no column that says its direction, can be both. */
function directionIn(
  heading: Heading | null,
  [column, ...others]: readonly number[],
  amounts: readonly string[],
): 'in' | 'sign' | number | null {
  if (column !== undefined) return others.length > 0 ? null : column
  if (heading === 'credit') return 'in'
  return amounts.length > 0 && amounts.every(isSigned) ? 'sign' : null
}

/**
 * Columns with contents that nothing is known of, or whose heading speaks of money that did not come: they
 * may say so of a row. An operator who names such a column as text says that they do not.
 */
export function columnsNotUnderstood(
  { names, headings, width, date, amount, debit, direction, text }: Columns,
  rows: readonly CsvRow[],
) {
  const used = [date, amount, debit, direction, ...text]
  const filled = new Set<number>()
  for (const { cells } of rows) for (const [at, cell] of cells.entries()) if (cell.trim()) filled.add(at + 1)
  return [...filled].filter((at) => {
    // Only a row that is no line has more cells.
    if (at > width) return false
    const heading = headings[at - 1] ?? null
    const isHarmless = heading !== null && HARMLESS.includes(heading)
    return !isHarmless && (!used.includes(at) || titleSaysNotReceived(names[at - 1] ?? ''))
  })
}
/** These columns are harmless, or are read row by row. */
const HARMLESS: readonly Heading[] = ['value_date', 'balance', 'currency', 'status', 'number']
