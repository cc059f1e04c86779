// A table as a person sends it: CSV in whatever encoding and with whatever delimiter a program wrote it.
import Papa from 'papaparse'
import { BillingError } from '../core/error.js'

export const ENCODINGS = ['utf-8', 'utf-16le', 'windows-1252', 'windows-1256'] as const
type Encoding = (typeof ENCODINGS)[number]
export const DELIMITERS = { semicolon: ';', comma: ',', tab: '\t', pipe: '|' } as const
export type DelimiterName = keyof typeof DELIMITERS

/** `reason`: what is wrong with it. `extra` says where. */
export function csvRefused(reason: string, extra: object = {}): BillingError {
  return new BillingError('file_not_accepted', { extra: { reason, ...extra } })
}

/** Throws `file_not_accepted`: it is empty, or no text. */
export function csvTextOf(file: Uint8Array, said?: Encoding) {
  const encoding = said ?? encodingOf(file)
  const text = new TextDecoder(encoding).decode(file).replace(/\r\n?/g, '\n')
  if (text.trim() === '') throw csvRefused('empty')
  // A table has none of the signs that control a machine.
  if (/(?![\t-\r])\p{Cc}/u.test(text)) throw csvRefused('binary')
  return { encoding, text }
}

/** Letters of Arabic beside each other: in Windows-1252 a text does not have them by chance. */
const ARABIC_WORD = /[\u0621-\u064a]{3}/

function encodingOf(file: Uint8Array): Encoding {
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

/**
 * Its rows as they were taken apart; by the delimiter that fits most rows, where none is said. Throws
 * `file_not_accepted`.
 */
export function tableIn(text: string, said?: DelimiterName) {
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
export function oddQuotesIn(text: string, said?: DelimiterName): BillingError | null {
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
  if (odd) throw csvRefused('quotes', { line: text.slice(0, odd.index).split('\n').length })
  // A cell in quotes may have line breaks.
  let line = 0
  const all = data.map((row) => {
    line += row.join('').split('\n').length
    return { row, line }
  })
  const filled = all.filter(({ row }) => row.length > 1 || row[0] !== '')
  return { rows: filled.map(({ row }) => row), lines: filled.map((one) => one.line) }
}
