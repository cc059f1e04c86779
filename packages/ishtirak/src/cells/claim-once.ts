// What may be used once in the whole shop: a reference of the desk, a line of a bank statement. The constraint
// of one database sees its own rows alone, so the cell that has the part of the name says who holds it: it is
// asked before the name is used, with no transaction open. The same holder may come again; where no use
// followed, others may after a while.
import { BillingError } from '../core/error.js'
import { MINUTE, toTimestamp } from '../core/instant.js'
import type { Database, Parameter, Row, Statement } from '../database/database.js'
import { rowOf, text } from '../database/rows.js'
import type { OtherCells } from '../database/whole-shop.js'
import { type Cells, partOf } from '../runtime/cells.js'
import type { Clock } from '../runtime/clock.js'
import { claimName, findHolder } from './claim-once.sql.js'

export interface ClaimDeps {
  readonly clock: Clock
  /** Null: this service has all users. */
  readonly cells: Cells | null
  readonly otherCells: OtherCells | null
  readonly ownDatabase: Database
}

export interface Claim {
  readonly kind: 'cash' | 'cheque' | 'bank_line'
  readonly name: string
  /** A user, or a cell. */
  readonly holder: string
}

/** Long beside a use, which is given up after seconds, and beside what clocks may differ. */
const CLAIM_MS = 10 * MINUTE
const RETRY_SECONDS = 5

const readHolder = rowOf({ holder: text })

/**
 * `requireUnused` throws where this other holder has used the name. Throws `busy` where they may be about to,
 * and `database_unavailable` with the cell that does not answer.
 */
export async function claimOnce(
  deps: ClaimDeps,
  claim: Claim,
  requireUnused: (holder: string) => Promise<void>,
): Promise<void> {
  if (!deps.cells) return
  const holder = await take(deps, claim, null)
  if (holder === claim.holder) return
  await requireUnused(holder)
  if ((await take(deps, claim, holder)) !== claim.holder)
    throw new BillingError('busy', { retryAfterSeconds: RETRY_SECONDS })
}

/** Null: nobody, or there are no cells. */
export async function holderOf(deps: ClaimDeps, { kind, name }: Omit<Claim, 'holder'>) {
  if (!deps.cells) return null
  const [row] = await askCellOf(deps, name, findHolder, [name, kind])
  return row ? readHolder(row).holder : null
}

/** Who holds it now. `instead`: whose claim is given up, if it is old. */
async function take(deps: ClaimDeps, { kind, name, holder }: Claim, instead: string | null) {
  const now = deps.clock.now()
  const times = [toTimestamp(now), instead, toTimestamp(now - CLAIM_MS)]
  const [row = {}] = await askCellOf(deps, name, claimName, [name, kind, holder, ...times])
  return readHolder(row).holder
}

/** The cell that has the part of `id`, which is a user or a name. */
export function askCellOf(
  deps: ClaimDeps,
  id: string,
  statement: Statement,
  parameters: readonly Parameter[],
): Promise<readonly Row[]> {
  return askCell(deps, deps.cells?.of(partOf(id)).name ?? '', statement, parameters)
}

export async function askCell(
  { cells, otherCells, ownDatabase }: ClaimDeps,
  cell: string,
  statement: Statement,
  parameters: readonly Parameter[],
): Promise<readonly Row[]> {
  if (cell === cells?.own.name) return ownDatabase.query(statement, parameters)
  const rows = await otherCells?.ask(cell, { name: statement.name, parameters })
  if (rows) return rows
  throw new BillingError('database_unavailable', { retryAfterSeconds: RETRY_SECONDS, extra: { cell } })
}
