// The emulator's records, with the field names of the API. They are never changed in place: every change puts
// a new one, which is also one line of the state file.
import type { Json, JsonObject } from './php-json.js'

export const PAYMENT_METHODS = ['edahabia', 'cib'] as const
export type PaymentMethod = (typeof PAYMENT_METHODS)[number]

export const OUTCOMES = ['paid', 'failed', 'canceled'] as const
export type Outcome = (typeof OUTCOMES)[number]

export const LOCALES = ['ar', 'en', 'fr'] as const
export type Locale = (typeof LOCALES)[number]

export const FEE_ALLOCATIONS = ['customer', 'merchant', 'split'] as const
export type FeeAllocation = (typeof FEE_ALLOCATIONS)[number]

export type CheckoutStatus = 'pending' | 'processing' | Outcome | 'expired'
export type EventType = `checkout.${Outcome | 'expired'}`

export interface Resource {
  /** Lower-case ULID whose time part is the instant of creation. */
  readonly id: string
  readonly livemode: boolean
  /** Seconds since the epoch. */
  readonly created_at: number
  readonly updated_at: number
  readonly metadata: Json
}

export interface CustomerRecord extends Resource {
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly address: JsonObject | null
}

export const EMPTY_CUSTOMER = { name: null, email: null, phone: null, address: null, metadata: null }

export interface ProductRecord extends Resource {
  readonly name: string
  readonly description: string | null
  readonly images: readonly string[]
}

export interface PriceRecord extends Resource {
  readonly amount: number
  readonly currency: string
  readonly product_id: string
}

export interface LineItem {
  readonly price_id: string
  readonly quantity: number
  readonly adjustable_quantity: 0 | 1
}

export interface PaymentLinkRecord extends Resource {
  readonly name: string
  readonly active: 0 | 1
  readonly after_completion_message: string | null
  readonly locale: Locale
  readonly pass_fees_to_customer: 0 | 1 | null
  readonly collect_shipping_address: 0 | 1
  readonly items: readonly LineItem[]
}

/** The fields of the API, and below them those that the API does not show. */
export interface CheckoutRecord extends Resource {
  /** Whole dinars, after any discount. */
  readonly amount: number
  readonly currency: string
  readonly fees: number
  readonly fees_on_merchant: number
  readonly fees_on_customer: number
  readonly pass_fees_to_customer: 0 | 1 | null
  readonly chargily_pay_fees_allocation: FeeAllocation
  readonly status: CheckoutStatus
  readonly locale: Locale
  readonly description: string | null
  /** Null only for checkouts of payment links. */
  readonly success_url: string | null
  readonly failure_url: string | null
  readonly webhook_endpoint: string | null
  readonly payment_method: PaymentMethod | 'chargily_app' | null
  readonly customer_id: string | null
  readonly payment_link_id: string | null
  readonly shipping_address: Json
  readonly collect_shipping_address: 0 | 1
  readonly discount: { readonly type: 'percentage' | 'amount'; readonly value: number } | null
  readonly amount_without_discount: number | null

  readonly items: readonly LineItem[]
  /** Shown instead of the fields above; only where the fault `false_checkout` was on. */
  readonly said?: JsonObject
  /** Milliseconds since the epoch. */
  readonly expires_at_ms: number
  /** Seconds since the epoch; null unless paid. */
  readonly paid_at: number | null
  /** While `processing`: what the bank will answer, and when. */
  readonly awaited: { readonly outcome: Outcome; readonly at_ms: number } | null
}

export interface DeliveryAttempt {
  readonly at_ms: number
  /** Null when no answer came. */
  readonly status: number | null
  readonly error: string | null
}

export interface DeliveryRecord {
  readonly id: string
  readonly livemode: boolean
  readonly event_id: string
  readonly type: EventType
  readonly checkout_id: string
  readonly url: string
  /** Fixed when the event is made: every attempt has the same bytes and the same signature. */
  readonly body: string
  readonly signature: string | null
  readonly state: 'pending' | 'delivered' | 'failed' | 'dropped'
  readonly attempts: readonly DeliveryAttempt[]
  /** Attempts of the schedule: resends do not count. */
  readonly tries: number
  /** The delivery that must be attempted before this one. */
  readonly after_id: string | null
  readonly next_attempt_at_ms: number | null
}
