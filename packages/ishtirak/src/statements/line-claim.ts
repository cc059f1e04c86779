// A line of a bank statement whose payments may be in other cells. The statement that approves a payment
// writes beside it which line pays it, where both are in one database; else the line is claimed first, in
// its own row, so that whatever ends in the middle, it pays nothing else.
import type { Call } from '../acts/act.js'
import type { ActsElsewhere } from '../acts/act-elsewhere.js'
import { CLAIM_MS, type ClaimDeps, claimedByAnother, claimOnce } from '../acts/claim-once.js'
import { BillingError } from '../core/error.js'
import type { PayingLine } from '../core/transfer.js'
import type { Database } from '../database/database.js'
import { approve as approvePayment } from '../transfers/decide.js'
import { isApproved, linesPaying, mayPay, sayPays } from './bank-matches.sql.js'
import {
  type ClaimedLines,
  type ClaimedPayment,
  claimsOf,
  isAmong,
  type LineClaim,
  writeClaim,
} from './line-claim.sql.js'

export type LineDeps = ClaimDeps & {
  readonly database: Database
  readonly actsElsewhere: ActsElsewhere | null
}

/**
 * For one payment of all that one confirmation says it pays: the line pays nothing else, and no other line
 * this payment. Whether it was claimed for this one before. Throws `conflict` where it pays another, `busy`
 * where it may be about to, and `database_unavailable` with the cell that does not answer.
 */
export async function claimLine(
  deps: LineDeps,
  lineId: string,
  paid: ClaimedPayment,
  payments: readonly ClaimedPayment[],
): Promise<boolean> {
  if (!deps.cells) return false
  const before = await claimForPayments(deps, lineId, payments)
  const { paymentId: name } = paid
  await claimOnce(deps, { kind: 'transfer', name, holder: lineId }, async (other) => {
    if (await isApproved(deps, paid)) throw new BillingError('conflict', { extra: { line_id: other } })
  })
  return isAmong(before, paid)
}

/** Gives those that it was claimed for before. */
async function claimForPayments(
  deps: LineDeps,
  lineId: string,
  payments: readonly ClaimedPayment[],
): Promise<readonly ClaimedPayment[]> {
  const now = deps.clock.now()
  const [claim] = await claimsOf(deps.database, { lineId })
  const others = claim?.payments.filter((one) => !isAmong(payments, one)) ?? []
  if ((await approvedOf(deps, lineId, others)).length > 0)
    throw new BillingError('conflict', { extra: { line_id: lineId } })
  if (claim && others.length > 0) requireOld(claim, now)
  if (!(await writeClaim(deps.database, lineId, { payments, instead: claim?.payments ?? null, now })))
    throw claimedByAnother()
  return claim?.payments ?? []
}

function requireOld({ claimedAt }: LineClaim, now: number): void {
  if (claimedAt >= now - CLAIM_MS) throw claimedByAnother()
}

/** Those that no other line pays. */
async function approvedOf(
  deps: LineDeps,
  lineId: string,
  payments: readonly ClaimedPayment[],
): Promise<readonly ClaimedPayment[]> {
  if (payments.length === 0) return []
  const lines = await linesPaying(deps.database, payments)
  const found: ClaimedPayment[] = []
  for (const one of payments) {
    const isOfOther = (lines.get(one.paymentId) ?? lineId) !== lineId
    if (!isOfOther && (await isApproved(deps, one))) found.push(one)
  }
  return found
}

/**
 * Before lines are given up: those that were claimed pay what they were claimed for, where that is approved,
 * and else are claimed no longer. Throws `busy` where it may be approved yet, and `database_unavailable`
 * with the cell that does not answer.
 */
export async function endClaims(deps: LineDeps, of: ClaimedLines): Promise<void> {
  if (!deps.cells) return
  const now = deps.clock.now()
  for (const claim of await claimsOf(deps.database, of)) {
    const { lineId: id, payments } = claim
    const approved = await approvedOf(deps, id, payments)
    const line = { id, paymentIds: payments.map(({ paymentId }) => paymentId) }
    for (const { paymentId } of approved) await sayPays(deps.database, line, paymentId)
    if (approved.length > 0) continue
    requireOld(claim, now)
    await writeClaim(deps.database, id, { payments: null, instead: payments, now })
  }
}

/** Approves a payment of another cell by a line that is claimed for it. Throws what the act throws there. */
export async function approveAt(
  deps: LineDeps,
  cell: string,
  of: {
    readonly line: PayingLine
    readonly paid: ClaimedPayment
    readonly call: Call<object>
    /** An earlier sending may have approved it, and ended before it could say so. */
    readonly wasClaimed: boolean
  },
): Promise<void> {
  const { line, paid, call, wasClaimed } = of
  const { paymentId } = paid
  if (!(await mayPay(deps.database, line, paymentId)))
    throw new BillingError('conflict', { extra: { line_id: line.id } })
  try {
    await deps.actsElsewhere?.perform(cell, approvePayment, call)
  } catch (error) {
    if (wasClaimed && error instanceof BillingError && (await isApproved(deps, paid)))
      await sayPays(deps.database, line, paymentId)
    throw error
  }
  await sayPays(deps.database, line, paymentId)
}
