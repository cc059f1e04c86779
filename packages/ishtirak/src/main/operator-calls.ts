// The acts of operators, called by a host: the same checks, trail and answers as over HTTP.
import type { TObject } from 'typebox'
import type { Act } from '../acts/act.js'
import { callBy, doAct, previewAct } from '../acts/act-routes.js'
import { BillingError } from '../core/error.js'
import { type Operator, operatorIn } from '../core/role.js'
import { checker } from '../http/checker.js'
import { toBillingError } from '../http/problem.js'
import { holdsUnstorableText } from '../http/request.js'
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
  const named = (name: string) => {
    const act = byName.get(name)
    if (!act) throw new BillingError('not_found', { extra: { act: name } })
    return act
  }
  return (as: Operator): OperatorCalls => {
    const operator = operatorIn(parts.operatorRoles, as.name, as.role) ?? { ...as, may: {} }
    /** An error that is no refusal, such as an unreachable database, is thrown as the API would answer it. */
    const answered = async (work: () => Promise<unknown>) => {
      try {
        return await work()
      } catch (error) {
        const refusal = toBillingError(error)
        await parts.recordRefusal(refusal, operator.name)
        throw refusal
      }
    }
    const call = (id: string, schema: TObject, given: object) => {
      const input = checker<object>(schema)(given)
      if (holdsUnstorableText([id, input])) throw new BillingError('invalid_request')
      return callBy(operator, id, input)
    }
    return {
      act: (name, id, request) =>
        answered(async () => {
          const act = named(name)
          return doAct(parts, act, call(id, act.body, request))
        }),
      preview: (name, id, asked = {}) =>
        answered(async () => {
          const act = named(name)
          return previewAct(parts, act, call(id, act.asked, asked))
        }),
    }
  }
}
