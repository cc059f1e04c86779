// The files for the accountant: who may download them, their entry in the audit trail, and their lines. The
// plain form has the codes of the API, the form for Excel has French words.
import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import { CSV, CSV_TYPE, type CsvCell, csvLine, EXCEL, PLAIN, sendFile } from '../acts/files.js'
import { allPages } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import { publicMethodOf } from '../core/payment.js'
import type { Permission } from '../core/role.js'
import { consoleSay, instrumentName } from '../i18n/messages.js'
import { addressOf, type ConsolePages, withQuery } from '../pages/console-frame.js'
import { addFigures, type Figures, NO_FIGURES } from './figures.js'
import type { ClosedSpan } from './figures.sql.js'
import { type Line, type LinesFilter, linesOf } from './lines.sql.js'
import { BookFileQuerySchema } from './month-schemas.js'
import type { MonthsDeps } from './months.js'

export type AccountsDeps = MonthsDeps & AuditDeps
export type BooksPages = ConsolePages & AccountsDeps

export const EXPORT = { name: 'payments.export', roles: ['accountant'] } as const satisfies Permission

export type FileFormat = 'plain' | 'excel'
type FileName = 'accounts' | 'sales'

/** A file about one month. `open` yields it in pieces as it is read. */
export function exported(
  file: FileName,
  summary: string,
  open: (deps: AccountsDeps, month: string, format: FileFormat) => Promise<AsyncIterable<string>>,
) {
  return reading<AccountsDeps>()({
    ...EXPORT,
    ...{ path: `/exports/${file}`, summary, query: BookFileQuerySchema, answer: CSV },
    operationId: `export${file.charAt(0).toUpperCase()}${file.slice(1)}`,
    command: { usage: `export ${file}`, isFile: 'printed' },
    linkedOn: ({ query }) => addressOf('', 'months', query.month),
    read: async (deps, { query, operator, reply }) => {
      const { month, format = 'plain' } = query
      const content = await open(deps, month, format)
      await recordAct(deps, { operator, act: EXPORT.name, reason: null }, { after: { month, file } })
      const name = `${file}-${month}${format === 'excel' ? '-excel' : ''}.csv`
      return sendFile(reply, { type: CSV_TYPE, name, content })
    },
  })
}

export const fileAddress = (base: string, file: FileName, month: string, format: FileFormat) =>
  withQuery(addressOf(base, `exports/${file}`), { format, month })

/** `columns` and `kinds`: French words by code. Spreadsheets count columns, so new ones go to the end. */
export function bookLines<Kind extends string>(
  format: FileFormat,
  columns: Readonly<Record<string, string>>,
  kinds: Readonly<Record<Kind, string>>,
) {
  const [isPlain, names] = [format === 'plain', Object.keys(columns)]
  const form = isPlain ? PLAIN : EXCEL
  const french = consoleSay('fr')
  return {
    heads: form.mark + csvLine(isPlain ? ['kind', ...names] : ['type', ...Object.values(columns)], form),
    /** `cells`: values by column; other members are ignored. */
    line: (kind: Kind, cells: object) => {
      const known: Readonly<Record<string, CsvCell | undefined>> = { ...cells }
      return csvLine([isPlain ? kind : kinds[kind], ...names.map((name) => known[name] ?? null)], form)
    },
    method: (method: string) => (isPlain ? method : french(`method_${publicMethodOf(method)}`)),
    instrument: (name: string | null) => (isPlain || name === null ? name : instrumentName(name, 'fr')),
    status: (status: 'paid' | 'refunded') => (isPlain ? status : french(`status_${status}`)),
  }
}

/** Yields the lines page by page, and returns their sum. */
export async function* writtenLines(
  { database }: Pick<MonthsDeps, 'database'>,
  of: ClosedSpan & { readonly filter: LinesFilter },
  write: (line: Line) => string,
): AsyncGenerator<string, Figures> {
  let total = NO_FIGURES
  for await (const page of allPages<Line>((last, limit) => linesOf(database, of, last, limit))) {
    yield page.map(write).join('')
    total = page.reduce(addFigures, total)
  }
  return total
}
