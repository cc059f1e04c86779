// The price on a page is the most that its form may spend. The page may be older than a change of price, and
// a balance pays at once, without a provider's page in between.
import { BillingError } from '../core/error.js'

/** Whole dinars; `shown` absent: no page showed a price. Throws `conflict` if the price is above it. */
export function requireShown(price: number, shown: number | undefined): void {
  if (shown !== undefined && price > shown) throw new BillingError('conflict', { extra: { changed: true } })
}

/** Returns `outdated` if the page showed a lower price. Other errors are thrown. */
export function orOutdated(error: unknown): 'outdated' {
  if (error instanceof BillingError && error.extra.changed === true) return 'outdated'
  throw error
}
