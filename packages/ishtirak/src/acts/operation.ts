// How an operation of the operator's API is described: one that reads, one that acts, and the files that some
// answer with.
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import { PROOF_TYPES } from '../core/transfer.js'
import { problemResponses } from '../http/problem.js'

export const READ = [
  'invalid_operator_key',
  'not_found',
  'validation_failed',
  'database_unavailable',
] as const
export const OPERATOR_API = '/api/v1/operator'

/** To some roles, as `core/role.ts` says. */
export const LIMITED = ['role_not_allowed'] as const
export const ASKED = ['provider_rejected', 'provider_unavailable'] as const

/**
 * The path below `BASE`, a sentence for readers, what is asked and answered, and the refusals beside those of
 * all.
 */
function reads<Schema extends object, Answer>(
  path: string,
  summary: string,
  schema: Schema,
  answer: Answer,
  refusals: readonly ErrorCode[] = [],
) {
  const response = { 200: answer, ...problemResponses(...READ, ...refusals) }
  const described = { summary, security: [{ operator: [] }], tags: ['operator'], response }
  return { method: 'GET' as const, path, schema: { ...described, ...schema } }
}

/** Of those that change something. */
export function acts<Schema extends object, Answer>(
  path: string,
  summary: string,
  schema: Schema,
  answer: Answer,
  refusals: readonly ErrorCode[] = [],
) {
  const refused = ['malformed_json', 'conflict', ...LIMITED, ...refusals] as const
  return { ...reads(path, summary, schema, answer, refused), method: 'POST' as const }
}

/** A text to the reader, a stream to the route. */
const FILE = Type.Unsafe<Readable>({ type: 'string' })
const BINARY_FILE = Type.Unsafe<Readable>({ type: 'string', format: 'binary' })
export const CSV = { description: 'RFC 4180, UTF-8', content: { 'text/csv': { schema: FILE } } }
export const GZIP = {
  description: 'gzip; personal data',
  content: { 'application/gzip': { schema: BINARY_FILE } },
}
export const PROOF = {
  description: 'The file, as an attachment; each reading is in the audit trail',
  content: Object.fromEntries(PROOF_TYPES.map((type) => [type, { schema: BINARY_FILE }])),
}
