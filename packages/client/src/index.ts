// The client for the hosting platform: `import { createClient } from '@ishtirak/client'`. It imports nothing,
// not even types, and needs only `fetch` and `crypto.subtle`, so it runs in Node and at the edge.
import { createCall } from './call.js'
import { BillingUnreachableError } from './errors.js'
import { rememberLimits } from './remembered-limits.js'
import type {
  Allowance,
  ConsumeRequest,
  LimitName,
  Offer,
  Payment,
  PaymentRequest,
  PlatformUser,
  Proof,
  Quote,
  Redeemed,
  Redemptions,
  ReleaseRequest,
  UsageReport,
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
   * `createPayment` 14,000, `redeem` 7,000 and `uploadProof` 70,000.
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

/**
 * Every call throws `BillingApiError` when the API refuses it (`BillingConfigurationError`: the platform's
 * key), and all but `consume` throw `BillingUnreachableError` when it cannot be reached or cannot answer.
 */
export interface Client<Limit extends string = LimitName> {
  user(userId: string): Promise<PlatformUser>
  updateUser(userId: string, update: UserUpdate): Promise<PlatformUser>
  /**
   * Whether the user may. Always answers: from billing, else from the last known figures, else by the policy.
   */
  consume(userId: string, limit: Limit, request: ConsumeRequest): Promise<Consumed>
  release(userId: string, limit: Limit, request: ReleaseRequest): Promise<Allowance>
  reportUsage(userId: string, limit: Limit, report: UsageReport): Promise<Allowance>
  /** What is sold, in the order of the plans, the shortest term first. */
  offers(): Promise<Offer[]>
  /** What a payment made now would buy and cost. `accessToken` is the user's. */
  quote(accessToken: string, wanted: Omit<PaymentRequest, 'method'>): Promise<Quote>
  /**
   * Buys a term; send the user to `checkout_url`. The provider is asked. A repetition gives the same payment.
   */
  createPayment(accessToken: string, request: PaymentRequest): Promise<Payment>
  /**
   * Uploads a JPEG, PNG or PDF of at most 8 MiB that shows a transfer; 3 a transfer. The same file again is
   * the same proof.
   */
  uploadProof(accessToken: string, paymentId: string, file: Uint8Array<ArrayBuffer> | Blob): Promise<Proof>
  /**
   * Redeems a code that gives months. It is sent once: after a `BillingUnreachableError` look at
   * `redemptions` whether it was redeemed.
   */
  redeem(accessToken: string, code: string): Promise<Redeemed>
  /** What the user redeemed, newest first. */
  redemptions(accessToken: string): Promise<Redemptions>
  readonly verifyEvent: typeof verifyEvent
}

/**
 * `Limit` names the limits of a catalogue of one's own: `createClient<'projects' | 'build_minutes'>({ … })`.
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
    offers: () => call('GET', `${BILLING}/offers`),
    quote: (accessToken, { plan, months = 1, code }) => {
      const query = new URLSearchParams({ plan, months: String(months), ...(code && { code }) })
      return call('GET', `${BILLING}/quote?${query}`, { accessToken })
    },
    createPayment: (accessToken, body) =>
      call('POST', `${BILLING}/payments`, { body, accessToken, withinMs: 2 * PURCHASE_MS }),
    uploadProof: (accessToken, paymentId, file) => {
      const path = `${BILLING}/payments/${encodeURIComponent(paymentId)}/proof`
      return call('PUT', path, { file, accessToken, withinMs: 2 * UPLOAD_MS })
    },
    redeem: (accessToken, code) =>
      call('POST', `${BILLING}/redeem`, { body: { code }, accessToken, withinMs: PURCHASE_MS, once: true }),
    redemptions: (accessToken) => call('GET', `${BILLING}/redemptions`, { accessToken }),
    verifyEvent,
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

function userPath(userId: string): string {
  return `/api/v1/platform/users/${encodeURIComponent(userId)}`
}

function byPolicy(allowed: boolean): Consumed {
  const unknown = { limit: null, used: null, remaining: null, resets_at: null } as const
  return { source: 'policy', allowed, ...unknown, reason: 'billing_unreachable' }
}
