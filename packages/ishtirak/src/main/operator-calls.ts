// The acts of operators, called by a host: the same checks, trail and answers as over HTTP.
import type { TObject } from 'typebox'
import type { Act } from '../acts/act.js'
import { callBy, doAct, previewAct } from '../acts/act-routes.js'
import { BillingError } from '../core/error.js'
import { type Operator, operatorIn } from '../core/role.js'
import { toBillingError } from '../http/problem.js'
import { holdsUnstorableText } from '../http/request.js'
import { checker } from '../http/schemas.js'
import type { Parts } from './wire.js'

/** One operator makes these calls, and the audit trail names them. */
export interface OperatorCalls {
  /**
   * `act('payment.refund', 'pay_…', { why })`: by the name of the act in the audit trail; `id` is empty where
   * it is on nothing. Answers what the API answers. Throws `BillingError` with the code that it would answer.
   */
  act(name: string, id: string, request: object): Promise<unknown>
  /** The changes that the act would make now. Nothing is changed. */
  preview(name: string, id: string, asked?: object): Promise<unknown>
}

export function createOperatorCalls(parts: Parts, acts: readonly Act<Parts>[]) {
  const byName = new Map<string, Act<Parts>>(acts.map((act) => [act.name, act]))
  return (as: Operator): OperatorCalls => {
    const operator = operatorIn(parts.operatorRoles, as.name, as.role) ?? { ...as, may: {} }
    const call = async (name: string, run: (act: Act<Parts>) => Promise<unknown>): Promise<unknown> => {
      try {
        const act = byName.get(name)
        if (!act) throw new BillingError('not_found', { extra: { act: name } })
        return await run(act)
      } catch (error) {
        // An error that is no refusal, such as an unreachable database, is thrown as the API would answer it.
        const refusal = toBillingError(error)
        await parts.recordRefusal(refusal, operator.name)
        throw refusal
      }
    }
    const callOn = (id: string, schema: TObject, given: object) => {
      const input = checker<object>(schema)(given)
      if (holdsUnstorableText([id, input])) throw new BillingError('invalid_request')
      return callBy(operator, id, input)
    }
    return {
      act: (name, id, request) =>
        call(name, (act) => doAct(parts, act, callOn(id, act.requestBody, request))),
      preview: (name, id, asked = {}) =>
        call(name, (act) => previewAct(parts, act, callOn(id, act.previewInput, asked))),
    }
  }
}
