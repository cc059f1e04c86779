// References of the desk over several cells, where the constraint of a database sees its own payments alone.
import { askCellOf, type ClaimDeps, claimOnce, holderOf } from '../acts/claim-once.js'
import { BillingError } from '../core/error.js'
import { rowOf, text } from '../database/rows.js'
import { findTaken } from './references.sql.js'

interface Reference {
  readonly userId: string
  readonly method: 'cash' | 'cheque'
  readonly reference: string
}

const readPayment = rowOf({ id: text, status: text })

/**
 * Throws `conflict` with the payment that has this reference, `busy` where it may get one, and
 * `database_unavailable` with the cell that does not answer.
 */
export function takeReference(deps: ClaimDeps, of: Reference): Promise<void> {
  const { userId: holder, method: kind, reference: name } = of
  return claimOnce(deps, { kind, name, holder }, (payer) => requireUnused(deps, of, payer))
}

/** Throws as `takeReference` does, and takes nothing. */
export async function requireFreeReference(deps: ClaimDeps, of: Reference): Promise<void> {
  const payer = await holderOf(deps, { kind: of.method, name: of.reference })
  if (payer !== null) await requireUnused(deps, of, payer)
}

export function referenceTaken({ id, status }: { readonly id: string; readonly status: string }) {
  return new BillingError('conflict', { extra: { payment_id: id, payment_status: status } })
}

async function requireUnused(
  deps: ClaimDeps,
  { reference, method }: Reference,
  payer: string,
): Promise<void> {
  const [row] = await askCellOf(deps, payer, findTaken, [payer, reference, method])
  if (row) throw referenceTaken(readPayment(row))
}
