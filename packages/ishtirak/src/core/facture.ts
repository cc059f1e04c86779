// Factures and avoirs: which payment has one, which one is owed, and what each shows. A facture is never
// edited: an avoir takes it back, and another may follow (décret exécutif 05-468).
import type { BuyerDetails } from './buyer-details.js'
import type { Instant } from './instant.js'
import type { Payment } from './payment.js'
import type { NamedPaper, ReceiptSnapshot, SellerIdentity } from './receipt.js'

/** A paper that a payment has, by its number. */
export interface IssuedPaper extends NamedPaper {
  readonly snapshot: ReceiptSnapshot
}

/** The facture that no avoir has taken back; null: there is none. `papers`: all of a payment, in order. */
export function factureInForce<Paper extends IssuedPaper>(papers: readonly Paper[]): Paper | null {
  const last = papers.at(-1)
  return last?.kind === 'facture' ? last : null
}

/** Whether a paper says that its money went back: a corrected facture and an avoir have none of their own. */
export function showsRefund({ kind, number }: IssuedPaper, papers: readonly IssuedPaper[]): boolean {
  return kind === 'receipt' || number === papers.findLast((paper) => paper.kind === 'facture')?.number
}

/** As another paper names it. */
export const namedPaper = ({ kind, number, issuedOn }: NamedPaper): NamedPaper => ({ kind, number, issuedOn })

/** Why a payment cannot have a facture; null: it can. Money that only tops up a balance has sold nothing. */
export function factureRefusal(
  { status, kind }: Pick<Payment, 'status' | 'kind'>,
  papers: readonly IssuedPaper[],
): 'already_refunded' | 'payment_not_paid' | 'conflict' | null {
  if (status === 'refunded') return 'already_refunded'
  if (status !== 'paid') return 'payment_not_paid'
  return kind === 'top_up' || papers[0]?.snapshot.tax.kind === 'advance' ? 'conflict' : null
}

interface Issue {
  readonly seller: SellerIdentity
  readonly issuedAt: Instant
  /** `YYYY-MM-DD` in the billing time zone. */
  readonly issuedOn: string
}

/**
 * The facture that comes after `last`, the receipt or an avoir, which it names. It says what the first paper
 * said of the sale, and is dated as it is issued: numbers rise with dates, so no earlier date is free.
 */
export function laterFacture(
  last: IssuedPaper,
  { seller, issuedAt, issuedOn }: Issue,
  details: BuyerDetails,
): ReceiptSnapshot {
  const { snapshot } = last
  const buyer = { ...snapshot.buyer, details }
  return { ...snapshot, paper: 'facture', about: namedPaper(last), seller, buyer, issuedAt, issuedOn }
}

/** Takes the facture back whole, with its buyer as they stand on it. */
export function avoirOf(facture: IssuedPaper, { seller, issuedAt, issuedOn }: Issue): ReceiptSnapshot {
  return { ...facture.snapshot, paper: 'avoir', about: namedPaper(facture), seller, issuedAt, issuedOn }
}
