// A bank statement as a bank hands it out, read: its encoding, its table, and each line with money in. What
// cannot be read is refused with its line; a file is read wholly or not at all.
import { csvRefused, csvTextOf, oddQuotesIn, tableIn } from '../acts/csv-file.js'
import type { BillingError } from '../core/error.js'
import type { SaidForm } from '../transfers/bank-form-schema.js'
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

type Reason = 'no_days' | 'no_amounts' | 'day' | 'amount' | 'form_unclear' | 'no_column'

const refused = (reason: Reason, extra?: object) => csvRefused(reason, extra)

/** Throws `file_not_accepted`, with a reason and the line of the file, or what is unclear. */
export function readBankFile(file: Uint8Array, said: SaidForm): ReadFile {
  const { encoding, text } = csvTextOf(file, said.encoding)
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
