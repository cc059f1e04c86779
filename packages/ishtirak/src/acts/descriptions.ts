// Parts that the descriptions of the operator's API share: addresses, error codes, and files as answers.
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { FileAnswer } from './user-call.js'

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
