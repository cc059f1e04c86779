// Comma-separated values as RFC 4180 writes them: CRLF, quotes where they are needed. Text that a spreadsheet would run as
// a formula (OWASP, CSV injection) is made text by an apostrophe in front: user ids are whatever a platform chose.

export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/**
 * Where a formula begins: at the start, or behind what a spreadsheet set to semicolons or tabs takes for the end of a cell.
 * Quotes, spaces and invisible characters before it do not count, and neither does the width of the sign itself.
 */
const FORMULA =
  /(^|[;\t\r\n])((?:[^\S\t\r\n]|["'\p{Cf}])*[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20])/gu

function csvCell(cell: string | number | null): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const harmless = cell.replace(FORMULA, "$1'$2")
  const text = /^[\t\r\n]/.test(harmless) ? `'${harmless}` : harmless
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
