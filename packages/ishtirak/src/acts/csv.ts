// Writes lines of CSV for spreadsheets. No cell can run as a formula.

export type CsvCell = string | number | null

export interface CsvForm {
  readonly separator: ',' | ';'
  readonly decimalSign: '.' | ','
  /** The first characters of the file. */
  readonly mark: string
}

export const PLAIN: CsvForm = { separator: ',', decimalSign: '.', mark: '' }
/** The form that a French spreadsheet opens. Without the mark it would read UTF-8 as Windows-1252. */
export const EXCEL: CsvForm = { separator: ';', decimalSign: ',', mark: '\ufeff' }

/**
 * RFC 4180: CRLF, quotes where they are needed. Text that a spreadsheet would run as a formula (OWASP, CSV
 * injection) is made text by an apostrophe in front: user ids are whatever a platform chose.
 */
export function csvLine(cells: readonly CsvCell[], form: CsvForm = PLAIN): string {
  return `${cells.map((cell) => csvCell(cell, form)).join(form.separator)}\r\n`
}

/**
 * Finds the places where a formula can begin: the start of the text, and the place after a semicolon, tab or
 * line break, which some spreadsheets take for the end of a cell. Quotes, spaces and invisible characters
 * before the sign are ignored. Wide and small forms of the sign count too.
 */
const FORMULA =
  /(^|[;\t\r\n])((?:[^\S\t\r\n]|["'\p{Cf}])*[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20])/gu

function csvCell(cell: CsvCell, { decimalSign }: CsvForm): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell).replace('.', decimalSign)
  const harmless = cell.replace(FORMULA, "$1'$2")
  const text = /^[\t\r\n]/.test(harmless) ? `'${harmless}` : harmless
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
