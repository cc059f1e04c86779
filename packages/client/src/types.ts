// The shapes of the platform API and of its events, for a program that has nothing else of Ishtirak. A test
// of the repository compares them with the service's schemas in both directions.

/** The limits of the service's default catalogue. PLANS_FILE may have others. */
export type LimitName = 'projects' | 'domains_per_project' | 'deploys_per_day' | 'storage_mb'

/** How much a plan allows, by the name of the limit. */
export interface PlanLimits {
  [limit: string]: number
  projects: number
  domains_per_project: number
  deploys_per_day: number
  storage_mb: number
}

/**
 * What is in use, by the name of the limit; of one that is counted for each project, or of something else, by
 * its id.
 */
export interface Usage {
  [limit: string]: number | Record<string, number>
  projects: number
  domains_per_project: Record<string, number>
  deploys_per_day: number
  storage_mb: number
}

export interface ConsumeRequest {
  /**
   * Identifies this operation of this user; sent again within 48 hours it gets the same answer and counts
   * once.
   */
  operation_id: string
  /** 1 if absent. */
  amount?: number
  /** Only, and always, for limits that are counted for each project. */
  project_id?: string
  /** Only, and always, for limits that are counted for each of something else. */
  scope_id?: string
}

export interface ReleaseRequest {
  operation_id: string
  /** If absent, all that the consumed operation has left, or 1 without one. */
  amount?: number
  /**
   * The operation that is released. If absent, the one consumed under this `operation_id`, if there is one.
   */
  consume_operation_id?: string
  project_id?: string
  scope_id?: string
}

export interface UsageReport {
  /** All that is in use now. */
  used: number
  project_id?: string
  scope_id?: string
}

export interface Allowance {
  allowed: boolean
  /** What the plan in effect allows. */
  limit: number
  /** After this operation. */
  used: number
  /** Never below 0. */
  remaining: number
  /** UTC, `YYYY-MM-DDThh:mm:ssZ`; null where nothing is reset. */
  resets_at: string | null
  /** Null when allowed. */
  reason: 'limit_reached' | 'over_limit' | null
}

/** Null deletes, absent leaves. */
export interface UserUpdate {
  email?: string | null
  name?: string | null
  locale?: Locale | null
}

export type Locale = 'ar' | 'fr' | 'en'

export interface PlatformUser {
  user_id: string
  plan: string
  status: 'active' | 'past_due' | 'expired' | 'canceled'
  current_period_end: string | null
  payment_method: string | null
  limits: PlanLimits
  usage: Usage
  /** When the counters of a day count from zero again. */
  resets_at: string
  /** The same of a month, where the catalogue counts something by the month. */
  month_resets_at?: string
  over_limit: {
    limit: LimitName | (string & {})
    project_id?: string
    scope_id?: string
    used: number
    max: number
  }[]
  /** Null when nothing is for sale. */
  renewal: {
    allowed: boolean
    plan: string
    /** Whole dinars. */
    amount: number
    currency: string
    would_start: string
    would_end: string
    renewable_from: string | null
  } | null
  email: string | null
  name: string | null
  locale: Locale | null
}

export interface Overview extends PlatformUser {
  /** A checkout that can be paid now. */
  pending_payment: Payment | null
  /**
   * All time of the user in order, without what was taken back; the end of a piece is the start of the next.
   */
  time: {
    start: string
    end: string
    /** `gap`: no plan was paid or granted. */
    given_by: 'paid' | 'code' | 'granted' | 'gap'
    /** Null in a gap. */
    plan: string | null
    /** Of the payment, the redeemed code or the grant; null in a gap. */
    id: string | null
  }[]
}

export interface BillingStatus {
  plan: string
  status: 'active' | 'past_due' | 'expired' | 'canceled'
  current_period_end: string | null
  /** Of the last payment. */
  payment_method: string | null
}

export interface PortalSession {
  /** Works once; send the user there at once. */
  url: string
  expires_at: string
}

export interface Plan {
  id: string
  name: string
  /** Whole units of `currency` for one calendar month. */
  price: number
  currency: string
  limits: PlanLimits
}

/** A term in which a plan is sold. */
export interface Offer {
  plan: string
  /** 1 to 36. */
  months: number
  /** For the whole term. */
  price: number
  currency: string
  /** Against as many single months. */
  saves: number
}

export interface Quote {
  /** `change`: another plan for the time that is paid. */
  kind: 'purchase' | 'change'
  plan: string
  /** Null for a change. */
  months: number | null
  /** Of the offer, or of the plan for the time that is left. */
  price: number
  /** What is left of what was paid for the time that changes; 0 for a purchase. */
  credit: number
  /** What is taken off. */
  discount: number
  /** What is to be paid. */
  amount: number
  currency: string
  would_start: string
  would_end: string
  /** The code whose discount is taken off, as it is printed; null without one. */
  code: string | null
}

