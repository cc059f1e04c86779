// The port to the payment provider: what every gateway must promise. There are no verbs for refunds or subscriptions,
// because Chargily has none. Failures of the world are data here, never exceptions: the caller decides what follows.
import type { CheckoutOrder, CheckoutReport } from '../core/checkout.js'
import type { Instant } from '../core/instant.js'

/** A signed message: something happened to a checkout. Its id is the only defence against replay. */
export interface ProviderEvent {
  readonly id: string
  /** The provider's word, `checkout.paid`; unknown ones are stored and acknowledged. */
  readonly type: string
  /** Null where the event is not about a checkout that we can read. */
  readonly report: CheckoutReport | null
  readonly createdAt: Instant | null
}

export type ProviderFailure =
  /**
   * Out of reach, too slow, or in trouble. With `outcomeUnknown` the request may have been carried out all the same
   * (of a read it means nothing). `detail` is safe to log and to store.
   */
  | {
      readonly kind: 'unavailable'
      readonly reason: 'timeout' | 'network' | 'server_error' | 'rate_limited' | 'unreadable'
      readonly outcomeUnknown: boolean
      readonly retryAfterSeconds: number | null
      readonly detail: string
    }
  /** It understood and refused: our request, our key or our account is wrong. Another try gives the same. */
  | {
      readonly kind: 'rejected'
      readonly status: number
      readonly detail: string
      /** Field -> sentences, as the provider gave them. */
      readonly errors: Readonly<Record<string, readonly string[]>>
    }

export type ProviderAnswer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: ProviderFailure }

export interface CheckoutPage {
  readonly checkouts: readonly CheckoutReport[]
  readonly nextPage: number | null
}

export interface Provider {
  /** Which money the key moves. Compared with every report. */
  readonly live: boolean
  /** How long a checkout can be paid: 30 minutes (Chargily API reference, checkouts/expire). */
  readonly checkoutLifetimeMs: number
  /** Opens a checkout; whether it is the one that was ordered is for the caller to compare. Not idempotent at the provider: after an unknown outcome look with `findCheckouts` first. */
  createCheckout(order: CheckoutOrder): Promise<ProviderAnswer<CheckoutReport>>
  /** Null when the provider does not know the id. */
  getCheckout(
    checkoutId: string,
    options?: { timeoutMs?: number },
  ): Promise<ProviderAnswer<CheckoutReport | null>>
  /**
   * The checkouts that carry our payment id, newest first. `since` only ends the walk through the list, with a margin
   * for two clocks. None means none: where the list could not be seen that far back, the answer is a failure.
   */
  findCheckouts(paymentId: string, since: Instant): Promise<ProviderAnswer<readonly CheckoutReport[]>>
  /** One page of all checkouts in the provider's order; pages count from 1. `nextPage` may promise an empty page. */
  listCheckouts(page: number): Promise<ProviderAnswer<CheckoutPage>>
  /** Ends a pending checkout, so that nobody pays it any more. Where it cannot be ended, what it is instead. */
  expireCheckout(checkoutId: string): Promise<ProviderAnswer<CheckoutReport | null>>
  /** The cheapest call that proves the key: for `doctor`. */
  checkKey(): Promise<ProviderAnswer<true>>
  /** Whether `signature` is right for these very bytes, under any accepted key. Constant time; never throws. */
  verifySignature(body: Uint8Array, signature: string | undefined): boolean
  /** Reads a verified body. Null: not JSON, or not an event. Never throws. */
  readEvent(body: Uint8Array): ProviderEvent | null
}

/** Whether everything that follows this page is older still: known only while the list runs from new to old. */
export function isAllBefore(checkouts: readonly CheckoutReport[], instant: Instant): boolean {
  let previous = Number.POSITIVE_INFINITY
  for (const { createdAt } of checkouts) {
    if (createdAt === null || createdAt >= instant || createdAt > previous) return false
    previous = createdAt
  }
  return checkouts.length > 0
}
