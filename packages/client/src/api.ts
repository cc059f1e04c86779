// Made from the OpenAPI document and the calls of the service by test/client/api.test.ts:
// `npx vitest run --project quick test/client/api.test.ts -u` writes it. Do not edit it.

export type PlanLimits = {
  projects: number
  domains_per_project: number
  deploys_per_day: number
  /** megabytes */
  storage_mb: number
} & {
  [key: string]: number
}

export type Plan = {
  id: string
  name: string
  /** Whole units of `currency` for one calendar month */
  price: number
  currency: string
  limits: PlanLimits
}

export type Offer = {
  plan: string
  /** The term: 1 to 36 months */
  months: number
  /** Whole units of `currency` for the whole term */
  price: number
  currency: string
  /** The saving against as many single months */
  saves: number
}

export type UpgradeRequest = {
  /** The plan to buy a month of */
  plan: string
}

export type UpgradeResult = {
  /** The hosted page to send the user to */
  checkout_url: string
  payment_id: string
}

export type PaymentStatus = 'pending' | 'paid' | 'failed' | 'canceled' | 'expired' | 'review' | 'refunded'

export type Account = {
  kind: 'ccp' | 'baridimob' | 'bank'
  holder: string
  /** Digits: of a CCP, or a RIP (`baridimob`) or RIB (`bank`) of 20 */
  number: string
  /** The two check digits of a CCP */
  key: string | null
  /** The CCP as BaridiMob and banks write it */
  rip: string | null
  /** Its name */
  bank: string | null
  /** The IBAN of a bank account */
  iban: string | null
}

export type Transfer = {
  /** The payer writes this on the transfer */
  reference: string
  /** Any one of them; none once it is decided */
  accounts: Account[]
  /** Takes a picture or PDF of it by PUT; null once it is decided */
  proof_url: string | null
}

/** UTC, `YYYY-MM-DDThh:mm:ssZ`, no fraction */
export type Timestamp = string

export type Payment = {
  id: string
  /** The person who ordered it for the account; null where none is named */
  bought_by: string | null
  /** `change`: another plan for time that runs; `top_up`: money for the balance */
  kind: 'purchase' | 'change' | 'top_up'
  /** Null for a top-up */
  plan: string | null
  /** How many months of the plan it buys; null for all but purchases */
  months: number | null
  /** Whole dinars; once it is paid, what came */
  amount: number
  /** The amount asked for, if another was paid and accepted; else null */
  amount_asked: number | null
  currency: string
  status: PaymentStatus
  /** How it is paid */
  method: 'card' | 'transfer' | 'cash' | 'cheque' | 'balance'
  /** The kind of card or account, such as `edahabia` or `ccp`, once it is known */
  payment_method: string | null
  /** Only while it can be paid; null where there is no page */
  checkout_url: string | null
  /** How to pay without a card; null where the provider takes the money */
  transfer: Transfer | null
  created_at: Timestamp
  expires_at: Timestamp
  paid_at: Timestamp | null
  period_start: Timestamp | null
  period_end: Timestamp | null
  /** Once paid */
  receipt_url: string | null
}

export type Quote = {
  /** `change`: another plan for the time that is paid */
  kind: 'purchase' | 'change'
  plan: string
  /** Null for a change */
  months: number | null
  /** The price of the offer, or of the new plan for the time left; whole units of `currency` */
  price: number
  /** The worth of the time that changes; 0 for a purchase */
  credit: number
  /** The discount */
  discount: number
  /** The amount to pay; 0: redeem the code */
  amount: number
  currency: string
  would_start: Timestamp
  would_end: Timestamp
  /** The code that gives the discount */
  code: string | null
}

export type BillingStatus = {
  /** The plan in effect now */
  plan: string
  /** past_due: up to 3 days past the end, access goes on; expired: later than that */
  status: 'active' | 'past_due' | 'expired' | 'canceled'
  current_period_end: Timestamp | null
  /** The instrument of the last payment */
  payment_method: string | null
}

export type Buyer = {
  /** Null: nothing was given */
  kind: ('person' | 'company') | null
  /** Or the raison sociale; at most 120 characters */
  name: string | null
  /** The address in at most 240 characters */
  address: string | null
  /** Registre du commerce */
  rc: string | null
  /** Numéro d’identification fiscale: 15 digits, 20 of a branch */
  nif: string | null
  /** Numéro d’identification statistique: 15 digits */
  nis: string | null
  /** Article d’imposition: 3 to 20 characters */
  ai: string | null
  /** Legal form, at most 60 characters */
  legal_form: string | null
  /** Share capital, as it is to be written */
  capital: string | null
  /** Telephone, in any form */
  phone: string | null
  /** E-mail address for documents */
  email: string | null
  /** An invoice can be made out */
  complete: boolean
  /** Details that an invoice needs and that are missing */
  missing: (
    | 'kind'
    | 'name'
    | 'address'
    | 'rc'
    | 'nif'
    | 'nis'
    | 'ai'
    | 'legal_form'
    | 'capital'
    | 'phone'
    | 'email'
  )[]
}

