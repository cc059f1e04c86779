// What the operator's routes share: their address, who acts, what they refuse, and what a view needs.
import type { FastifyRequest } from 'fastify'
import type { ErrorCode } from '../core/error.js'
import type { Callers } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import type { By } from '../payments/audit.js'
import type { Clock } from '../runtime/clock.js'
import type { ViewContext } from './views.js'

export const BASE = '/api/v1/operator'

const OPERATOR = { security: [{ operator: [] }], tags: ['operator'] }
const READ = ['invalid_operator_key', 'not_found', 'validation_failed', 'database_unavailable'] as const

/** What the schemas of all routes begin with: how it answers, and what it refuses. */
export function reads<Answer>(answer: Answer, ...refusals: readonly ErrorCode[]) {
  return { ...OPERATOR, response: { 200: answer, ...problemResponses(...READ, ...refusals) } }
}

/** Those that change something. */
export function acts<Answer>(answer: Answer, ...refusals: readonly ErrorCode[]) {
  return reads(answer, 'malformed_json', 'conflict', ...refusals)
}

export interface OperatorRouteDeps {
  /** Known by the name of their key. */
  readonly operators: Callers<string>
  readonly publicUrl: string
  readonly clock: Clock
}

export function actedBy({ operators }: OperatorRouteDeps, request: FastifyRequest, why?: string): By {
  return { operator: operators.of(request), reason: why ?? null }
}

export function viewedNow({ clock, publicUrl }: OperatorRouteDeps): ViewContext {
  return { now: clock.now(), publicUrl }
}
