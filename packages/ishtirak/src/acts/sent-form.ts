// What the form of an act carries: who sends it, its name, and the version that was shown.
import type { FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import type { ConsolePages } from '../pages/console-frame.js'
import { fieldOf } from '../pages/reader.js'
import type { By } from './audit.sql.js'
import { isReason } from './reason.js'

/** Throws `validation_failed` where the form carries what no page of ours gave it. */
export function byOf(
  { operatorsHere }: Pick<ConsolePages, 'operatorsHere'>,
  request: FastifyRequest,
  isReasonRequired: boolean,
): By {
  const { operator } = operatorsHere.of(request)
  const reason = fieldOf(request, 'why').trim()
  const operationId = fieldOf(request, 'operation_id')
  const version = fieldOf(request, 'version')
  const problems = [
    ...(reason === '' && isReasonRequired ? [{ pointer: '/why', code: 'required' as const }] : []),
    ...(reason === '' || isReason(reason) ? [] : [{ pointer: '/why', code: 'invalid' as const }]),
    ...(/^[\w-]{22}$/.test(operationId) ? [] : [{ pointer: '/operation_id', code: 'invalid' as const }]),
    ...(/^\d{1,15}$/.test(version) ? [] : [{ pointer: '/version', code: 'invalid' as const }]),
  ]
  if (problems.length > 0) throw new BillingError('validation_failed', { problems })
  return { operator, reason: reason || null, operationId, seenVersion: Number(version) }
}

/** Every field that was sent, as it was typed; the first of one that was sent twice, as `fieldOf` has it. */
export function typedIn({ body }: FastifyRequest): Readonly<Record<string, string>> {
  return body instanceof URLSearchParams ? Object.fromEntries([...body].reverse()) : {}
}