export type BuyerDetails = {
  /** A company needs more on an invoice than a person */
  kind: 'person' | 'company'
  /** Or the raison sociale; at most 120 characters */
  name?: string | null
  /** The address in at most 240 characters */
  address?: string | null
  /** Registre du commerce */
  rc?: string | null
  /** Numéro d’identification fiscale: 15 digits, 20 of a branch */
  nif?: string | null
  /** Numéro d’identification statistique: 15 digits */
  nis?: string | null
  /** Article d’imposition: 3 to 20 characters */
  ai?: string | null
  /** Legal form, at most 60 characters */
  legal_form?: string | null
  /** Share capital, as it is to be written */
  capital?: string | null
  /** Telephone, in any form */
  phone?: string | null
  /** E-mail address for documents */
  email?: string | null
}

export type Locale = 'ar' | 'fr' | 'en'

export type Document = {
  kind: 'receipt' | 'invoice' | 'credit_note'
  number: string
  /** `YYYY-MM-DD`, in the billing time zone */
  issued_on: string
  /** The number of the document that it replaces, or takes back */
  about: string | null
  /** The number of the buyer’s own purchase order */
  po_number: string | null
}

export type DocumentsOfPayment = {
  documents: Document[]
}

export type Proof = {
  /** Which one of its transfer */
  n: number
  /** The type, read from the content */
  type: 'image/jpeg' | 'image/png' | 'application/pdf'
  /** The size, without bytes after the end of a picture */
  bytes: number
  uploaded_at: Timestamp
  erased_at: Timestamp | null
}

export type Proforma = {
  number: string
  plan: string
  /** Null for a change */
  months: number | null
  /** Whole units of `currency` */
  amount: number
  currency: string
  po_number: string | null
  /** `YYYY-MM-DD`, in the billing time zone */
  issued_on: string
  /** The last day on which its price holds */
  valid_until: string
}

export type Proformas = {
  proformas: Proforma[]
}

export type RedeemRequest = {
  /** A code, in either case, with or without hyphens and spaces */
  code: string
  /** The plan, for a code that leaves nothing to pay */
  plan?: string
  /** The term of that plan, 1 if absent */
  months?: number
}

export type Redeemed = {
  plan: string
  /** The months that the code gave */
  months: number
  current_period_end: Timestamp
}

export type Redemption = {
  id: string
  plan: string
  /** The months that the code gave */
  months: number
  redeemed_at: Timestamp
  period_start: Timestamp
  period_end: Timestamp
}

export type Redemptions = {
  data: Redemption[]
}

export type StandingOrder = {
  plan: string
  /** The months of each renewal */
  months: number
  /** The price of each renewal, as it was agreed, in whole dinars */
  price: number
  /** When it buys next, if the money is there; null: as soon as it is there */
  next_at: Timestamp | null
  /** The catalogue’s price now, which holds once the user sets the order again, in whole dinars */
  offered_price: number | null
}

export type BalanceEntry = {
  id: string
  /**
   * `returned`: a payment was refunded to the balance; `surplus`: money that found nothing to buy;
   * `paid_out`: given back to the user
   */
  kind: 'top_up' | 'purchase' | 'renewal' | 'returned' | 'surplus' | 'correction' | 'paid_out'
  /** Below zero where it takes, in whole dinars */
  amount: number
  /** The balance after the entry, in whole dinars */
  balance_after: number
  /** The payment that the entry belongs to */
  payment_id: string | null
  note: string | null
  created_at: Timestamp
}

export type UserBalance = {
  /** The money paid in and not spent, in whole dinars */
  amount: number
  currency: string
  /** The standing order; null: there is none */
  renewal: StandingOrder | null
  /** Newest first */
  data: BalanceEntry[]
  has_more: boolean
  next_cursor: string | null
}

export type RenewalRequest = {
  plan: string
  /** The term, 1 if absent */
  months?: number
}

export type Usage = {
  projects: number
  /** The usage by project; zeros are left out */
  domains_per_project: {
    [key: string]: number
  }
  /** The usage of the day that ends at `resets_at` */
  deploys_per_day: number
  storage_mb: number
} & {
  [key: string]:
    | number
    | {
        [key: string]: number
      }
}

export type OverLimit = {
  limit: string
  project_id?: string
  used: number
  max: number
  /** Only, and always, for limits that are counted for each of something else */
  scope_id?: string
}

