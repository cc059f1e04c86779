// How the seller appears to customers, on pages and in mail, beside the identity that receipts carry.
import type { Translated } from './locale.js'

export interface Shop {
  /** The terms of sale and the refund policy: customers can read both before they pay. */
  readonly termsUrl: Translated
  readonly refundUrl: Translated
  /** A `data:` address, so that a page stays one request; null: the name alone. */
  readonly logo: string | null
  /** `#rrggbb`, readable under white; null: the color of the style sheet. */
  readonly color: string | null
}