export interface PaymentRequest {
  plan: string
  /** 1 if absent; not with `start: 'now'`. */
  months?: number
  /** `now`: a dearer plan for the time that is paid, for the difference. `end` if absent. */
  start?: 'now' | 'end'
  /** A code of the seller's, for a discount. */
  code?: string
  /** `card` if absent. */
  method?: string
  /** The number of the buyer's own order, of at most 40 letters and digits: it stands on the documents. */
  po_number?: string
}

export interface UpgradeResult {
  /** The page to send the user to. */
  checkout_url: string
  payment_id: string
}

/** What a code of months gave. */
export interface Redeemed {
  plan: string
  months: number
  current_period_end: string
}

export interface Redemptions {
  data: {
    id: string
    plan: string
    months: number
    redeemed_at: string
    period_start: string
    period_end: string
  }[]
}

/** Who acts for an account, by the platform's own id. Without a role: its owner. */
export interface Person {
  id: string
  role?: 'owner' | 'payer' | 'reader'
}

export interface Payment {
  id: string
  /** The person who ordered it for the account; null where none is named. */
  bought_by: string | null
  /** `change`: another plan for time that runs; `top_up`: money for the balance. */
  kind: 'purchase' | 'change' | 'top_up'
  /** Null for a top-up, as the months are. */
  plan: string | null
  months: number | null
  /** Once it is paid: what came. */
  amount: number
  /** What was asked for, where another amount came and was taken; else null. */
  amount_asked: number | null
  currency: string
  status: 'pending' | 'paid' | 'failed' | 'canceled' | 'expired' | 'review' | 'refunded'
  method: 'card' | 'transfer' | 'cash' | 'cheque' | 'balance'
  /** The kind of card or account, once it is known. */
  payment_method: string | null
  /** Only while it can be paid; null where there is no page. */
  checkout_url: string | null
  /** How to pay without a card; null where the provider takes the money. */
  transfer: {
    /** To be written on the transfer: `K4M9-2R8F-JW36`. */
    reference: string
    /** Any one of them; none once it is decided. */
    accounts: {
      kind: 'ccp' | 'baridimob' | 'bank'
      holder: string
      number: string
      key: string | null
      rip: string | null
      bank: string | null
      iban: string | null
    }[]
    /** Takes a picture or PDF of it (`uploadProof`); null once it is decided. */
    proof_url: string | null
  } | null
  created_at: string
  expires_at: string
  paid_at: string | null
  period_start: string | null
  period_end: string | null
  /** Once paid. */
  receipt_url: string | null
}

export interface Document {
  kind: 'receipt' | 'invoice' | 'credit_note'
  /** `F-2026-000042` */
  number: string
  /** `YYYY-MM-DD` */
  issued_on: string
  /** The number of the document that it replaces, or takes back. */
  about: string | null
  /** Of the buyer's own order. */
  po_number: string | null
}

export interface ProformaRequest {
  plan: string
  /** 1 if absent; not with `start: 'now'`. */
  months?: number
  /** As of a payment. */
  start?: 'now' | 'end'
  /** The number of the buyer's own order. */
  po_number?: string
  /** Of the PDF. */
  lang?: Locale
}

export interface Proforma {
  /** `P-2026-000003` */
  number: string
  plan: string
  /** Null for a change. */
  months: number | null
  amount: number
  currency: string
  po_number: string | null
  /** `YYYY-MM-DD` */
  issued_on: string
  /** The last day on which its price holds. */
  valid_until: string
}

export interface PaymentsQuery {
  /** Of a page: 1 to 100, 20 if absent. */
  limit?: number
  /** `next_cursor` of the page before. */
  cursor?: string
  status?: Payment['status']
}

export interface PaymentPage {
  data: Payment[]
  has_more: boolean
  next_cursor: string | null
}

/** A picture or PDF of a transfer. */
export interface Proof {
  /** Which one of its transfer: 1, 2 or 3. */
  n: number
  /** By its content. */
  type: 'image/jpeg' | 'image/png' | 'application/pdf'
  /** What follows the end of a picture is left out. */
  bytes: number
  uploaded_at: string
  /** Since then its content is gone. */
  erased_at: string | null
}

/** A change of a balance. */
export interface BalanceEntry {
  id: string
  kind: 'top_up' | 'purchase' | 'renewal' | 'returned' | 'surplus' | 'correction' | 'paid_out'
  /** Whole dinars; below zero where it takes. */
  amount: number
  /** What there is from then on. */
  balance_after: number
  /** What was paid, or bought. */
  payment_id: string | null
  note: string | null
  created_at: string
}

/** What a balance buys whenever the paid time ends. */
export interface StandingOrder {
  plan: string
  months: number
  /** Whole dinars for each renewal, as it was agreed. */
  price: number
  /** When it buys next, if the money is there; null: as soon as it is there. */
  next_at: string | null
  /** What the catalogue asks by now; it counts once the order is set again. */
  offered_price: number | null
}