export type Renewal = {
  /** Whether an upgrade would be accepted now */
  allowed: boolean
  plan: string
  /** Whole dinars */
  amount: number
  currency: string
  would_start: Timestamp
  would_end: Timestamp
  renewable_from: Timestamp | null
}

export type HeldTime = {
  start: Timestamp
  end: Timestamp
  /** `gap`: no plan was paid or granted */
  given_by: 'paid' | 'code' | 'granted' | 'trial' | 'gap'
  /** Null in a gap */
  plan: string | null
  /** The id of the payment, redemption or grant; null in a gap */
  id: string | null
}

export type Overview = {
  user_id: string
  /** The plan in effect now */
  plan: string
  /** past_due: up to 3 days past the end, access goes on; expired: later than that */
  status: 'active' | 'past_due' | 'expired' | 'canceled'
  current_period_end: Timestamp | null
  /** The instrument of the last payment */
  payment_method: string | null
  limits: PlanLimits
  usage: Usage
  resets_at: Timestamp
  /** Usage above what the plan in effect allows. Nothing is deleted; creating more is refused. */
  over_limit: OverLimit[]
  /** Null when nothing is for sale */
  renewal: Renewal | null
  email: string | null
  name: string | null
  locale: Locale | null
  /** A checkout that can be paid now */
  pending_payment: Payment | null
  /**
   * All time of the user in order, without what was taken back by a refund or an operator; the end of
   * a piece is the start of the next
   */
  time: HeldTime[]
  month_resets_at?: Timestamp
}

export type PortalSessionRequest = {
  /** The path under PLATFORM_URL to which "back" leads */
  return_path?: string
}

export type PortalSession = {
  /** Works once; send the user there at once */
  url: string
  expires_at: Timestamp
}

export type PlatformPaymentRequest = {
  /** The plan to buy */
  plan: string
  /** The term, 1 if absent; not with `start: now` */
  months?: number
  /**
   * `end`, which it is if absent: more time; `now`: a dearer plan for the time that is paid, for the
   * difference
   */
  start?: 'now' | 'end'
  /** A code, in either case, with or without hyphens and spaces */
  code?: string
  /**
   * Where the page after paying leads, with `payment_id` and `status` added: an address of
   * `PLATFORM_URL` or `RETURN_ORIGINS`. A repetition keeps the first one
   */
  return_url?: string
  /** The number of the buyer’s own order: it stands on the documents */
  po_number?: string
  /** How to pay, as a payment names it; `card` if absent */
  method?: string
  /**
   * The platform’s notes at the payment: at most 20 names of 40 characters, each with a text of at
   * most 500. The user never sees it. A repetition keeps the first one
   */
  metadata?: {
    [key: string]: string
  }
}

export type PlatformPayment = {
  id: string
  /** The person who ordered it for the account; null where none is named */
  bought_by: string | null
  /** `change`: another plan for time that runs; `top_up`: money for the balance */
  kind: 'purchase' | 'change' | 'top_up'
  /** Null for a top-up */
  plan: string | null
  /** How many months of the plan it buys; null for all but purchases */
  months: number | null
  /** Whole dinars; once it is paid, what came */
  amount: number
  /** The amount asked for, if another was paid and accepted; else null */
  amount_asked: number | null
  currency: string
  status: PaymentStatus
  /** How it is paid */
  method: 'card' | 'transfer' | 'cash' | 'cheque' | 'balance'
  /** The kind of card or account, such as `edahabia` or `ccp`, once it is known */
  payment_method: string | null
  /** Only while it can be paid; null where there is no page */
  checkout_url: string | null
  /** How to pay without a card; null where the provider takes the money */
  transfer: Transfer | null
  created_at: Timestamp
  expires_at: Timestamp
  paid_at: Timestamp | null
  period_start: Timestamp | null
  period_end: Timestamp | null
  /** Once paid */
  receipt_url: string | null
  /** The platform’s notes at the payment */
  metadata: {
    [key: string]: string
  }
}

export type PlatformPaymentPage = {
  /** Newest first */
  data: PlatformPayment[]
  has_more: boolean
  next_cursor: string | null
}

export type MetadataRequest = {
  /**
   * The platform’s notes at the payment: at most 20 names of 40 characters, each with a text of at
   * most 500. The user never sees it. A repetition keeps the first one
   */
  metadata: {
    [key: string]: string
  }
}

