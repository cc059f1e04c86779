// What is issued for a payment beside its receipt: an avoir, or a facture that comes later.
import type { BuyerDetails } from '../core/buyer-details.js'
import { avoirOf, factureInForce, type IssuedPaper, laterFacture } from '../core/facture.js'
import type { Instant } from '../core/instant.js'
import { type IssuedKind, paperSeries, type ReceiptSnapshot } from '../core/receipt.js'
import type { ReceiptRules } from './change-user.js'
import type { NewPaper } from './papers.sql.js'
import type { CommonParts } from './parts.js'

export interface PaperDeps extends Pick<CommonParts, 'ids'> {
  readonly receipts: ReceiptRules
}

/**
 * `papers`: all of the payment, in order. Null: no facture is in force, so nothing is to be taken back.
 * `owes`: the sale stands, so that another facture is to follow.
 */
export function avoirFor(
  deps: PaperDeps,
  papers: readonly IssuedPaper[],
  now: Instant,
  { owes } = { owes: false },
): NewPaper | null {
  const facture = factureInForce(papers)
  return facture && { ...toIssue(deps, papers, 'avoir', avoirOf(facture, issueAt(deps, now)), now), owes }
}

/** What follows the last of the payment's papers, which is a receipt or an avoir. */
export function factureFor(
  deps: PaperDeps,
  papers: readonly IssuedPaper[],
  details: BuyerDetails,
  now: Instant,
): NewPaper {
  const last = papers.at(-1)
  if (!last || last.kind === 'facture') throw new Error('a facture follows a receipt or an avoir')
  return toIssue(deps, papers, 'facture', laterFacture(last, issueAt(deps, now), details), now)
}

function issueAt({ receipts: { seller, dayOf } }: PaperDeps, now: Instant) {
  return { seller: seller.identity, issuedAt: now, issuedOn: dayOf(now) }
}

/** Its place is behind all that were issued after the first. */
function toIssue(
  { ids }: PaperDeps,
  papers: readonly IssuedPaper[],
  kind: IssuedKind,
  snapshot: ReceiptSnapshot,
  now: Instant,
): NewPaper {
  const { issuedOn, live, paymentId } = snapshot
  const series = paperSeries(kind, issuedOn, live)
  const at = { payment_id: paymentId, place: papers.length }
  return { id: ids.next('pap', now), kind, series, snapshot, ...at, owes: false }
}
