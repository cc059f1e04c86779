// What a page showed bounds what its form spends: it may be open since before the price changed, and a
// balance pays at once, with no page of a provider between.
import { BillingError } from '../core/error.js'

/** Whole dinars; `shown` absent: no page did. Throws `conflict` where it costs more. */
export function requireShown(price: number, shown: number | undefined): void {
  if (shown !== undefined && price > shown) throw new BillingError('conflict', { extra: { changed: true } })
}

/** Gives `outdated` where the page showed less; other errors are thrown. */
export function orOutdated(error: unknown): 'outdated' {
  if (error instanceof BillingError && error.extra.changed === true) return 'outdated'
  throw error
}