export type PlatformUser = {
  user_id: string
  /** The plan in effect now */
  plan: string
  /** past_due: up to 3 days past the end, access goes on; expired: later than that */
  status: 'active' | 'past_due' | 'expired' | 'canceled'
  current_period_end: Timestamp | null
  /** The instrument of the last payment */
  payment_method: string | null
  limits: PlanLimits
  usage: Usage
  resets_at: Timestamp
  /** Usage above what the plan in effect allows. Nothing is deleted; creating more is refused. */
  over_limit: OverLimit[]
  /** Null when nothing is for sale */
  renewal: Renewal | null
  email: string | null
  name: string | null
  locale: Locale | null
  month_resets_at?: Timestamp
}

export type UserUpdate = {
  email?: string | null
  name?: string | null
  locale?: Locale | null
}

export type ConsumeRequest = {
  /** 1 if absent */
  amount?: number
  /**
   * Names this operation of this user, 1 to 128 printable characters. Sent again within 48 hours it
   * is answered the same and counts once.
   */
  operation_id: string
  /** Only, and always, for `domains_per_project` */
  project_id?: string
  /** Only, and always, for limits that are counted for each of something else */
  scope_id?: string
}

export type Allowance = {
  allowed: boolean
  /** The most that the plan in effect allows */
  limit: number
  /** After this operation */
  used: number
  /** Never below 0 */
  remaining: number
  resets_at: Timestamp | null
  /** Why not; null when allowed. `over_limit`: the plan has shrunk below what is in use. */
  reason: 'limit_reached' | 'over_limit' | null
}

export type ReleaseRequest = {
  /** If absent, all that the consumed operation has left; 1 where none is named */
  amount?: number
  /**
   * Names this operation of this user, 1 to 128 printable characters. Sent again within 48 hours it
   * is answered the same and counts once.
   */
  operation_id: string
  /**
   * The operation that is given back. If absent it is the one consumed under this release’s own
   * `operation_id`, if there is one.
   */
  consume_operation_id?: string
  /** Only, and always, for `domains_per_project` */
  project_id?: string
  /** Only, and always, for limits that are counted for each of something else */
  scope_id?: string
}

export type UsageReport = {
  /** All that is in use now */
  used: number
  /** Only, and always, for `domains_per_project` */
  project_id?: string
  /** Only, and always, for limits that are counted for each of something else */
  scope_id?: string
}

export type TrialRequest = {
  /** A plan with `trial_days` */
  plan: string
}

export type PlatformTopUpRequest = {
  /** The amount in whole dinars */
  amount: number
  /** How to pay, as a payment names it; `card` if absent */
  method?: string
  /**
   * Where the page after paying leads, with `payment_id` and `status` added: an address of
   * `PLATFORM_URL` or `RETURN_ORIGINS`. A repetition keeps the first one
   */
  return_url?: string
  /**
   * The platform’s notes at the payment: at most 20 names of 40 characters, each with a text of at
   * most 500. The user never sees it. A repetition keeps the first one
   */
  metadata?: {
    [key: string]: string
  }
}

export type ListedEvent = {
  /** The id, which is also the `webhook-id` */
  id: string
  /** One of the types in `webhooks` */
  type: string
  timestamp: Timestamp
  /** The data of this type of event, see `webhooks` */
  data: {
    [key: string]: unknown
  }
}

export type EventPage = {
  data: ListedEvent[]
  /** False: these were all until now */
  has_more: boolean
  next_cursor: string
}

export type ChangedUser = {
  user_id: string
  email: string | null
  name: string | null
  state: 'active' | 'grace' | 'expired' | 'ended' | 'never_paid'
  /** The plan in effect now */
  plan: string
  /** past_due: up to 3 days past the end, access goes on; expired: later than that */
  status: 'active' | 'past_due' | 'expired' | 'canceled'
  current_period_end: Timestamp | null
  /** The plan of time that is over */
  ended_plan: string | null
  balance: number
  created_at: Timestamp
  changed_at: Timestamp
}

export type UserPage = {
  data: ChangedUser[]
  /** Null on the last page */
  next_cursor: string | null
}

export type ListedPayment = {
  user_id: string
  id: string
  /** The person who ordered it for the account; null where none is named */
  bought_by: string | null
  /** `change`: another plan for time that runs; `top_up`: money for the balance */
  kind: 'purchase' | 'change' | 'top_up'
  /** Null for a top-up */
  plan: string | null
  /** How many months of the plan it buys; null for all but purchases */
  months: number | null
  /** Whole dinars; once it is paid, what came */
  amount: number
  /** The amount asked for, if another was paid and accepted; else null */
  amount_asked: number | null
  currency: string
  status: PaymentStatus
  /** How it is paid */
  method: 'card' | 'transfer' | 'cash' | 'cheque' | 'balance'
  /** The kind of card or account, such as `edahabia` or `ccp`, once it is known */
  payment_method: string | null
  /** Only while it can be paid; null where there is no page */
  checkout_url: string | null
  /** How to pay without a card; null where the provider takes the money */
  transfer: Transfer | null
  created_at: Timestamp
  expires_at: Timestamp
  paid_at: Timestamp | null
  period_start: Timestamp | null
  period_end: Timestamp | null
  /** Once paid */
  receipt_url: string | null
  /** The platform’s notes at the payment */
  metadata: {
    [key: string]: string
  }
}

