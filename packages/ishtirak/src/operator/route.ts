// What the operator's routes share: their address, who acts, what they refuse, and what a view needs.
import type { FastifyRequest } from 'fastify'
import type { Callers } from '../http/callers.js'
import type { By } from '../payments/audit.js'
import type { Clock } from '../runtime/clock.js'
import type { ViewContext } from './views.js'

export const BASE = '/api/v1/operator'
export const OPERATOR = { security: [{ operator: [] }], tags: ['operator'] }
export const READ = [
  'invalid_operator_key',
  'not_found',
  'validation_failed',
  'database_unavailable',
] as const
export const ACT = [...READ, 'malformed_json', 'conflict'] as const

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
