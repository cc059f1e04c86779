// A bank statement as a bank hands it out, read: its encoding, its table, and each line with money in. What
// cannot be read is refused with its line; a file is read wholly or not at all.
import Papa from 'papaparse'
import { BillingError } from '../core/error.js'
import { DELIMITERS, type DelimiterName, type SaidForm } from '../transfers/bank-form-schema.js'
import { readCentimes } from './bank-amount.js'
import { readDay } from './bank-day.js'
import { type BankForm, formOf } from './bank-form.js'

export const BANK_FILE_BYTES_MAX = 5 * 1024 * 1024
const TEXT_MAX = 500
/** As they are shown to whoever corrects the form. */
const SHOWN_ROWS = 8

export interface ReadLine {
  readonly day: string
  readonly centimes: number
  readonly text: string
}

export interface ReadFile {
  readonly form: BankForm
  /** Rows as they were taken apart, from the top. */
  readonly firstRows: readonly (readonly string[])[]
  readonly lines: readonly ReadLine[]
  /** Rows with money in and no day: sums. */
  readonly leftOut: number
}

type Reason =
  | 'empty'
  | 'binary'
  | 'quotes'
  | 'no_days'
  | 'no_amounts'
  | 'day'
  | 'amount'
  | 'form_unclear'
  | 'no_column'

function refused(reason: Reason, extra: Readonly<Record<string, unknown>> = {}): BillingError {
  return new BillingError('file_not_accepted', { extra: { reason, ...extra } })
}

/** Throws `file_not_accepted`, with a reason and the line of the file, or what is unclear. */
export function readBankFile(file: Uint8Array, said: SaidForm): ReadFile {
  const encoding = said.encoding ?? encodingOf(file)
  const text = new TextDecoder(encoding).decode(file).replace(/\r\n?/g, '\n')
  if (text.trim() === '') throw refused('empty')
  // A table has none of the signs that control a machine.
  if (/(?![\t-\r])\p{Cc}/u.test(text)) throw refused('binary')
  const { delimiter, rows, lineOf } = tableIn(text, said.delimiter)
  const found = formOf(rows, said)
  const quotes = () => oddQuotesIn(text, said.delimiter)
  if (!found)
    throw (
      quotes() ?? refused(rows.some((row) => row.some((cell) => /\d/.test(cell))) ? 'no_days' : 'no_amounts')
    )
  const form: BankForm = { encoding, delimiter, ...found.form }
  const firstRows = rows.slice(0, form.header_rows + SHOWN_ROWS)
  if (found.absent.length > 0) throw wrongForm('no_column', form, found.absent, firstRows)
  if (found.unclear.length > 0) throw wrongForm('form_unclear', form, found.unclear, firstRows)
  const read = rows
    .slice(form.header_rows)
    .map((row, index) => lineIn(row, form, () => lineOf(form.header_rows + index)))
  const lines = read.filter((line) => typeof line === 'object')
  if (lines.length === 0) throw quotes() ?? refused('no_amounts', { form })
  return { form, firstRows, lines, leftOut: read.filter((line) => line === 'sum').length }
}

function wrongForm(
  reason: 'form_unclear' | 'no_column',
  form: BankForm,
  members: readonly string[],
  rows: ReadFile['firstRows'],
): BillingError {
  const first_rows = rows.map((row) => row.map((cell) => cell.slice(0, 100)))
  return refused(reason, { unclear: members, form: viewForm(form), first_rows })
}

/** As it may be said with the file. */
export function viewForm({ date, amount, text, ...form }: BankForm) {
  return { ...form, date: String(date), amount: String(amount), text: text.join(',') }
}

/** Letters of Arabic beside each other: in Windows-1252 a text does not have them by chance. */
const ARABIC_WORD = /[\u0621-\u064a]{3}/

function encodingOf(file: Uint8Array): BankForm['encoding'] {
  const [first, second] = file
  const isWide = (first === 0xff && second === 0xfe) || (file.length > 3 && file[1] === 0 && file[3] === 0)
  if (isWide) return 'utf-16le'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(file)
    return 'utf-8'
  } catch {
    return ARABIC_WORD.test(new TextDecoder('windows-1256').decode(file)) ? 'windows-1256' : 'windows-1252'
  }
}