export type ListedPaymentPage = {
  data: ListedPayment[]
  /** Null on the last page */
  next_cursor: string | null
}

/** The state after the change; the limits are those in effect */
export type EventSubscription = {
  /** The plan in effect now */
  readonly plan: string
  readonly status: string
  readonly current_period_end: Timestamp | null
  /** The instrument of the last payment */
  readonly payment_method: string | null
  readonly limits: {
    readonly [key: string]: number
  }
}

export type EventPayment = {
  readonly id: string
  /** The person who ordered it for the account; null where none is named */
  readonly bought_by: string | null
  /** `change`: another plan for time that runs; `top_up`: money for the balance */
  readonly kind: 'purchase' | 'change' | 'top_up'
  /** Null for a top-up */
  readonly plan: string | null
  /** How many months of the plan it buys; null for all but purchases */
  readonly months: number | null
  /** Whole dinars; once it is paid, what came */
  readonly amount: number
  /** The amount asked for, if another was paid and accepted; else null */
  readonly amount_asked: number | null
  readonly currency: string
  readonly status: string
  readonly method: string
  /** The kind of card or account, such as `edahabia` or `ccp`, once it is known */
  readonly payment_method: string | null
  readonly paid_at: Timestamp | null
  readonly period_start: Timestamp | null
  readonly period_end: Timestamp | null
  /** The platform’s notes at the payment */
  readonly metadata?: {
    readonly [key: string]: string
  }
}

/** The plans before and after, and the time that changed */
export type EventChange = {
  readonly from: string
  readonly to: string
  readonly at: Timestamp
  readonly until: Timestamp
}

export type Boundary = 'expiring_7_days' | 'expiring_3_days' | 'expiring_1_day' | 'past_due' | 'expired'

/** Which boundary time has passed, and when */
export type Announcement = {
  readonly boundary: Boundary
  readonly at: Timestamp
  /** Passed too while the service was stopped, and no longer true; they have no events of their own */
  readonly skipped: readonly Boundary[]
}

/** Time that no payment bought */
export type EventGrant = {
  readonly id: string
  readonly source: 'operator' | 'code' | 'trial'
  readonly plan: string
  /** 0 if days were granted */
  readonly months: number
  /** Days of 24 hours; 0 if a code gave months */
  readonly days: number
  readonly period_start: Timestamp
  readonly period_end: Timestamp
}

/** The balance after the change; `entry` is what changed it, null where it stayed */
export type EventBalance = {
  /** The money paid in and not spent, in whole dinars */
  readonly amount: number
  readonly currency: string
  /** The standing order; null: there is none */
  readonly renewal: StandingOrder | null
  readonly entry: BalanceEntry | null
}

export type SealedHead = {
  /** The day in the billing time zone */
  readonly day: string
  /** How many entries are sealed */
  readonly position: number
  /** SHA-256 of the last seal, hexadecimal */
  readonly hash: string
}

export type BooksSealedEvent = {
  readonly type: 'books.sealed'
  readonly timestamp: Timestamp
  readonly data: SealedHead
}

export type QuoteQuery = {
  /** The plan to buy */
  plan: string
  /** The term, 1 if absent; not with `start: now` */
  months?: number
  /**
   * `end`, which it is if absent: more time; `now`: a dearer plan for the time that is paid, for the
   * difference
   */
  start?: 'now' | 'end'
  /** A code, in either case, with or without hyphens and spaces */
  code?: string
}

export type PaymentsQuery = {
  limit?: number
  /** Opaque, from `next_cursor` */
  cursor?: string
  status?: 'pending' | 'paid' | 'failed' | 'canceled' | 'expired' | 'review' | 'refunded'
}

export type PdfRequest = {
  lang?: Locale
}

export type DocumentsRequest = {
  /** The year of issue */
  year: number
  lang?: Locale
}

export type ProformaRequest = {
  /** The plan to buy */
  plan: string
  /** The term, 1 if absent; not with `start: now` */
  months?: number
  /**
   * `end`, which it is if absent: more time; `now`: a dearer plan for the time that is paid, for the
   * difference
   */
  start?: 'now' | 'end'
  /** The number of the buyer’s own order: it stands on the documents */
  po_number?: string
  lang?: Locale
}

export type BalanceQuery = {
  limit?: number
  /** Opaque, from `next_cursor` */
  cursor?: string
}

