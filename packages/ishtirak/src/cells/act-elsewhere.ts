// Asks another cell to do an act, or what it would change.
import { randomUUID } from 'node:crypto'
import type { Act, Call } from '../acts/act.js'
import type { ActsElsewhere, PreviewElsewhere } from '../acts/act-elsewhere.js'
import {
  BillingError,
  cellUnavailable,
  type ErrorDetails,
  isErrorCode,
  userOnTheirWay,
} from '../core/error.js'
import type { Operator } from '../core/role.js'
import { askingCells, type CellCallsDeps } from './cell-calls.js'

export const ACTS_PATH = '/api/v1/cells/acts'

/** As it is sent. */
export interface ActAsked {
  readonly act: string
  readonly id: string
  readonly input: object
  readonly operator: Operator
  readonly reason: string | null
  readonly operationId: string
  readonly isPreview: boolean
}

/** Why it was not done. */
export interface RefusedThere extends Omit<ErrorDetails, 'cause'> {
  readonly code: string
}

export function actsElsewhere(deps: CellCallsDeps): ActsElsewhere {
  const ask = askingCells(deps, ACTS_PATH)
  const answerOf = async (
    cell: string,
    { name: act }: Pick<Act, 'name'>,
    { id, input, by }: Call<object>,
    { isPreview, limitMs }: { isPreview: boolean; limitMs?: number | undefined },
  ): Promise<unknown> => {
    const { operator, reason, operationId = randomUUID() } = by
    const asked: ActAsked = { act, id, input, operator, reason, operationId, isPreview }
    const answer = await ask(cell, asked, limitMs)
    if (!answer) throw cellUnavailable(cell)
    if (answer.status === 200) return answer.value
    const { code, extra, ...details } = answer.value as RefusedThere
    // The two differ about whose the user is for as long as they move.
    if (code === 'wrong_cell') throw userOnTheirWay()
    throw new BillingError(isErrorCode(code) ? code : 'conflict', { ...details, extra: { ...extra, cell } })
  }
  return {
    perform: async (cell, act, call, limitMs) => {
      await answerOf(cell, act, call, { isPreview: false, limitMs })
    },
    preview: async (cell, act, call) =>
      (await answerOf(cell, act, call, { isPreview: true })) as PreviewElsewhere,
  }
}
