// Comma-separated values as RFC 4180 writes them: CRLF, quotes where they are needed. Text that a spreadsheet would run as
// a formula (OWASP, CSV injection) is made text by an apostrophe in front: user ids are whatever a platform chose.

export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: string | number | null): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
