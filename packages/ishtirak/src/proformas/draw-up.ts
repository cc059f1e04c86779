// Draws up a proforma, which a company shows its accountant before it pays: the later invoice, at a price
// that holds.
import { DAY, toTimestamp } from '../core/instant.js'
import type { Agreed } from '../core/quote.js'
import { type DocumentSnapshot, type Seller, splitTax, taxAt } from '../core/receipt.js'

/** The price holds until the end of the day that is this many days later. */
const VALID_DAYS = 15

/** No proforma older than this holds, whatever the hour at which it was made. */
export const OLDEST = (VALID_DAYS + 1) * DAY

interface ProformaContext
  extends Pick<DocumentSnapshot, 'buyer' | 'issuedAt' | 'issuedOn' | 'live' | 'poNumber'> {
  readonly seller: Seller
}

/** Nothing is paid yet: the tax is that of the day, and a transfer has no duty. */
export function drawUpProforma(
  { offer, change, amount }: Agreed,
  context: ProformaContext,
): DocumentSnapshot {
  const { seller, buyer, poNumber, issuedAt, issuedOn, live } = context
  const tax = taxAt(seller.taxTerms, issuedOn)
  return {
    kind: 'proforma',
    validUntil: toTimestamp(Date.parse(issuedOn) + VALID_DAYS * DAY).slice(0, 10),
    ...(poNumber !== undefined && { poNumber }),
    seller: seller.identity,
    buyer,
    planName: offer.plan.name,
    issuedAt,
    issuedOn,
    paidOn: issuedOn,
    periodFrom: null,
    periodTo: null,
    months: change ? null : offer.months,
    amount,
    ...(change && { change: { from: change.from.name, credit: change.credit } }),
    tax,
    split: splitTax(amount, tax),
    stampDutyCentimes: 0,
    paymentMethod: null,
    paymentId: '',
    checkoutId: null,
    live,
  }
}

/** `today` is `YYYY-MM-DD` in the billing time zone. */
export function holdsOn({ validUntil }: DocumentSnapshot, today: string): boolean {
  return validUntil !== undefined && today <= validUntil
}
