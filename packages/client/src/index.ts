// The client for the hosting platform: `import { createClient } from '@ishtirak/client'`. It imports nothing,
// not even types, and needs only `fetch` and `crypto.subtle`, so it runs in Node and at the edge.
import { type Call, createCall } from './call.js'
import { BillingUnreachableError } from './errors.js'
import { rememberLimits } from './remembered-limits.js'
import type {
  Allowance,
  BalanceQuery,
  BillingStatus,
  Buyer,
  BuyerDetails,
  ConsumeRequest,
  Document,
  LimitName,
  Locale,
  Offer,
  Overview,
  Payment,
  PaymentPage,
  PaymentRequest,
  PaymentsQuery,
  Person,
  Plan,
  PlatformUser,
  PortalSession,
  Proforma,
  ProformaRequest,
  Proof,
  Quote,
  Redeemed,
  Redemptions,
  ReleaseRequest,
  RenewalRequest,
  StandingOrder,
  TopUpRequest,
  UpgradeResult,
  UsageReport,
  UserBalance,
  UserUpdate,
} from './types.js'
import { verifyEvent } from './verify-event.js'

export { BillingApiError, BillingConfigurationError, BillingUnreachableError } from './errors.js'
export { type ActRequest, createOperator, type Operator, type OperatorOptions } from './operator.js'
export type * from './types.js'
export { type BillingEvent, type EventHeaders, InvalidEventError, verifyEvent } from './verify-event.js'

