// An act on what another cell has, as part of an act of this one: it is asked for in the name of the operator
// who asked for the whole. Their role is asked there again, and that cell's trail has the act.
import type { Operator } from '../core/role.js'
import { type Cells, partOfPayment } from '../runtime/cells.js'
import { otherCellOf } from './claim-once.js'
import type { Preview } from './preview.js'
import type { Subject } from './subject.js'

export interface ActElsewhere {
  /** Its name; it is on one payment, user or event. */
  readonly act: string
  readonly id: string
  readonly input: object
  readonly operator: Operator
  readonly reason: string | null
  /** Names this sending, over all cells. */
  readonly operationId?: string | undefined
}

/**
 * Both throw what the act throws; and `database_unavailable` with the cell where that does not answer:
 * whether the act was done is not known then.
 */
export interface ActsElsewhere {
  perform(cell: string, asked: ActElsewhere): Promise<void>
  preview(cell: string, asked: ActElsewhere): Promise<Pick<Preview, 'version' | 'changes'>>
}

/** Of one that acts are on: which cells may have it, in the order in which they are asked. Null: this one. */
export function cellsOfSubject(cells: Cells | null, on: Subject, id: string): readonly (string | null)[] {
  if (!cells) return [null]
  if (on.isUser) return [otherCellOf(cells, id)]
  const part = partOfPayment(id)
  const others = cells.all.filter((cell) => cell !== cells.own).map(({ name }) => name)
  if (part === null) return [null, ...others]
  const { name } = cells.of(part)
  return [name === cells.own.name ? null : name]
}
