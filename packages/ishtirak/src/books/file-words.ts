// The words of the accountant's files: codes, or French for a spreadsheet that is set to it.
import { type CsvForm, EXCEL, PLAIN } from '../acts/csv.js'
import { kindOf } from '../core/payment.js'
import { consoleSay } from '../i18n/console.js'
import { instrumentName } from '../i18n/messages.js'

export type FileFormat = 'plain' | 'excel'
export const FORMS: Readonly<Record<FileFormat, CsvForm>> = { plain: PLAIN, excel: EXCEL }

export interface FileWords<Kind extends string> {
  readonly headings: readonly string[]
  kind(kind: Kind): string
  method(method: string): string
  /** Null: it is not known. */
  instrument(instrument: string): string | null
  status(status: 'paid' | 'refunded'): string
}

/** `columns` and `kinds`: in French, by their names. */
export function fileWords<Kind extends string>(
  format: FileFormat,
  columns: Readonly<Record<string, readonly [french: string, ...rest: unknown[]]>>,
  kinds: Readonly<Record<Kind, string>>,
): FileWords<Kind> {
  if (format === 'plain')
    return {
      headings: ['kind', ...Object.keys(columns)],
      kind: (kind) => kind,
      method: (method) => method,
      instrument: (instrument) => instrument || null,
      status: (status) => status,
    }
  return {
    headings: ['type', ...Object.values(columns).map(([french]) => french)],
    kind: (kind) => kinds[kind],
    method: (method) => consoleSay('fr')(`way_${kindOf(method)}`),
    instrument: (instrument) => (instrument === '' ? null : instrumentName(instrument, 'fr')),
    status: (status) => consoleSay('fr')(`status_${status}`),
  }
}
