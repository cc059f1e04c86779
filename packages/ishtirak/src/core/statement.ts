// The statement of a redeemed code: time was given and nothing was paid, so there is no receipt. It is drawn
// up with the redemption and stored as it is.
import type { Grant } from './grant.js'
import type { Instant } from './instant.js'
import type { Buyer, ReceiptContext, SellerIdentity } from './receipt.js'

/** Everything the document shows. Days are `YYYY-MM-DD` in the billing time zone. */
export interface StatementSnapshot {
  readonly version: 1
  readonly redemptionId: string
  readonly seller: SellerIdentity
  readonly buyer: Buyer
  readonly planName: string
  readonly months: number
  readonly issuedAt: Instant
  readonly issuedOn: string
  readonly periodFrom: string
  readonly periodTo: string
}

export function drawUpStatement(
  { id, plan, months, start, end }: Grant,
  { seller, buyer, issuedAt, dayOf }: Omit<ReceiptContext, 'bearsStampDuty'>,
): StatementSnapshot {
  return {
    version: 1,
    redemptionId: id,
    seller: seller.identity,
    buyer: { userId: buyer.userId, name: buyer.name, email: buyer.email },
    planName: plan.name,
    months,
    issuedAt,
    issuedOn: dayOf(issuedAt),
    periodFrom: dayOf(start),
    periodTo: dayOf(end),
  }
}
