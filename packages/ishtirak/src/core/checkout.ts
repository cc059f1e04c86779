// A checkout: the provider's page for one payment. What we order, what the provider reports of it, and what
// differs between payment methods, in our words; a method's own folder knows the gateway's.
import type { Account } from './account.js'
import type { TakenOff } from './code.js'
import type { Instant } from './instant.js'
import type { Locale } from './locale.js'
import type { Money } from './plan.js'

/**
 * What a payment is for. `purchase`: time. `change`: another plan for time that runs. `top_up`: money for the
 * user's balance.
 */
export const PAYMENT_PURPOSES = ['purchase', 'change', 'top_up'] as const
export type PaymentPurpose = (typeof PAYMENT_PURPOSES)[number]

/** What a provider can say of a checkout. `unknown` is a word not seen yet: nothing follows from it. */
export type CheckoutStatus = 'pending' | 'processing' | 'paid' | 'failed' | 'canceled' | 'expired' | 'unknown'

/** What we ask for. `paymentId`, `userId`, `kind`, `planId`, `months`, `code` come back with every report. */
export interface CheckoutOrder {
  readonly paymentId: string
  readonly userId: string
  readonly kind: PaymentPurpose
  /** Null for a top-up, as the months are. */
  readonly planId: string | null
  readonly months: number | null
  /** To be paid. */
  readonly price: Money
  /** What made it cheaper. */
  readonly code?: TakenOff
  readonly description: string
  readonly locale: Locale
  readonly successUrl: string
  readonly failureUrl: string
  /** Where the provider sends its events for this checkout; null: it sends none. */
  readonly webhookUrl: string | null
}

/** By which way a report reaches us: an event that was sent, or a question of ours. */
export type ReportSource = 'webhook' | 'read' | 'sweep' | 'upgrade' | 'operator' | 'reconcile'

/** What the provider says of a checkout, in an event or when asked. `null` where it does not say. */
export interface CheckoutReport {
  /** The payment method that reports; ids are unique within it. */
  readonly method: string
  readonly checkoutId: string
  readonly status: CheckoutStatus
  readonly amount: number | null
  /** Upper case; the documented event of Chargily has none. */
  readonly currency: string | null
  readonly live: boolean | null
  /** Our own id, from the metadata. */
  readonly paymentId: string | null
  readonly userId: string | null
  /** Absent: a purchase. */
  readonly kind?: PaymentPurpose
  /** What was ordered; checkouts made before this was sent lack it, and top-ups have none. */
  readonly planId?: string
  readonly months?: number
  /** What made it cheaper. */
  readonly code?: TakenOff
  /** The kind of card or account, lower case: `edahabia`, `cib`. */
  readonly instrument: string | null
  readonly checkoutUrl: string | null
  /** What the provider keeps of it, in whole dinars; absent where it does not say. */
  readonly fees?: number
  readonly createdAt: Instant | null
  /** For a paid checkout this is the instant of payment: the provider's, not that of our hearing of it. */
  readonly updatedAt: Instant | null
  /** Where the method knows the very instant of payment, which may be after the end of the checkout. */
  readonly paidAt?: Instant
  /** When the payer first showed that they had paid: a run of paid time goes on if it was running then. */
  readonly provedAt?: Instant
  /** Why an operator refused it; it can still be paid. */
  readonly refusal?: string
}

/** What differs from payment method to payment method, as data. The port is in ledger/method.ts. */
export interface MethodTraits {
  /** Names the method in payments and events, for ever: `chargily`. */
  readonly name: string
  /** Which money it moves. Compared with every report. */
  readonly live: boolean
  /** The least that it takes, in whole units of the currency. */
  readonly leastAmount: number
  /** How long a checkout can be paid. */
  readonly checkoutLifetimeMs: number
  /** When a payment is looked at, counted from the opening of its checkout; rising, by a day at most. */
  readonly looksAfterMs: readonly number[]
  /** The kinds of card or account that it takes, as `payment_method` names them on the wire. */
  readonly instruments: readonly string[]
  /** Who begins a payment. An operator: it is recorded once paid, and our row is all there is to ask. */
  readonly begunBy: 'user' | 'operator'
  /** It takes coins and notes, and the law asks for stamp duty on the receipt. */
  readonly bearsStampDuty: boolean
  /**
   * Who says that the money has come. An operator: its checkouts are rows of ours without a page, to which
   * money may be on its way for days; there is no address, no list, and no one to ask.
   */
  readonly settledBy: 'provider' | 'operator'
  /** What users send the money to themselves; none where the provider's page takes it. */
  readonly accounts: readonly Account[]
}