export interface ClientOptions {
  /** Where Ishtirak is, as `https://billing.example.dz`. */
  readonly url: string
  /** One of its PLATFORM_API_KEYS. */
  readonly apiKey: string
  /** Whether `consume` allows when billing is unreachable and no recent figures of the user are known. */
  readonly whenUnreachable: 'open' | 'closed'
  /**
   * The time any call may take, its one retry and the reading of the answer included. Unset: 2,000; for
   * `upgrade`, `createPayment` and `topUpBalance` 14,000, `redeem` 7,000, `receipt` and `documents` 10,000,
   * `uploadProof` 70,000.
   */
  readonly timeoutMs?: number
  /** How long the last known figures of a user decide while billing is unreachable. Default: 60,000. */
  readonly rememberLimitsMs?: number
  readonly fetch?: typeof fetch
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/**
 * `source` is what decided: `billing`, the last known figures, or the policy `whenUnreachable`, which has no
 * figures.
 */
export type Consumed =
  | (Allowance & { readonly source: 'billing' | 'remembered' })
  | {
      readonly source: 'policy'
      readonly allowed: boolean
      readonly limit: null
      readonly used: null
      readonly remaining: null
      readonly resets_at: null
      readonly reason: 'billing_unreachable'
    }

/** What is ordered for an account: all of it is refused to a reader, but the portal. */
export interface Orders {
  /**
   * A link into the portal that works once, for five minutes: send the user there. `return_path` is where
   * "back" leads, a path under PLATFORM_URL.
   */
  openPortal(userId: string, request?: { readonly return_path?: string }): Promise<PortalSession>
  /**
   * Buys a month, also as the renewal: send the user to `checkout_url`. A repetition gives the same payment.
   */
  upgrade(userId: string, plan: string): Promise<UpgradeResult>
  /**
   * Buys a term, also ahead; send the user to `checkout_url`. The provider is asked. A repetition gives the
   * same payment.
   */
  createPayment(userId: string, request: PaymentRequest): Promise<Payment>
  /** Opens a transfer at the price of a proforma. A repetition gives the same payment. */
  orderProforma(userId: string, number: string): Promise<Payment>
  /** Send the user to `checkout_url`. A repetition gives the same payment. */
  topUpBalance(userId: string, request: TopUpRequest): Promise<Payment>
  /** Whenever the paid time ends, the balance buys this term. Set again, at the price of now. */
  setRenewal(userId: string, request: RenewalRequest): Promise<StandingOrder>
  endRenewal(userId: string): Promise<UserBalance>
  /**
   * What an invoice names of the buyer, in place of what was given. For owners; refused with each wrong
   * field.
   */
  setBuyer(userId: string, details: BuyerDetails): Promise<Buyer>
  /**
   * Uploads a JPEG, PNG or PDF of at most 8 MiB that shows a transfer; 3 a transfer. The same file again is
   * the same proof.
   */
  uploadProof(userId: string, paymentId: string, file: Uint8Array<ArrayBuffer> | Blob): Promise<Proof>
  /**
   * Redeems a code that gives months, or one that leaves nothing to pay for `free`. The client sends it once,
   * because a user may redeem some codes several times. Any other code can be redeemed again after a
   * `BillingUnreachableError`: the answer is the same.
   */
  redeem(userId: string, code: string, free?: { plan: string; months?: number }): Promise<Redeemed>
}

/** What was issued to an account, as PDF and as lists. */
export interface Documents {
  /** PDF. In the language of the profile, else in Arabic, where no other is asked for. */
  receipt(userId: string, paymentId: string, asked?: PdfRequest): Promise<Uint8Array<ArrayBuffer>>
  /** The receipts of a year as CSV in UTF-8. The language is that of `receipt`. */
  documents(userId: string, asked: DocumentsRequest): Promise<Uint8Array<ArrayBuffer>>
  /** The invoice of a payment: it is issued where there is none. 409 `buyer_incomplete` without details. */
  invoice(userId: string, paymentId: string): Promise<Document>
  /** What was issued for a payment, in order. */
  documentsOf(userId: string, paymentId: string): Promise<Document[]>
  /** PDF, by its number. The language is that of `receipt`. */
  document(
    userId: string,
    paymentId: string,
    number: string,
    asked?: PdfRequest,
  ): Promise<Uint8Array<ArrayBuffer>>
  /**
   * PDF of what an invoice would say, at a price that holds for 15 days; the same all day. 409
   * `buyer_incomplete` without details. The language is that of `receipt`.
   */
  proforma(userId: string, wanted: ProformaRequest): Promise<Uint8Array<ArrayBuffer>>
  /** Those whose price holds and that are not paid, newest first. */
  proformas(userId: string): Promise<Proforma[]>
  /** PDF, by its number. The language is that of `receipt`. */
  printProforma(userId: string, number: string, asked?: PdfRequest): Promise<Uint8Array<ArrayBuffer>>
}

/**
 * Every call throws `BillingApiError` when the API refuses it (`BillingConfigurationError`: the platform's
 * key), and all but `consume` throw `BillingUnreachableError` when it cannot be reached or cannot answer.
 */
export interface Client<Limit extends string = LimitName> extends Orders, Documents {
  /**
   * For a person of an account: `client.as({ id: 'lina', role: 'payer' }).upgrade('acme', 'pro')`. The orders
   * of a `reader` are refused: `BillingApiError`, `forbidden`.
   */
  as(person: Person): Orders
  user(userId: string): Promise<PlatformUser>
  updateUser(userId: string, update: UserUpdate): Promise<PlatformUser>
  /**
   * Whether the user may. Always answers: from billing, else from the last known figures, else by the policy.
   */
  consume(userId: string, limit: Limit, request: ConsumeRequest): Promise<Consumed>
  release(userId: string, limit: Limit, request: ReleaseRequest): Promise<Allowance>
  reportUsage(userId: string, limit: Limit, report: UsageReport): Promise<Allowance>
  /** What there is to buy. */
  plans(): Promise<Plan[]>
  /** What is sold, in the order of the plans, the shortest term first. */
  offers(): Promise<Offer[]>
  /** What a payment made now would buy and cost. */
  quote(userId: string, wanted: Omit<PaymentRequest, 'method' | 'po_number'>): Promise<Quote>
  status(userId: string): Promise<BillingStatus>
  /** Newest first, in pages. */
  payments(userId: string, query?: PaymentsQuery): Promise<PaymentPage>
  payment(userId: string, paymentId: string): Promise<Payment>
  /** What the user has paid in and not spent, and each change of it. 404 where the seller has no balances. */
  balance(userId: string, query?: BalanceQuery): Promise<UserBalance>
  /** What an invoice names of the buyer, and what it lacks. */
  buyer(userId: string): Promise<Buyer>
  /** What `user` gives, the checkout that waits to be paid, and all time that was paid or granted. */
  overview(userId: string): Promise<Overview>
  /** What the user redeemed, newest first. */
  redemptions(userId: string): Promise<Redemptions>
  readonly verifyEvent: typeof verifyEvent
}

export interface DocumentsRequest extends PdfRequest {
  /** In which they were issued. */
  readonly year: number
}

export interface PdfRequest {
  readonly lang?: Locale
}

/**
 * `Limit` names the limits of a catalogue of one's own: `createClient<'projects' | 'minutes'>({ … })`.
 * Throws `TypeError` where `url` or `apiKey` cannot be one.
 */
export function createClient<Limit extends string = LimitName>(options: ClientOptions): Client<Limit> {
  const { whenUnreachable, rememberLimitsMs = 60_000, now = Date.now } = options
  const call = createCall(options)
  const remembered = rememberLimits({ rememberLimitsMs, now })
  const count = async (method: string, place: Place, action: string, body: Scope) => {
    const path = `${userPath(place.userId)}/limits/${encodeURIComponent(place.limit)}/${action}`
    const answer = await call<Allowance>(method, path, { body })
    remembered.keep({ ...place, scopeId: scopeOf(body) }, answer)
    return answer
  }
  return {
    user: (userId) => call('GET', userPath(userId)),
    updateUser: (userId, update) => call('PUT', userPath(userId), { body: update }),
    consume: async (userId, limit, request) => {
      try {
        return { ...(await count('POST', { userId, limit }, 'consume', request)), source: 'billing' }
      } catch (error) {
        if (!(error instanceof BillingUnreachableError)) throw error
        return (
          remembered.consume({ userId, limit, scopeId: scopeOf(request) }, request) ??
          byPolicy(whenUnreachable === 'open')
        )
      }
    },
    release: (userId, limit, request) => count('POST', { userId, limit }, 'release', request),
    reportUsage: (userId, limit, report) => count('PUT', { userId, limit }, 'usage', report),
    plans: () => call('GET', `${BILLING}/plans`),
    offers: () => call('GET', `${BILLING}/offers`),
    ...ordersBy(call),
    as: (person) => ordersBy((method, path, settings) => call(method, path, { ...settings, person })),
    quote: (userId, wanted) => call('GET', `${userPath(userId)}/quote${queryOf(wanted)}`),
    status: (userId) => call('GET', `${userPath(userId)}/status`),
    payments: (userId, query = {}) => call('GET', `${userPath(userId)}/payments${queryOf(query)}`),
    payment: (userId, paymentId) => call('GET', paymentPath(userId, paymentId)),
    ...documentsBy(call),
    balance: (userId, query = {}) => call('GET', `${userPath(userId)}/balance${queryOf(query)}`),
    buyer: (userId) => call('GET', `${userPath(userId)}/buyer`),
    overview: (userId) => call('GET', `${userPath(userId)}/overview`),
    redemptions: (userId) => call('GET', `${userPath(userId)}/redemptions`),
    verifyEvent,
  }
}

function documentsBy(call: Call): Documents {
  return {
    receipt: (userId, paymentId, asked = {}) =>
      call('GET', `${paymentPath(userId, paymentId)}/receipt${queryOf(asked)}`, PRINTED),
    documents: (userId, asked) => call('GET', `${userPath(userId)}/documents${queryOf(asked)}`, PRINTED),
    invoice: (userId, paymentId) => call('POST', `${paymentPath(userId, paymentId)}/invoice`),
    documentsOf: async (userId, paymentId) => {
      const answer = await call<{ documents: Document[] }>(
        'GET',
        `${paymentPath(userId, paymentId)}/documents`,
      )
      return answer.documents
    },
    document: (userId, paymentId, number, asked = {}) => {
      const path = `${paymentPath(userId, paymentId)}/documents/${encodeURIComponent(number)}`
      return call('GET', `${path}${queryOf(asked)}`, PRINTED)
    },
    proforma: (userId, wanted) => call('GET', `${userPath(userId)}/proforma${queryOf(wanted)}`, PRINTED),
    proformas: async (userId) => {
      const answer = await call<{ proformas: Proforma[] }>('GET', `${userPath(userId)}/proformas`)
      return answer.proformas
    },
    printProforma: (userId, number, asked = {}) => {
      const path = `${userPath(userId)}/proformas/${encodeURIComponent(number)}`
      return call('GET', `${path}${queryOf(asked)}`, PRINTED)
    },
  }
}

function ordersBy(call: Call): Orders {
  return {
    openPortal: (userId, body = {}) => call('POST', `${userPath(userId)}/portal-sessions`, { body }),
    upgrade: (userId, plan) =>
      call('POST', `${userPath(userId)}/upgrade`, { body: { plan }, withinMs: 2 * PURCHASE_MS }),
    createPayment: (userId, body) =>
      call('POST', `${userPath(userId)}/payments`, { body, withinMs: 2 * PURCHASE_MS }),
    orderProforma: (userId, number) =>
      call('POST', `${userPath(userId)}/proformas/${encodeURIComponent(number)}/payments`),
    topUpBalance: (userId, body) =>
      call('POST', `${userPath(userId)}/balance/top-ups`, { body, withinMs: 2 * PURCHASE_MS }),
    setRenewal: (userId, body) => call('PUT', `${userPath(userId)}/balance/renewal`, { body }),
    endRenewal: (userId) => call('DELETE', `${userPath(userId)}/balance/renewal`),
    setBuyer: (userId, body) => call('PUT', `${userPath(userId)}/buyer`, { body }),
    uploadProof: (userId, paymentId, file) =>
      call('PUT', `${paymentPath(userId, paymentId)}/proof`, { file, withinMs: 2 * UPLOAD_MS }),
    redeem: (userId, code, free) =>
      call('POST', `${userPath(userId)}/redeem`, {
        body: { code, ...free },
        withinMs: PURCHASE_MS,
        once: true,
      }),
  }
}

type Scope = Pick<UsageReport, 'project_id' | 'scope_id'>

function scopeOf({ project_id, scope_id }: Scope): string {
  return project_id ?? scope_id ?? ''
}

interface Place {
  readonly userId: string
  readonly limit: string
}

const BILLING = '/api/v1/billing'
/** The service answers a purchase within 6 s. */
const PURCHASE_MS = 7_000
/** It waits 30 s for a body. */
const UPLOAD_MS = 35_000
/** The first page after a start loads the fonts; later ones wait for others at most 2 s. */
const PRINTED = { accept: 'application/pdf', withinMs: 10_000 } as const

function userPath(userId: string): string {
  return `/api/v1/platform/users/${encodeURIComponent(userId)}`
}

function paymentPath(userId: string, paymentId: string): string {
  return `${userPath(userId)}/payments/${encodeURIComponent(paymentId)}`
}

/** With its question mark; what is undefined is left out. */
function queryOf(fields: object): string {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined)
  return said.length === 0
    ? ''
    : `?${new URLSearchParams(said.map(([name, value]) => [name, String(value)]))}`
}

function byPolicy(allowed: boolean): Consumed {
  const unknown = { limit: null, used: null, remaining: null, resets_at: null } as const
  return { source: 'policy', allowed, ...unknown, reason: 'billing_unreachable' }
}
