// How a bank writes its statements: what was said of a file, and what is guessed from its rows. What can be
// two things is not guessed at: it is named, for a person to say.
import type { SaidForm } from '../transfers/bank-form-schema.js'
import { decimalSignIn } from './bank-amount.js'
import { dayOrderIn, readDay } from './bank-day.js'

/** As a file was read. Columns are counted from 1. */
export type BankForm = Required<Omit<SaidForm, 'date' | 'amount' | 'text'>> & {
  readonly date: number
  readonly amount: number
  readonly text: readonly number[]
}

/** A member of a form of which the file does not tell what it is. */
type Unclear = 'date' | 'amount' | 'day_order' | 'decimal'

type Column = 'date' | 'amount' | 'text'

/** The members that rows tell: all but encoding and delimiter. */
type Columns = Omit<BankForm, 'encoding' | 'delimiter'>

const HEADINGS = {
  date: /^(date|jour|day|التاريخ|تاريخ)\b|^(transaction|posting|booking|value) date|^(ال)?تاريخ/iu,
  valueDate: /valeur|value|القيمة|الحق/iu,
  credit: /cr[eé]dit|versement|d[eé]p[oô]t|money in|deposit|paid in|دائن|[إا]يداع/iu,
  debit: /d[eé]bit|retrait|money out|withdrawal|paid out|مدين|سحب/iu,
  amount: /montant|amount|somme|المبلغ|مبلغ/iu,
  balance: /solde|balance|الرصيد|رصيد/iu,
  text: /libell|descri|d[eé]tail|motif|communication|objet|r[eé]f|nature|label|text|بيان|تفاصيل|وصف|مرجع/iu,
  name: /nom|name|donneur|[eé]metteur|remitter|payer|اسم|الاسم/iu,
} as const

/** Rows that may stand above the table. */
const HEADER_ROWS_MAX = 30

/** Null: there is no column with days, or none with money. */
export function formOf(
  rows: readonly (readonly string[])[],
  said: SaidForm,
): {
  readonly form: Columns
  readonly unclear: readonly Unclear[]
  readonly absent: readonly Column[]
} | null {
  const headings = said.header_rows === undefined ? headingRowIn(rows) : said.header_rows - 1
  const first = said.header_rows ?? (headings < 0 ? firstLineIn(rows, said) : headings + 1)
  const names = rows[headings] ?? []
  const lines = rows.slice(first)
  const unclear: Unclear[] = []
  const date = numberOf(said.date, names) ?? dateColumn(names, lines, unclear)
  if (date === null) return null
  const amount = numberOf(said.amount, names) ?? amountColumn(names, lines, date, unclear)
  if (amount === null) return null
  const cells = (column: number) => lines.map((row) => row[column - 1] ?? '')
  const order = dayOrderIn(cells(date))
  const decimal = decimalSignIn(cells(amount))
  if (said.day_order === undefined && order === null) unclear.push('day_order')
  if (said.decimal === undefined && decimal === null) unclear.push('decimal')
  const form = {
    header_rows: first,
    date,
    amount,
    text: textColumns(said, names, lines, [date, amount]),
    day_order: said.day_order ?? order ?? 'dmy',
    decimal: said.decimal ?? decimal ?? ',',
  }
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const isThere = (column: number) => column >= 1 && column <= width
  const columns = { date: [date], amount: [amount], text: form.text }
  const absent = (['date', 'amount', 'text'] as const).filter((name) => !columns[name].every(isThere))
  return { form, unclear, absent }
}

/** -1: no row names the columns. */
function headingRowIn(rows: readonly (readonly string[])[]): number {
  return rows
    .slice(0, HEADER_ROWS_MAX)
    .findIndex(
      (row) =>
        row.some((cell) => HEADINGS.date.test(cell.trim())) &&
        row.some((cell) => HEADINGS.credit.test(cell) || HEADINGS.amount.test(cell)),
    )
}

function firstLineIn(rows: readonly (readonly string[])[], { date }: SaidForm): number {
  const index = rows.findIndex((row) => row.some((cell, at) => isIn(date, at) && isDay(cell)))
  return Math.max(index, 0)
}

const isIn = (said: string | undefined, at: number) => said === undefined || Number(said) === at + 1
const isDay = (cell: string) => (['dmy', 'mdy'] as const).some((order) => readDay(cell, order) !== null)

/** Null: it was not said. 0: there is no such heading. */
function numberOf(said: string | undefined, names: readonly string[]): number | null {
  if (said === undefined) return null
  if (/^\d{1,3}$/.test(said)) return Number(said)
  return names.findIndex((name) => folded(name) === folded(said)) + 1
}

const folded = (text: string) => text.normalize('NFKC').trim().toLowerCase()

function named(names: readonly string[], ...of: (keyof typeof HEADINGS)[]): readonly number[] {
  return names.flatMap((name, at) => (of.some((one) => HEADINGS[one].test(name.trim())) ? [at + 1] : []))
}

/** The day of the booking, not that of the value. */
function dateColumn(
  names: readonly string[],
  lines: readonly (readonly string[])[],
  unclear: Unclear[],
): number | null {
  const [first, ...others] = named(names, 'date')
  if (first !== undefined)
    return [first, ...others].find((at) => !HEADINGS.valueDate.test(names[at - 1] ?? '')) ?? first
  const [byContents = null, ...further] = columnsWhere(lines, isDay)
  if (further.length > 0) unclear.push('date')
  return byContents
}

function amountColumn(
  names: readonly string[],
  lines: readonly (readonly string[])[],
  date: number,
  unclear: Unclear[],
): number | null {
  const isOther = (at: number) => !named(names, 'balance', 'debit', 'date').includes(at)
  const [credit] = named(names, 'credit').filter(isOther)
  if (credit !== undefined) return credit
  const [amount, ...others] = named(names, 'amount').filter(isOther)
  if (others.length > 0) unclear.push('amount')
  if (amount !== undefined) return amount
  const columns = columnsWhere(lines, (cell) => /\d/.test(cell) && !/\p{L}/u.test(cell) && !isDay(cell))
  const [first = null, ...further] = columns.filter((at) => at !== date)
  if (further.length > 0) unclear.push('amount')
  return first
}

/** Columns in which nearly all cells that are not empty are so. */
function columnsWhere(
  lines: readonly (readonly string[])[],
  isSo: (cell: string) => boolean,
): readonly number[] {
  const width = Math.max(0, ...lines.slice(0, 100).map((row) => row.length))
  return Array.from({ length: width }, (_, at) => at + 1).filter((at) => {
    const cells = lines.slice(0, 100).flatMap((row) => row[at - 1]?.trim() || [])
    return cells.length > 0 && cells.filter(isSo).length >= cells.length * 0.8
  })
}

/** Those named so; without names all that are not known to be something else and have letters in them. */
function textColumns(
  { text }: SaidForm,
  names: readonly string[],
  lines: readonly (readonly string[])[],
  taken: readonly number[],
): readonly number[] {
  if (text !== undefined) return text.split(',').map((one) => numberOf(one.trim(), names) ?? 0)
  const isFree = (at: number) => !taken.includes(at)
  const found = named(names, 'text', 'name').filter(isFree)
  if (found.length > 0) return found
  return columnsWhere(lines, (cell) => /\p{L}/u.test(cell)).filter(isFree)
}
