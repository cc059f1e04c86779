// A facture after the receipt: asked for, owed to a company that has given its details, or in place of one
// that an avoir took back.
import { type BuyerDetails, missingDetails } from '../core/buyer-details.js'
import { BillingError } from '../core/error.js'
import { factureInForce, factureRefusal } from '../core/facture.js'
import { DAY, type Instant, MINUTE } from '../core/instant.js'
import { untilFresh } from '../database/database.js'
import { loadPayment, requireUser } from '../ledger/load.js'
import { factureFor, type PaperDeps } from '../ledger/papers.js'
import { findPaper, papersOfPayment, type StoredPaper } from '../ledger/papers.sql.js'
import { findPayment } from '../ledger/payments.sql.js'
import { type SaveDeps, saveUnasked } from '../ledger/save.js'
import { claimOwed, finishOwed, paymentsOwed } from './factures.sql.js'

export type FactureDeps = SaveDeps & PaperDeps

interface OfUser {
  readonly userId: string
  readonly paymentId: string
}

/**
 * The facture of a payment: the one in force, or a new one. Throws `not_found`, for another user's payment
 * too, `payment_not_paid`, `already_refunded`, `conflict` for money that sold nothing yet, and
 * `buyer_incomplete`.
 */
export function askForFacture(deps: FactureDeps, of: OfUser): Promise<StoredPaper> {
  const round = () => issueFacture(deps, of)
  return untilFresh(`the facture of ${of.paymentId}`, round, (again) => deps.inTurn(of.userId, again))
}

async function issueFacture(
  deps: FactureDeps,
  { userId, paymentId }: OfUser,
): Promise<StoredPaper | 'stale'> {
  const { payment, user } = await loadPayment(deps, paymentId)
  if (payment.userId !== userId) throw new BillingError('not_found')
  // After the user: a paper in between makes their version stale.
  const papers = await papersOfPayment(deps.database, payment)
  const inForce = factureInForce(papers)
  if (inForce) return inForce
  const refusal = factureRefusal(payment, papers)
  if (refusal) throw new BillingError(refusal, { extra: { payment_status: payment.status } })
  const buyer = requireWhole(user.buyer)
  const now = deps.clock.now()
  const paper = factureFor(deps, papers, buyer, now)
  const after = { subscription: user.subscription, events: [], paper }
  if ((await saveUnasked(deps, { userId, user, payment, after }, now)) === 'stale') return 'stale'
  // Not the last of the payment: an avoir may follow at once.
  return findPaper(deps.database, userId, paper.id)
}

/** Throws `buyer_incomplete`. */
export function requireWhole(buyer: BuyerDetails | null): BuyerDetails {
  const missing = missingDetails(buyer)
  if (buyer && missing.length === 0) return buyer
  throw new BillingError('buyer_incomplete', { extra: { missing } })
}

/** Throws `not_found`, for another user's payment too. */
export async function listPapers(
  { database }: Pick<FactureDeps, 'database'>,
  { userId, paymentId }: OfUser,
): Promise<readonly StoredPaper[]> {
  const payment = await findPayment(database, userId, paymentId)
  if (!payment) throw new BillingError('not_found')
  return papersOfPayment(database, payment)
}

/** A company that gives its details is owed factures of what it bought so long before; of more it may ask. */
const OWED_SINCE = 31 * DAY
const LEASE_MS = 5 * MINUTE
const USERS_A_ROUND = 100

/** Factures that are owed. Gives how many it issued. */
export async function issueOwedFactures(deps: FactureDeps, goesOn: () => boolean): Promise<number> {
  let issued = 0
  const now = deps.clock.now()
  const leasedUntil = now + LEASE_MS
  const userIds = await claimOwed(deps.database, { now, leasedUntil, limit: USERS_A_ROUND })
  for (const userId of userIds) {
    if (!goesOn()) break
    issued += await issueOwedTo(deps, userId, now)
    await finishOwed(deps.database, userId, leasedUntil)
  }
  return issued
}

/** A person has a facture only where one was asked for, so theirs follow an avoir alone. */
export async function issueOwedTo(deps: FactureDeps, userId: string, now: Instant): Promise<number> {
  const { buyer } = await requireUser(deps, userId)
  if (!buyer || missingDetails(buyer).length > 0) return 0
  const since = buyer.kind === 'company' ? now - OWED_SINCE : now + DAY
  let issued = 0
  for (const paymentId of await paymentsOwed(deps.database, userId, since))
    if (await issueIfOwed(deps, { userId, paymentId })) issued += 1
  return issued
}

/** Not in the user's turn: a correction may have it, and would wait for itself. False: it is owed no more. */
async function issueIfOwed(deps: FactureDeps, of: OfUser): Promise<boolean> {
  try {
    await untilFresh(`the facture of ${of.paymentId}`, () => issueFacture(deps, of))
    return true
  } catch (error) {
    // Refunded meanwhile, or the details are whole no more.
    if (error instanceof BillingError) return false
    throw error
  }
}
