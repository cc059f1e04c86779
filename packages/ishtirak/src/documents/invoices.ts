// Invoices after the receipt: on request, for a company, or in place of one that a credit note took back.
import { type BuyerDetails, missingDetails } from '../core/buyer-details.js'
import { BillingError } from '../core/error.js'
import { DAY, type Instant, MINUTE } from '../core/instant.js'
import { invoiceInForce, invoiceRefusal } from '../core/invoice.js'
import { type ChangeDeps, changeUser, type Decided } from '../ledger/change-user.js'
import { invoiceFor, type NewDocument } from '../ledger/documents.js'
import { documentAt, documentsOfPayment, type StoredDocument } from '../ledger/documents.sql.js'
import { loadPayment, requireUser } from '../ledger/load.js'
import { findPayment } from '../ledger/payments.sql.js'
import { claimOwed, finishOwed, paymentsOwed } from './documents.sql.js'

interface OfUser {
  readonly userId: string
  readonly paymentId: string
}

/**
 * The invoice of a payment: the one in force, or a new one. Throws `not_found` (also for another user's
 * payment), `payment_not_paid`, `already_refunded`, `conflict` for a top-up, and `buyer_incomplete`.
 */
export async function askForInvoice(
  deps: ChangeDeps,
  { userId, paymentId }: OfUser,
  inTurnOf: string | null = userId,
): Promise<StoredDocument> {
  const issued = await changeUser(deps, {
    what: `the invoice of ${paymentId}`,
    inTurnOf,
    load: async () => {
      const loaded = await loadPayment(deps, paymentId)
      if (loaded.userId !== userId) throw new BillingError('not_found')
      // Read after the user: a document in between makes the user's version stale.
      return { ...loaded, documents: await documentsOfPayment(deps.database, loaded.payment) }
    },
    decide: ({ payment, user, documents }, now): Decided<StoredDocument | NewDocument> => {
      const inForce = invoiceInForce(documents)
      if (inForce) return { revision: null, result: inForce }
      const refusal = invoiceRefusal(payment, documents)
      if (refusal) throw new BillingError(refusal, { extra: { payment_status: payment.status } })
      const document = invoiceFor(deps, documents, requireCompleteBuyer(user.buyer), now)
      return { revision: { events: [], document }, result: document }
    },
  })
  // Read by its place: a credit note may already follow.
  return 'number' in issued ? issued : documentAt(deps.database, { userId, paymentId, place: issued.place })
}

/** Throws `buyer_incomplete`. */
export function requireCompleteBuyer(buyer: BuyerDetails | null): BuyerDetails {
  const missing = missingDetails(buyer)
  if (buyer && missing.length === 0) return buyer
  throw new BillingError('buyer_incomplete', { extra: { missing } })
}

/** A payment and its documents, in order. Throws `not_found`, also for another user's payment. */
export async function documentsOfUser(
  { database }: Pick<ChangeDeps, 'database'>,
  { userId, paymentId }: OfUser,
) {
  const payment = await findPayment(database, userId, paymentId)
  if (!payment) throw new BillingError('not_found')
  return { payment, documents: await documentsOfPayment(database, payment) }
}

/** A company that gives its details gets invoices for purchases this far back. It may ask for older ones. */
const OWED_SINCE = 31 * DAY
const LEASE_MS = 5 * MINUTE
const USERS_A_ROUND = 100

export async function issueOwedInvoices(deps: ChangeDeps, goesOn: () => boolean): Promise<number> {
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

/**
 * Issues what is owed to a user and returns how many invoices that were. A person gets an invoice only on
 * request, so none is owed but in place of one that a credit note took back.
 */
export async function issueOwedTo(deps: ChangeDeps, userId: string, now: Instant): Promise<number> {
  const { buyer } = await requireUser(deps, userId)
  if (!buyer || missingDetails(buyer).length > 0) return 0
  const since = buyer.kind === 'company' ? now - OWED_SINCE : now + DAY
  let issued = 0
  for (const paymentId of await paymentsOwed(deps.database, userId, since))
    try {
      // Not in the user's turn: a correction may have the turn, and would wait for itself.
      await askForInvoice(deps, { userId, paymentId }, null)
      issued += 1
    } catch (error) {
      // It is no longer owed: the payment was refunded meanwhile, or details are missing again.
      if (!(error instanceof BillingError)) throw error
    }
  return issued
}
