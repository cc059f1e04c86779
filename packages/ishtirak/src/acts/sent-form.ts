// What the form of an act carries, and that it is acted on once.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError, type ValidationProblem, wrongField } from '../core/error.js'
import { readTypedAmount } from '../core/typed-amount.js'
import type { ConsolePages } from '../pages/console-frame.js'
import { fieldOf } from '../pages/reader.js'
import type { By } from './audit.sql.js'
import { isReason } from './reason.js'

/** Who sends a form of `actPage`, and what it names. */
export type FormBy = By & { readonly operationId: string }

/** Throws `forbidden`, or `validation_failed` where the form carries what no page of ours gave it. */
export function byOf(
  { operatorsHere, reader }: ConsolePages,
  request: FastifyRequest,
  /** `isShown`: it was shown on a page what changes, by this version. */
  { isReasonRequired, isShown }: { readonly isReasonRequired: boolean; readonly isShown: boolean },
): FormBy {
  const session = operatorsHere.of(request)
  reader.requireOwnForm(request, session)
  const reason = fieldOf(request, 'why').trim()
  const operationId = fieldOf(request, 'operation_id')
  const version = fieldOf(request, 'version')
  const problems = [
    ...(reason === '' && isReasonRequired ? [{ pointer: '/why', code: 'required' as const }] : []),
    ...(reason === '' || isReason(reason) ? [] : [{ pointer: '/why', code: 'invalid' as const }]),
    ...(/^[\w-]{22}$/.test(operationId) ? [] : [{ pointer: '/operation_id', code: 'invalid' as const }]),
    ...(!isShown || /^\d{1,15}$/.test(version) ? [] : [{ pointer: '/version', code: 'invalid' as const }]),
  ]
  if (problems.length > 0) throw new BillingError('validation_failed', { problems })
  const by = { operator: session.operator, reason: reason || null, operationId }
  return isShown ? { ...by, seenVersion: Number(version) } : by
}

/** Every field that was sent, as it was typed; the first of one that was sent twice, as `fieldOf` has it. */
export function typedIn({ body }: FastifyRequest): Readonly<Record<string, string>> {
  return body instanceof URLSearchParams ? Object.fromEntries([...body].reverse()) : {}
}

/** False: a field that decides what follows is another one than when that was shown. */
export function isAsShown(request: FastifyRequest): boolean {
  const shown = [...new URLSearchParams(fieldOf(request, 'shown'))]
  return shown.length > 0 && shown.every(([name, value]) => fieldOf(request, name) === value)
}

/** Whole dinars from 1 on, typed as `readTypedAmount` has it. Throws `validation_failed`. */
export function amountIn(field: string, typed: string, most: number): number {
  if (typed.trim() === '') throw wrongField(field, 'required')
  const amount = readTypedAmount(typed)
  if (amount.kind !== 'dinars') throw wrongField(field, 'wrong_format')
  if (amount.dinars < 1) throw wrongField(field, 'too_small', 1)
  if (amount.dinars > most) throw wrongField(field, 'too_large', most)
  return amount.dinars
}

/** `again` shows the form once more, with what is wrong in what was typed (nothing: it is new). */
export async function orAgain(
  act: () => Promise<FastifyReply>,
  again: (problems: readonly ValidationProblem[]) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof BillingError) || error.code !== 'validation_failed') throw error
    const isOurs = error.problems.every(({ pointer }) => !['/operation_id', '/version'].includes(pointer))
    if (!isOurs) throw error
    return again(error.problems)
  }
}

export function refusalOrThrow(error: unknown): BillingError {
  if (error instanceof BillingError) return error
  throw error
}

export function isOvertaken({ code }: BillingError): boolean {
  return ['conflict', 'already_refunded', 'already_revoked', 'not_found'].includes(code)
}
