// Addresses and refusals that the routes of several folders share, and files as answers: their schemas, the
// lines of CSV, and how they are sent.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { FileAnswer, SentFile } from './user-call.js'

export const READ_REFUSALS = [
  'invalid_operator_key',
  'not_found',
  'validation_failed',
  'database_unavailable',
] as const
export const OPERATOR_API = '/api/v1/operator'
export const PLATFORM_API = '/api/v1/platform'

export const ROLE_REFUSALS = ['role_not_allowed'] as const
export const PROVIDER_REFUSALS = ['provider_rejected', 'provider_unavailable'] as const

/** The document says text; the route gives a stream. */
const FILE = Type.Unsafe<Readable>({ type: 'string' })
export const BINARY_FILE = Type.Unsafe<Readable>({ type: 'string', format: 'binary' })
export const CSV = { description: 'RFC 4180, UTF-8', content: { 'text/csv': { schema: FILE } } }
export const GZIP = {
  description: 'gzip; personal data',
  content: { 'application/gzip': { schema: BINARY_FILE } },
}
const USER_FILES = {
  'application/pdf': Type.String({ format: 'binary' }),
  'text/csv': Type.String(),
}

export const fileSchema = ({ file, description }: FileAnswer) => ({
  description,
  content: { [file]: { schema: USER_FILES[file] } },
})

/** A browser that shows the file despite `attachment` runs nothing in it. */
const SANDBOX = "default-src 'none'; sandbox"
/** Browsers do not show a PDF in a sandbox. A script in a PDF cannot reach the page around it. */
const PDF_IN_A_PAGE = "frame-ancestors 'self'"

export const CSV_TYPE = 'text/csv; charset=utf-8'

export function sendFile(
  reply: FastifyReply,
  file: {
    readonly type: string
    readonly name: string
    readonly content: AsyncIterable<string | Uint8Array>
    /** A page of the console shows it. */
    readonly isShown?: boolean
  },
): FastifyReply {
  const { type, name, content, isShown = false } = file
  return reply
    .type(type)
    .headers({
      'content-security-policy': isShown && type === 'application/pdf' ? PDF_IN_A_PAGE : SANDBOX,
      'content-disposition': `${isShown ? 'inline' : 'attachment'}; filename="${name}"`,
      'cache-control': 'no-store',
    })
    .send(Readable.from(content))
}

/** Sends a user their file: the browser shows a PDF and saves a table. */
export function sendUserFile(
  reply: FastifyReply,
  type: 'application/pdf' | 'text/csv',
  { name, content, headers }: SentFile,
): FastifyReply {
  const isShown = type === 'application/pdf'
  return reply
    .type(isShown ? type : CSV_TYPE)
    .headers({
      ...headers,
      'content-disposition': `${isShown ? 'inline' : 'attachment'}; filename="${name}"`,
      'cache-control': 'private, no-store',
    })
    .send(Buffer.from(content))
}

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