export type ListEventsQuery = {
  /** `next_cursor` of an earlier answer */
  after?: string
  /** How many, 50 if absent */
  limit?: number
}

export type ListUsersQuery = {
  /** `ended`: by an operator; `never_paid`: never had paid or granted time */
  state?: 'active' | 'grace' | 'expired' | 'ended' | 'never_paid'
  /** Only of this plan, now or last */
  plan?: string
  /**
   * Only users whose row was written from here on, the oldest change first: a day in
   * BILLING_TIMEZONE, or an instant in UTC
   */
  changed_since?: string
  /** Opaque, from `next_cursor` */
  cursor?: string
  /** How many, 50 if absent */
  limit?: number
}

export type ListPaymentsQuery = {
  /** Only those of this status */
  status?: 'pending' | 'paid' | 'failed' | 'canceled' | 'expired' | 'review' | 'refunded'
  /** Only those created from here on: a day in BILLING_TIMEZONE, or an instant in UTC */
  created_from?: string
  /** Opaque, from `next_cursor` */
  cursor?: string
  /** How many, 50 if absent */
  limit?: number
}

export type EventData = {
  readonly user_id: string
  /** Counts the events of this user, without gaps: late events are recognised by it */
  readonly sequence: number
  readonly subscription: EventSubscription
  readonly payment?: EventPayment
  readonly change?: EventChange
  readonly announcement?: Announcement
  readonly grant?: EventGrant
  readonly reason?: string
  readonly balance?: EventBalance
}

/** The limits of the service’s default catalogue. PLANS_FILE may have others. */
export type LimitName = 'projects' | 'domains_per_project' | 'deploys_per_day' | 'storage_mb'

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

/** The members of `data` that the events of a type always have, beside the state. */
export interface EventCauses {
  'subscription.activated': never
  'subscription.renewed': never
  'subscription.changed': 'payment' | 'change'
  'subscription.expiring': 'announcement'
  'subscription.past_due': 'announcement'
  'subscription.expired': 'announcement'
  'subscription.canceled': never
  'subscription.granted': 'grant'
  'payment.requested': 'payment'
  'payment.proof_received': 'payment'
  'payment.paid': 'payment'
  'payment.failed': 'payment'
  'payment.refused': 'payment' | 'reason'
  'payment.review': 'payment'
  'payment.refunded': 'payment'
  'balance.changed': 'balance'
  'balance.renewal_changed': 'balance'
}

/** The orders for an account. */
export interface UserOrders {
  /**
   * Upgrade plan. Opens a checkout at the provider; send the user to `checkout_url`. It is also the
   * renewal, in the last days of the paid time and in grace. A dearer plan than the one that runs
   * begins now, for the difference, and ends when the paid time ends.
   */
  upgrade(userId: string, request: UpgradeRequest): Promise<UpgradeResult>
  /**
   * Create a payment. Buys a term of a plan, also before the renewal window, or changes to a dearer
   * one; send the user to `checkout_url`. A repetition gives the same payment, and another choice takes
   * its place: `checkout_url` is null where that happened meanwhile. 409 `nothing_to_pay` where the
   * code leaves nothing to pay: redeem it.
   */
  createPayment(userId: string, request: PlatformPaymentRequest): Promise<PlatformPayment>
  /**
   * Set the buyer’s details. In place of what was given before: what is absent is null. 403 for anyone
   * but an owner. What is typed is kept; spaces, dots and hyphens in numbers are no fault. Documents
   * that were issued stay.
   */
  setBuyer(userId: string, request: BuyerDetails): Promise<Buyer>
  /**
   * The invoice of a payment, which is issued if there is none. For a person; a company gets one
   * without asking. It shows the buyer’s details, which must be complete (409 `buyer_incomplete`), and
   * names the receipt that it replaces. A repeated call returns the same invoice.
   */
  invoice(userId: string, paymentId: string): Promise<Document>
  /**
   * Upload a proof of a transfer. The body is the file: a JPEG, PNG or PDF of at most 8 MiB, told by
   * its content. At most 3 a transfer; the same file again is the same proof.
   */
  uploadProof(userId: string, paymentId: string, file: Uint8Array<ArrayBuffer> | Blob): Promise<Proof>
  /** Order a proforma by transfer. Opens a transfer at its price. A repetition gives the same payment. */
  orderProforma(userId: string, number: string): Promise<PlatformPayment>
  /**
   * Redeem a code. For a code that gives months of a plan, or, with `plan`, one that leaves nothing to
   * pay for it. They follow on the paid time, or begin now. A code that the user has redeemed, and
   * cannot redeem again, gets the same answer again. An open checkout that holds the code is closed.
   * 404 where the service has no codes.
   */
  redeem(userId: string, request: RedeemRequest): Promise<Redeemed>
  /** Stop the automatic renewal. The balance stays as it is. */
  endRenewal(userId: string): Promise<UserBalance>
  /**
   * Top up the balance. Money for the balance, by any method that the seller takes; send the user to
   * `checkout_url`. A repeated call returns the same payment, and another amount replaces it. 422 if
   * the balance would be above its limit.
   */
  topUpBalance(userId: string, request: PlatformTopUpRequest): Promise<PlatformPayment>
  /**
   * Set the automatic renewal. Whenever the paid time ends, the balance buys this term at today’s
   * price, while the money lasts. A repeated call replaces the order. This is how a user agrees to
   * another price.
   */
  setRenewal(userId: string, request: RenewalRequest): Promise<StandingOrder>
  /**
   * Open the customer portal. A link that works once, for five minutes; it becomes a session of 12
   * hours in the browser that follows it.
   */
  openPortal(userId: string, request?: PortalSessionRequest): Promise<PortalSession>
}