export interface BalanceQuery {
  /** Of a page: 1 to 100, 20 if absent. */
  limit?: number
  /** `next_cursor` of the page before. */
  cursor?: string
}

/** What a user has paid in and not spent. */
export interface UserBalance {
  amount: number
  currency: string
  /** The standing order; null: there is none. */
  renewal: StandingOrder | null
  /** Newest first. */
  data: BalanceEntry[]
  has_more: boolean
  next_cursor: string | null
}

/** What an invoice names of the buyer. What is absent is null; spaces and hyphens in numbers do no harm. */
export interface BuyerDetails {
  kind: 'person' | 'company'
  /** Or the raison sociale. */
  name?: string | null
  address?: string | null
  /** Registre du commerce. */
  rc?: string | null
  /** 15 digits, 20 of a branch. */
  nif?: string | null
  /** 15 digits. */
  nis?: string | null
  /** 3 to 20 characters. */
  ai?: string | null
  /** Such as `SARL`. */
  legal_form?: string | null
  /** As it is to be written. */
  capital?: string | null
  phone?: string | null
  email?: string | null
}

export interface Buyer {
  /** Null: nothing was given. */
  kind: 'person' | 'company' | null
  name: string | null
  address: string | null
  rc: string | null
  nif: string | null
  nis: string | null
  ai: string | null
  legal_form: string | null
  capital: string | null
  phone: string | null
  email: string | null
  /** An invoice can be made out. */
  complete: boolean
  /** What an invoice cannot do without, and is not given. */
  missing: ('kind' | keyof Omit<BuyerDetails, 'kind'>)[]
}

export interface TopUpRequest {
  /** In whole dinars. */
  amount: number
  /** `card` if absent. */
  method?: string
}

export interface RenewalRequest {
  plan: string
  /** 1 if absent. */
  months?: number
}

export type EventType =
  | 'subscription.activated'
  | 'subscription.renewed'
  | 'subscription.changed'
  | 'subscription.expiring'
  | 'subscription.past_due'
  | 'subscription.expired'
  | 'subscription.canceled'
  | 'subscription.granted'
  | 'payment.requested'
  | 'payment.proof_received'
  | 'payment.paid'
  | 'payment.failed'
  | 'payment.refused'
  | 'payment.review'
  | 'payment.refunded'
  | 'balance.changed'
  | 'balance.renewal_changed'

export interface EventData {
  readonly user_id: string
  /** Counts the events of this user from 1, without gaps. */
  readonly sequence: number
  readonly subscription: {
    readonly plan: string
    readonly status: string
    readonly current_period_end: string | null
    readonly payment_method: string | null
    readonly limits: Readonly<Record<string, number>>
  }
  readonly payment?: {
    readonly id: string
    readonly kind: 'purchase' | 'change' | 'top_up'
    /** Null for a top-up, as the months are. */
    readonly plan: string | null
    readonly bought_by: string | null
    readonly months: number | null
    readonly amount: number
    /** What was asked for, where another amount came and was taken; else null. */
    readonly amount_asked: number | null
    readonly currency: string
    readonly status: string
    /** `card`. */
    readonly method: string
    readonly payment_method: string | null
    readonly paid_at: string | null
    readonly period_start: string | null
    readonly period_end: string | null
  }
  /**
   * Only of `subscription.granted`: time that no payment bought, days from the operator or months by a code.
   */
  readonly grant?: {
    readonly id: string
    readonly source: 'operator' | 'code'
    readonly plan: string
    /** 0 where days were granted. */
    readonly months: number
    /** Of 24 hours; 0 where a code gave months. */
    readonly days: number
    readonly period_start: string
    readonly period_end: string
  }
  /** Only of `subscription.changed`: another plan in mid-term, or the old one again after its refund. */
  readonly change?: {
    readonly from: string
    readonly to: string
    readonly at: string
    readonly until: string
  }
  /** Only of `payment.refused`: what the operator said. */
  readonly reason?: string
  /** Only of `balance.changed` and `balance.renewal_changed`: how it is after the change. */
  readonly balance?: {
    readonly amount: number
    readonly currency: string
    /** The standing order; null: there is none. */
    readonly renewal: StandingOrder | null
    /** What changed the amount; null: it stayed. */
    readonly entry: BalanceEntry | null
  }
  /** Only for events that time caused, not a payment. */
  readonly announcement?: {
    readonly boundary: Boundary
    /** When it was passed. */
    readonly at: string
    /** Other boundaries passed since the last announcement. */
    readonly skipped: readonly Boundary[]
  }
}

export type Boundary = 'expiring_7_days' | 'expiring_3_days' | 'expiring_1_day' | 'past_due' | 'expired'
