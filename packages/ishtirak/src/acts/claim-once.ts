// What may be used once over all cells: a reference of the desk, the payment of a transfer. A constraint
// of one database sees its own rows alone, so the cell that has the part of the name says who holds it: it
// is asked before the name is used, with no transaction open. The same holder may come again; where no use
// followed, others may after a while.
import { BillingError, cellUnavailable } from '../core/error.js'
import { type Instant, MINUTE, toTimestamp } from '../core/instant.js'
import type { Database, Parameter, Row, Statement } from '../database/database.js'
import { rowOf, text } from '../database/rows.js'
import type { OtherCells } from '../database/whole-shop.js'
import { type LiveCells, otherCellOf, partOf } from '../runtime/cells.js'
import type { Clock } from '../runtime/clock.js'
import { claimName, findHolder } from './claim-once.sql.js'

export interface ClaimDeps {
  readonly clock: Clock
  /** Null: this service has all users. */
  readonly cells: LiveCells | null
  readonly otherCells: OtherCells | null
  readonly ownDatabase: Database
}

export interface Claim {
  readonly kind: 'cash' | 'cheque' | 'transfer'
  readonly name: string
  /** Who or what uses it, as text. */
  readonly holder: string
}

/** Long beside a use, which is given up after seconds, and beside what clocks may differ. */
export const CLAIM_MS = 10 * MINUTE
const RETRY_SECONDS = 5

const readHolder = rowOf({ holder: text })

/**
 * `requireUnused` throws where this other holder has used the name. Throws `busy` where they may be about to
 * use it, and `database_unavailable` with the cell that does not answer.
 */
export async function claimOnce(
  deps: ClaimDeps,
  claim: Claim,
  requireUnused: (holder: string) => Promise<void>,
): Promise<void> {
  if (!deps.cells) return
  const now = deps.clock.now()
  const old = now - CLAIM_MS
  const holder = await take(deps, claim, { now, instead: null, before: old })
  if (holder === claim.holder) return
  await requireUnused(holder)
  if ((await take(deps, claim, { now, instead: holder, before: old })) !== claim.holder)
    throw claimedByAnother()
}

/** It may be about to use it. */
export function claimedByAnother(): BillingError {
  return new BillingError('busy', { retryAfterSeconds: RETRY_SECONDS })
}

/** Null: it is free, or there are no cells. */
export async function holderOf(deps: ClaimDeps, { kind, name }: Omit<Claim, 'holder'>) {
  if (!deps.cells) return null
  const [row] = await askCellOf(deps, name, findHolder, [name, kind])
  return row ? readHolder(row).holder : null
}

/** Who holds it now. `instead`: whose claim is given up, if it was made before then. */
async function take(
  deps: ClaimDeps,
  { kind, name, holder }: Claim,
  of: { readonly now: Instant; readonly instead: string | null; readonly before: Instant },
) {
  const times = [toTimestamp(of.now), of.instead, toTimestamp(of.before)]
  const [row = {}] = await askCellOf(deps, name, claimName, [name, kind, holder, ...times])
  return readHolder(row).holder
}

/** The cell that has the part of `id`, which is a user or a name. */
export async function askCellOf(
  { cells, otherCells, ownDatabase }: ClaimDeps,
  id: string,
  statement: Statement,
  parameters: readonly Parameter[],
): Promise<readonly Row[]> {
  const cell = await otherCellOf(cells, partOf(id))
  if (cell === null) return ownDatabase.query(statement, parameters)
  const rows = await otherCells?.ask(cell, { name: statement.name, parameters })
  if (rows) return rows
  throw cellUnavailable(cell)
}