/** The readings, and the calls of the platform alone. */
export interface UserCalls {
  /** Get a quote. The time and price of a payment made now, by the same decision as the payment itself. */
  quote(userId: string, query: QuoteQuery): Promise<Quote>
  /** Get billing status. Computed from what was paid and the time of asking. */
  status(userId: string): Promise<BillingStatus>
  /** Payment history. Newest first, in pages: nothing is skipped or repeated while payments arrive. */
  payments(userId: string, query?: PaymentsQuery): Promise<PlatformPaymentPage>
  /** One payment */
  payment(userId: string, paymentId: string): Promise<PlatformPayment>
  /**
   * Replace the metadata of a payment. All of it, whatever the status of the payment is; `{}` clears.
   * Events that were written before keep what they told.
   */
  setMetadata(userId: string, paymentId: string, request: MetadataRequest): Promise<PlatformPayment>
  /** Get the buyer’s details. The buyer’s details for invoices, and those that are missing. */
  buyer(userId: string): Promise<Buyer>
  /**
   * Overview. Plan, limits, usage, what a renewal would buy, the checkout that is waiting to be paid,
   * and all time that was paid or granted.
   */
  overview(userId: string): Promise<Overview>
  /**
   * A user: status, limits, usage, renewal. An unknown user is on the free plan. All figures are of one
   * instant.
   */
  user(userId: string): Promise<PlatformUser>
  /**
   * Update a user. For mail and receipts. What is absent stays, null clears. Answers with the user as
   * they are now.
   */
  updateUser(userId: string, request: UserUpdate): Promise<PlatformUser>
  /**
   * Consume. Counts if there is room; yes and no are both 200. Exact under any concurrency: the figures
   * come from the statement that decided. A denied operation is not remembered, so the same
   * `operation_id` may be sent again after an upgrade.
   */
  consume(userId: string, limit: string, request: ConsumeRequest): Promise<Allowance>
  /**
   * Give back. Never below zero, and nothing twice. What was consumed on a day that is over is not
   * given back to today.
   */
  release(userId: string, limit: string, request: ReleaseRequest): Promise<Allowance>
  /**
   * Report usage. The platform’s own count, absolute. It is never refused, even above the limit. Report
   * 0 for a project that is gone.
   */
  reportUsage(userId: string, limit: string, request: UsageReport): Promise<Allowance>
  /**
   * The receipt of a payment. One page of PDF. The language is `lang`, else that of the token or of the
   * profile that the platform has set, else `Accept-Language`, else Arabic.
   */
  receipt(userId: string, paymentId: string, query?: PdfRequest): Promise<Uint8Array<ArrayBuffer>>
  /**
   * The receipts of a year. CSV in UTF-8 with amounts in dinars, of the last 600 where there are more.
   * The language is `lang`, else that of the token or of the profile that the platform has set, else
   * `Accept-Language`, else Arabic.
   */
  documents(userId: string, query: DocumentsRequest): Promise<Uint8Array<ArrayBuffer>>
  /**
   * The documents of a payment, in the order in which they were issued. The receipt, or the invoice in
   * its place; then invoices and credit notes. None before it is paid.
   */
  documentsOf(userId: string, paymentId: string): Promise<DocumentsOfPayment['documents']>
  /**
   * A document of a payment. One page of PDF. The language is `lang`, else that of the token or of the
   * profile that the platform has set, else `Accept-Language`, else Arabic.
   */
  document(
    userId: string,
    paymentId: string,
    number: string,
    query?: PdfRequest,
  ): Promise<Uint8Array<ArrayBuffer>>
  /**
   * A proforma. What a company’s accountant needs before an order of payment: the invoice as it would
   * be, at a price that holds for 15 days. Asked for again on the same day it is the same. The address
   * of the PDF, with its number, stands in `Content-Location`. The language is `lang`, else that of the
   * token or of the profile that the platform has set, else `Accept-Language`, else Arabic.
   */
  proforma(userId: string, query: ProformaRequest): Promise<Uint8Array<ArrayBuffer>>
  /** The newest 100 proformas whose price holds and that are not paid */
  proformas(userId: string): Promise<Proformas['proformas']>
  /**
   * A proforma, by its number. One page of PDF. The language is `lang`, else that of the token or of
   * the profile that the platform has set, else `Accept-Language`, else Arabic.
   */
  printProforma(userId: string, number: string, query?: PdfRequest): Promise<Uint8Array<ArrayBuffer>>
  /**
   * Start a trial. Gives the `trial_days` of the plan once, to a user who never had paid time; 409
   * `conflict` otherwise, and for a repetition. What the user buys during the trial starts at its end.
   * A trial has no grace.
   */
  startTrial(userId: string, request: TrialRequest): Promise<BillingStatus>
  /** Redeemed codes, newest first */
  redemptions(userId: string): Promise<Redemptions>
  /**
   * Get the balance. The money paid in and not spent, the standing order, and the entries in pages,
   * newest first.
   */
  balance(userId: string, query?: BalanceQuery): Promise<UserBalance>
}

