// The statement of a redeemed code for the user who redeemed it: the snapshot that was kept, printed in the
// language asked for.

import { BillingError } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { print, type ReceiptDeps } from '../receipts/receipt.js'
import { findStatement } from './redeem.sql.js'
import { renderStatement } from './render-statement.js'

export type StatementDeps = Pick<ReceiptDeps, 'database' | 'printer'>

/**
 * Throws `not_found`, also for another user's, `busy` when too many wait already, and `receipts_unavailable`.
 */
export async function printStatement(
  { database, printer }: StatementDeps,
  of: { readonly userId: string; readonly redemptionId: string; readonly locale: Locale },
): Promise<Uint8Array> {
  const snapshot = await findStatement(database, of.userId, of.redemptionId)
  if (!snapshot) throw new BillingError('not_found')
  const pdf = await print(printer, (typesetter) => renderStatement(typesetter, snapshot, of.locale))
  if (pdf === null) throw new BillingError('receipts_unavailable')
  return pdf
}
