// Asks another cell to do an act, or what it would change.
import { randomUUID } from 'node:crypto'
import type { ActElsewhere, ActsElsewhere } from '../acts/act-elsewhere.js'
import type { Preview } from '../acts/preview.js'
import { BillingError, cellUnavailable, type ErrorDetails, isErrorCode } from '../core/error.js'
import { askingCells, type CellCallsDeps } from './cell-calls.js'

export const ACTS_PATH = '/api/v1/cells/acts'

/** As it is sent. */
export type ActAsked = ActElsewhere & { readonly operationId: string; readonly isPreview: boolean }

/** What it answers; of an act that was done nothing. */
export type PreviewedThere = Pick<Preview, 'version' | 'changes'>

/** Why it was not done. */
export interface RefusedThere extends Omit<ErrorDetails, 'cause'> {
  readonly code: string
}

export function actsElsewhere(deps: CellCallsDeps): ActsElsewhere {
  const ask = askingCells(deps, ACTS_PATH)
  const answerOf = async (cell: string, asked: ActElsewhere, isPreview: boolean): Promise<unknown> => {
    const { operationId = randomUUID() } = asked
    const answer = await ask(cell, { ...asked, operationId, isPreview } satisfies ActAsked)
    if (!answer) throw cellUnavailable(cell)
    if (answer.status === 200) return answer.value
    const { code, extra, ...details } = answer.value as RefusedThere
    throw new BillingError(isErrorCode(code) ? code : 'conflict', { ...details, extra: { ...extra, cell } })
  }
  return {
    perform: async (cell, asked) => {
      await answerOf(cell, asked, false)
    },
    preview: async (cell, asked) => (await answerOf(cell, asked, true)) as PreviewedThere,
  }
}
