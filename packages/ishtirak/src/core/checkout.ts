// A checkout: the provider's page for one payment. This holds what we order, what the provider reports, and
// how payment methods differ, in our words. The folder of a method translates the gateway's words.
import type { Account } from './account.js'
import type { CodeDiscount } from './code.js'
import type { Instant } from './instant.js'
import type { Locale } from './locale.js'
import type { Money } from './plan.js'

/** `purchase`: time. `change`: another plan for time that runs. `top_up`: money for the user's balance. */
export const PAYMENT_PURPOSES = ['purchase', 'change', 'top_up'] as const
export type PaymentPurpose = (typeof PAYMENT_PURPOSES)[number]

/** What a provider says of a checkout. `unknown` is a word that we do not know: it changes nothing. */
export type CheckoutStatus = 'pending' | 'processing' | 'paid' | 'failed' | 'canceled' | 'expired' | 'unknown'

/** An order to the provider. It returns ids, `kind`, plan, months and code with every report. */
export interface CheckoutOrder {
  readonly paymentId: string
  readonly userId: string
  readonly kind: PaymentPurpose
  /** Null for a top-up, and so are the months. */
  readonly planId: string | null
  readonly months: number | null
  /** The price after the discount. */
  readonly price: Money
  readonly code?: CodeDiscount
  readonly description: string
  readonly locale: Locale
  readonly successUrl: string
  readonly failureUrl: string
  /** Where the provider sends its events for this checkout; null: it sends none. */
  readonly webhookUrl: string | null
}

/** How a report reached us: by an event, or as the answer to a request of ours. */
export type ReportSource = 'webhook' | 'read' | 'sweep' | 'upgrade' | 'operator' | 'reconcile'

/** What the provider says of a checkout, in an event or an answer. Fields it does not mention are null. */
export interface CheckoutReport {
  /** The payment method that reports. Checkout ids are unique within it. */
  readonly method: string
  readonly checkoutId: string
  readonly status: CheckoutStatus
  readonly amount: number | null
  /** Upper case. Chargily's documented event has no currency. */
  readonly currency: string | null
  readonly live: boolean | null
  readonly paymentId: string | null
  readonly userId: string | null
  /** Absent: a purchase. */
  readonly kind?: PaymentPurpose
  /** The plan that was ordered. Top-ups have none, and neither do checkouts older than this field. */
  readonly planId?: string
  readonly months?: number
  readonly code?: CodeDiscount
  /** The kind of card or account, lower case: `edahabia`, `cib`. */
  readonly instrument: string | null
  readonly checkoutUrl: string | null
  /** The provider's fees in whole dinars; absent if it does not say. */
  readonly fees?: number
  readonly createdAt: Instant | null
  /** The provider's time, not ours. For a paid checkout it is the instant of payment. */
  readonly updatedAt: Instant | null
  /** The exact instant of payment, if the method knows it. It may be after the end of the checkout. */
  readonly paidAt?: Instant
  /** When the payer first showed that they had paid. A run of paid time that was going on then continues. */
  readonly provedAt?: Instant
  /** Why an operator refused it. It can still be paid. */
  readonly refusal?: string
}

/** How payment methods differ, as data. ledger/method.ts has the interface with the calls. */
export interface MethodTraits {
  /** The name that payments and events store, so it never changes: `chargily`. */
  readonly name: string
  /** True for real money, false for test mode. Every report is compared with it. */
  readonly live: boolean
  /** The smallest amount that it takes, in whole units of the currency. */
  readonly leastAmount: number
  readonly checkoutLifetimeMs: number
  /** When the sweep asks, counted from the opening of the checkout. Rising, by a day at most. */
  readonly lookupsAfterMs: readonly number[]
  readonly instruments: readonly string[]
  /** Who starts a payment. An operator records it when it is already paid, and our row is the only record. */
  readonly begunBy: 'user' | 'operator'
  /** True for cash: the law asks for stamp duty on its receipts. */
  readonly bearsStampDuty: boolean
  /**
   * Who confirms that the money has come. If it is an operator, a checkout is only our own row: it has no
   * page, address or list, there is no provider to ask, and money may be on its way for days.
   */
  readonly settledBy: 'provider' | 'operator'
  /** The accounts that users transfer money to; empty if the provider's page takes it. */
  readonly accounts: readonly Account[]
}
