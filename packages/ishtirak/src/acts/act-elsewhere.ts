// An act on what another cell has, as part of an act of this one: it is asked for in the name of the operator
// who asked for the whole. Their role is asked there again, and that cell's trail has the act.
import { type LiveCells, otherCellOf, othersThan, partOf, partOfPayment } from '../runtime/cells.js'
import type { Act, Call } from './act.js'
import type { Preview } from './preview.js'
import type { Subject } from './subject.js'

export type PreviewElsewhere = Pick<Preview, 'version' | 'changes'>

/**
 * Of acts on one payment, user or event. `call`: as it would be done here; its operation names this
 * sending over all cells. Both throw what the act throws; and `database_unavailable` with the cell where that
 * does not answer: whether the act was done is not known then. `limitMs`: how long it is waited for.
 */
export interface ActsElsewhere {
  perform(cell: string, act: Pick<Act, 'name'>, call: Call<object>, limitMs?: number): Promise<void>
  preview(cell: string, act: Pick<Act, 'name'>, call: Call<object>): Promise<PreviewElsewhere>
}

/**
 * Of one that acts are on: which cells may have it, in the order in which they are asked. Null: this one.
 * Throws `busy` while its user is on their way.
 */
export async function cellsOfSubject(
  cells: LiveCells | null,
  on: Subject,
  id: string,
): Promise<readonly (string | null)[]> {
  if (!cells) return [null]
  const part = partOfSubject(on, id)
  if (part !== null) return [await otherCellOf(cells, part)]
  return [null, ...othersThan(cells).map(({ name }) => name)]
}

/** By its id; null: that does not tell, as of an event. */
export function partOfSubject({ isUser, params }: Subject, id: string): number | null {
  if (isUser) return partOf(id)
  return 'payment_id' in params.properties ? partOfPayment(id) : null
}
