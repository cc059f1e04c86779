// References of the desk over several cells. The constraint of one database sees its own payments, so the
// cell that has the part of a reference says for whom it is: it is asked before a payment is recorded, with
// no transaction open. The same payer may come again; where no payment followed, others may after a while.
import { BillingError } from '../core/error.js'
import { MINUTE, toTimestamp } from '../core/instant.js'
import type { Database, Parameter, Row, Statement } from '../database/database.js'
import { rowOf, text } from '../database/rows.js'
import type { OtherCells } from '../database/whole-shop.js'
import { type Cells, partOf } from '../runtime/cells.js'
import type { Clock } from '../runtime/clock.js'
import { claimReference, findPayer, findTaken } from './references.sql.js'

export interface ReferenceDeps {
  readonly clock: Clock
  /** Null: this service has all users. */
  readonly cells: Cells | null
  readonly otherCells: OtherCells | null
  readonly ownDatabase: Database
}

interface Reference {
  readonly userId: string
  readonly method: string
  readonly reference: string
}

/** Long beside a recording, which is given up after seconds, and beside what clocks may differ. */
const CLAIM_MS = 10 * MINUTE
const RETRY_SECONDS = 5

const readPayer = rowOf({ payer: text })
const readPayment = rowOf({ id: text, status: text })

/**
 * Throws `conflict` with the payment that has this reference, `busy` where it may get one, and
 * `database_unavailable` with the cell that does not answer.
 */
export async function takeReference(deps: ReferenceDeps, of: Reference): Promise<void> {
  if (!deps.cells) return
  const payer = await claim(deps, of, null)
  if (payer === of.userId) return
  await requireUnused(deps, of, payer)
  if ((await claim(deps, of, payer)) !== of.userId)
    throw new BillingError('busy', { retryAfterSeconds: RETRY_SECONDS })
}

/** Throws as `takeReference` does, and takes nothing. */
export async function requireFreeReference(deps: ReferenceDeps, of: Reference): Promise<void> {
  if (!deps.cells) return
  const [row] = await askCell(deps, of.reference, findPayer, [of.reference, of.method])
  if (row) await requireUnused(deps, of, readPayer(row).payer)
}

export function referenceTaken({ id, status }: { readonly id: string; readonly status: string }) {
  return new BillingError('conflict', { extra: { payment_id: id, payment_status: status } })
}

/** For whom it is now. `instead`: whose claim is given up, if it is old. */
async function claim(deps: ReferenceDeps, of: Reference, instead: string | null): Promise<string> {
  const { userId, method, reference } = of
  const now = deps.clock.now()
  const times = [toTimestamp(now), instead, toTimestamp(now - CLAIM_MS)]
  const [row = {}] = await askCell(deps, reference, claimReference, [reference, method, userId, ...times])
  return readPayer(row).payer
}

async function requireUnused(deps: ReferenceDeps, of: Reference, payer: string): Promise<void> {
  const [row] = await askCell(deps, payer, findTaken, [payer, of.reference, of.method])
  if (row) throw referenceTaken(readPayment(row))
}

/** The cell that has the part of `of`. */
async function askCell(
  { cells, otherCells, ownDatabase }: ReferenceDeps,
  of: string,
  statement: Statement,
  parameters: readonly Parameter[],
): Promise<readonly Row[]> {
  const cell = cells?.of(partOf(of))
  if (!cell || cell === cells?.own) return ownDatabase.query(statement, parameters)
  const rows = await otherCells?.ask(cell.name, { name: statement.name, parameters })
  if (rows) return rows
  throw new BillingError('database_unavailable', {
    retryAfterSeconds: RETRY_SECONDS,
    extra: { cell: cell.name },
  })
}