/** The readings of all users. */
export interface PlatformLists {
  /**
   * The events of all users in one order, also those that were not delivered. Without `after` from the
   * oldest kept. Nothing later appears behind a cursor that was given out. A cursor is good for 90
   * days, then it is answered 410; each answer has a new one.
   */
  listEvents(query?: ListEventsQuery): Promise<EventPage>
  /**
   * All users, or those of a state or a plan, or those that changed. With `changed_since` the oldest
   * change comes first, and a user who changes meanwhile may come twice. Begin the next reading a
   * minute before the last `changed_at`, because a write that was still running may have an earlier
   * one. Only a write is a change: time that ends by itself is none. A page may have fewer users than
   * `limit` although more follow.
   */
  listUsers(query?: ListUsersQuery): Promise<UserPage>
  /** Payments of all users, newest first */
  listPayments(query?: ListPaymentsQuery): Promise<ListedPaymentPage>
}

/** Below the address of the user. */
export const CALLS = {
  upgrade: { method: 'POST', path: '/upgrade' },
  createPayment: { method: 'POST', path: '/payments' },
  quote: { method: 'GET', path: '/quote' },
  status: { method: 'GET', path: '/status' },
  payments: { method: 'GET', path: '/payments' },
  payment: { method: 'GET', path: '/payments/:payment_id' },
  setMetadata: { method: 'PUT', path: '/payments/:payment_id/metadata' },
  buyer: { method: 'GET', path: '/buyer' },
  setBuyer: { method: 'PUT', path: '/buyer' },
  overview: { method: 'GET', path: '/overview' },
  user: { method: 'GET', path: '' },
  updateUser: { method: 'PUT', path: '' },
  consume: { method: 'POST', path: '/limits/:limit/consume' },
  release: { method: 'POST', path: '/limits/:limit/release' },
  reportUsage: { method: 'PUT', path: '/limits/:limit/usage' },
  receipt: { method: 'GET', path: '/payments/:payment_id/receipt', gives: 'file' },
  documents: { method: 'GET', path: '/documents', gives: 'file' },
  invoice: { method: 'POST', path: '/payments/:payment_id/invoice' },
  documentsOf: { method: 'GET', path: '/payments/:payment_id/documents', list: 'documents' },
  document: { method: 'GET', path: '/payments/:payment_id/documents/:number', gives: 'file' },
  uploadProof: { method: 'PUT', path: '/payments/:payment_id/proof', takes: 'file' },
  proforma: { method: 'GET', path: '/proforma', gives: 'file' },
  proformas: { method: 'GET', path: '/proformas', list: 'proformas' },
  printProforma: { method: 'GET', path: '/proformas/:number', gives: 'file' },
  orderProforma: { method: 'POST', path: '/proformas/:number/payments' },
  startTrial: { method: 'POST', path: '/trial' },
  redeem: { method: 'POST', path: '/redeem' },
  redemptions: { method: 'GET', path: '/redemptions' },
  balance: { method: 'GET', path: '/balance' },
  endRenewal: { method: 'DELETE', path: '/balance/renewal' },
  topUpBalance: { method: 'POST', path: '/balance/top-ups' },
  setRenewal: { method: 'PUT', path: '/balance/renewal' },
  openPortal: { method: 'POST', path: '/portal-sessions' },
} as const

/** Below the address of the platform’s part. */
export const LISTS = { listEvents: '/events', listUsers: '/users', listPayments: '/payments' } as const
