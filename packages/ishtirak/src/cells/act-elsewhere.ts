// Asks another cell to do an act.
import { randomUUID } from 'node:crypto'
import type { ActAtCell, ActElsewhere } from '../acts/act-elsewhere.js'
import { BillingError, cellUnavailable, type ErrorDetails, isErrorCode } from '../core/error.js'
import { askingCells, type CellCallsDeps } from './cell-calls.js'

export const ACTS_PATH = '/api/v1/cells/acts'

/** As it is sent. */
export type ActAsked = ActElsewhere & { readonly operationId: string }

/** Why it was not done. */
export interface RefusedThere extends Omit<ErrorDetails, 'cause'> {
  readonly code: string
}

export function actingElsewhere(deps: CellCallsDeps): ActAtCell {
  const ask = askingCells(deps, ACTS_PATH)
  return async (cell, { operationId = randomUUID(), ...asked }) => {
    const answer = await ask(cell, { ...asked, operationId } satisfies ActAsked)
    if (answer?.status === 200) return
    if (!answer) throw cellUnavailable(cell)
    const { code, extra, ...details } = answer.value as RefusedThere
    throw new BillingError(isErrorCode(code) ? code : 'conflict', { ...details, extra: { ...extra, cell } })
  }
}
