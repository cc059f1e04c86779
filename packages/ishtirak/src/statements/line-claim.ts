// Lines of bank statements over several cells: each cell reads the same file in, for its own users, and a line
// pays payments of one of them.
import { askCell, type ClaimDeps, claimOnce } from '../cells/claim-once.js'
import { BillingError } from '../core/error.js'
import { partOfReference } from '../core/reference.js'
import { flag, rowOf } from '../database/rows.js'
import type { Cells } from '../runtime/cells.js'
import { type StoredLine, selectPaysAny } from './bank-statements.sql.js'

const readPays = rowOf({ pays: flag })

/**
 * Before a payment of this cell is approved by the line. Throws `conflict` with the cell where it pays another,
 * `busy` where it may be about to, and `database_unavailable` with the cell that does not answer.
 */
export function claimLine(deps: ClaimDeps, lineId: string): Promise<void> {
  const holder = deps.cells?.own.name ?? ''
  return claimOnce(deps, { kind: 'bank_line', name: lineId, holder }, async (cell) => {
    const [row] = await askCell(deps, cell, selectPaysAny, [lineId])
    if (row && readPays(row).pays) throw new BillingError('conflict', { extra: { line_id: lineId, cell } })
  })
}

/** The other cell whose user's reference the line has; null: it has none, or one of this cell too. */
export function cellMeant(
  cells: Cells | null,
  { references }: Pick<StoredLine, 'references'>,
): string | null {
  if (!cells) return null
  const [first, ...others] = new Set(references.map((one) => cells.of(partOfReference(one))))
  return first && first !== cells.own && others.length === 0 ? first.name : null
}
