// A line of a bank statement whose payments may be in other cells. The statement that approves a payment
// writes beside it which line pays it, where both are in one database; between two the line is claimed
// first, so that whatever ends in the middle, it pays nothing else.
import type { Call } from '../acts/act.js'
import type { ActsElsewhere } from '../acts/act-elsewhere.js'
import { type ClaimDeps, claimOnce } from '../acts/claim-once.js'
import type { PayableTransfer } from '../core/bank-match.js'
import { BillingError } from '../core/error.js'
import type { PayingLine } from '../core/transfer.js'
import type { Database } from '../database/database.js'
import { approve as approvePayment } from '../transfers/decide.js'
import { isApproved, mayPay, sayPays } from './bank-matches.sql.js'

export type LineDeps = ClaimDeps & {
  readonly database: Database
  readonly actsElsewhere: ActsElsewhere | null
}

type Paid = Pick<PayableTransfer, 'userId' | 'paymentId'>

/**
 * For one payment of all that one confirmation says it pays: the line pays nothing else, and no other line
 * this payment. Throws `conflict` where that is so already, `busy` where it may be about to be, and
 * `database_unavailable` with the cell that does not answer.
 */
export async function claimLine(
  deps: LineDeps,
  lineId: string,
  paid: Paid,
  payments: readonly Paid[],
): Promise<void> {
  await claimForPayments(deps, lineId, payments)
  const { paymentId: name } = paid
  await claimOnce(deps, { kind: 'transfer', name, holder: lineId }, async (other) => {
    if (await isApproved(deps, paid)) throw new BillingError('conflict', { extra: { line_id: other } })
    return false
  })
}

function claimForPayments(deps: LineDeps, lineId: string, payments: readonly Paid[]): Promise<void> {
  const holder = inPairs(payments)
  return claimOnce(deps, { kind: 'bank_line', name: lineId, holder }, async (other) => {
    const theirs = paymentsOf(other)
    if (theirs.every((one) => payments.some(({ paymentId }) => paymentId === one.paymentId))) return true
    for (const one of theirs)
      if (await isApproved(deps, one)) throw new BillingError('conflict', { extra: { line_id: lineId } })
    return false
  })
}

/** Pairs of user and payment. */
function inPairs(payments: readonly Paid[]): string {
  return JSON.stringify(payments.map(({ userId, paymentId }) => [userId, paymentId]))
}

function paymentsOf(holder: string): readonly Paid[] {
  const pairs: readonly (readonly [string, string])[] = JSON.parse(holder)
  return pairs.map(([userId, paymentId]) => ({ userId, paymentId }))
}

/** Approves a payment of another cell by a line that is claimed for it. Throws what the act throws there. */
export async function approveAt(
  deps: LineDeps,
  cell: string,
  of: { readonly line: PayingLine; readonly paid: Paid; readonly call: Call<object> },
): Promise<void> {
  const { line, paid, call } = of
  const { paymentId } = paid
  if (!(await mayPay(deps.database, line, paymentId)))
    throw new BillingError('conflict', { extra: { line_id: line.id } })
  try {
    await deps.actsElsewhere?.perform(cell, approvePayment, call)
  } catch (error) {
    // An earlier sending, which ended before it could say so.
    if (
      error instanceof BillingError &&
      error.code !== 'database_unavailable' &&
      (await isApproved(deps, paid))
    )
      await sayPays(deps.database, line, paymentId)
    throw error
  }
  await sayPays(deps.database, line, paymentId)
}