/** Delimiters are tried on the beginning of a file. */
const TRIED_CHARACTERS = 20_000

function tableIn(text: string, said: DelimiterName | undefined) {
  const beginning =
    text.length > TRIED_CHARACTERS ? text.slice(0, text.lastIndexOf('\n', TRIED_CHARACTERS)) : text
  const names = delimitersOf(said)
  const tried = names.map((delimiter) => ({ delimiter, ...widthOf(beginning, delimiter) }))
  const best = tried.reduce((one, other) => (other.fits > one.fits ? other : one))
  const { delimiter } = best
  const { rows, lines } = parsed(text, delimiter)
  return { delimiter, rows, lineOf: (row: number) => lines[row] ?? row + 1 }
}

const delimitersOf = (said: DelimiterName | undefined) =>
  said === undefined ? (Object.keys(DELIMITERS) as DelimiterName[]) : [said]

/** Where nothing was found, why: a quote that is open to the end hides all rows behind it. */
function oddQuotesIn(text: string, said: DelimiterName | undefined): BillingError | null {
  for (const delimiter of delimitersOf(said))
    try {
      parsed(text, delimiter)
    } catch (error) {
      if (error instanceof BillingError) return error
      throw error
    }
  return null
}

/** How many rows have the number of columns that most have; 0: it does not separate. */
function widthOf(text: string, delimiter: DelimiterName): { readonly fits: number } {
  try {
    const widths = new Map<number, number>()
    for (const { length } of parsed(text, delimiter).rows) widths.set(length, (widths.get(length) ?? 0) + 1)
    const fits = [...widths].map(([width, count]) => (width < 2 ? 0 : count + width / 100))
    return { fits: Math.max(0, ...fits) }
  } catch {
    return { fits: 0 }
  }
}

/** Throws `file_not_accepted` where quotes do not fit. */
function parsed(text: string, delimiter: DelimiterName) {
  const options = { delimiter: DELIMITERS[delimiter], newline: '\n' } as const
  const { data, errors } = Papa.parse<string[]>(text, options)
  const [odd] = errors
  if (odd) throw refused('quotes', { line: text.slice(0, odd.index).split('\n').length })
  // A cell in quotes may have line breaks.
  let line = 0
  const all = data.map((row) => {
    line += row.join('').split('\n').length
    return { row, line }
  })
  const filled = all.filter(({ row }) => row.length > 1 || row[0] !== '')
  return { rows: filled.map(({ row }) => row), lines: filled.map((one) => one.line) }
}

/** In words, with or without a day: a heading, or a sum. */
const IN_WORDS = /^\P{Nd}*$|^\P{Nd}*\p{L}{2}/u

/** Undefined: no money came in. */
function lineIn(row: readonly string[], form: BankForm, line: () => number): ReadLine | 'sum' | undefined {
  const cell = (column: number) => row[column - 1] ?? ''
  const [date, amount] = [cell(form.date).trim(), cell(form.amount).trim()]
  const centimes = readCentimes(amount, form.decimal)
  const day = readDay(date, form.day_order)
  if (day === null && IN_WORDS.test(date)) return centimes ? 'sum' : undefined
  if (centimes === null) throw refused('amount', { line: line(), column: form.amount })
  if (centimes === 0) return undefined
  if (day === null) throw refused('day', { line: line(), column: form.date })
  return { day, centimes, text: shortText(form.text.map(cell).map(plainText).filter(Boolean).join(' ')) }
}

/** Cut between letters: the database takes no half of one. */
function shortText(text: string): string {
  return text.slice(0, TEXT_MAX).replace(/\p{Surrogate}$/u, '')
}

/** What the database stores, and pages show: without signs that control, and halves of letters. */
function plainText(cell: string): string {
  return cell
    .replace(/\p{Cc}|\p{Cf}|\p{Surrogate}/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
