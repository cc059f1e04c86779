// A facture after the receipt: asked for, owed to a company that has given its details, or in place of one
// that an avoir took back.
import { type BuyerDetails, missingDetails } from '../core/buyer-details.js'
import { BillingError } from '../core/error.js'
import { factureInForce, factureRefusal } from '../core/facture.js'
import { DAY, type Instant, MINUTE } from '../core/instant.js'
import { type ChangeDeps, changeUser, type Decided } from '../ledger/change-user.js'
import { loadPayment, requireUser } from '../ledger/load.js'
import { factureFor, type PaperDeps } from '../ledger/papers.js'
import { findPaper, type NewPaper, papersOfPayment, type StoredPaper } from '../ledger/papers.sql.js'
import { findPayment } from '../ledger/payments.sql.js'
import { claimOwed, finishOwed, paymentsOwed } from './factures.sql.js'

export type FactureDeps = ChangeDeps & PaperDeps

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
  return issueFacture(deps, of, of.userId)
}

async function issueFacture(
  deps: FactureDeps,
  { userId, paymentId }: OfUser,
  inTurnOf: string | null,
): Promise<StoredPaper> {
  const issued = await changeUser(deps, {
    what: `the facture of ${paymentId}`,
    inTurnOf,
    load: async () => {
      const loaded = await loadPayment(deps, paymentId)
      if (loaded.userId !== userId) throw new BillingError('not_found')
      // After the user: a paper in between makes their version stale.
      return { ...loaded, papers: await papersOfPayment(deps.database, loaded.payment) }
    },
    decide: ({ payment, user, papers }, now): Decided<StoredPaper | NewPaper> => {
      const inForce = factureInForce(papers)
      if (inForce) return { revision: null, result: inForce }
      const refusal = factureRefusal(payment, papers)
      if (refusal) throw new BillingError(refusal, { extra: { payment_status: payment.status } })
      const paper = factureFor(deps, papers, requireWhole(user.buyer), now)
      return { revision: { events: [], paper }, result: paper }
    },
  })
  // Not the last of the payment: an avoir may follow at once.
  return 'number' in issued ? issued : findPaper(deps.database, userId, issued.id)
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
    await issueFacture(deps, of, null)
    return true
  } catch (error) {
    // Refunded meanwhile, or the details are whole no more.
    if (error instanceof BillingError) return false
    throw error
  }
}
