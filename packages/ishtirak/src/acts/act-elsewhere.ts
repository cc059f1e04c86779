// An act that is part of another one, where another cell has its target: it is asked for in the name of the
// operator who asked for the whole. Their role is asked there again, and that cell's trail has the act.
import type { Operator } from '../core/role.js'

export interface ActElsewhere {
  /** Its name; it is declared `fromOtherCells`. */
  readonly act: string
  readonly id: string
  readonly input: object
  readonly operator: Operator
  readonly reason: string | null
  /** Names this sending, over all cells. */
  readonly operationId?: string | undefined
}

/**
 * Throws what the act throws; and `database_unavailable` with the cell where that does not answer: whether
 * the act was done is not known then.
 */
export type ActAtCell = (cell: string, asked: ActElsewhere) => Promise<void>
