// The calls of a host that mounts Ishtirak, without HTTP: the same use cases, checks and shapes as those of
// the API. There is no quota on calls: the host is trusted as the platform with its key is.

import type { Capability } from '../acts/capability.js'
import type { BalanceCalls } from '../balance/calls.js'
import type { BuyerCalls } from '../buyers/calls.js'
import { listPayments, showPaymentOfUser } from '../checkout/history.route.js'
import { listOffers, listPlans } from '../checkout/offers.route.js'
import { readStatus } from '../checkout/status.js'
import { createPayment, hostBuyer, showQuote, upgradePlan } from '../checkout/upgrade.route.js'
import type { CodeCalls } from '../codes/calls.js'
import type { ReceiptCalls } from '../documents/calls.js'
import { identityOf, idOf, type UserIdentity } from '../http/auth.js'
import { checker } from '../http/checker.js'
import { toBillingError } from '../http/problem.js'
import { newRequestId } from '../http/request.js'
import {
  type BillingStatus,
  type OfferView,
  type PaymentPage,
  type PaymentRequest,
  PaymentRequestSchema,
  type PaymentsQuery,
  PaymentsQuerySchema,
  type PaymentView,
  type PlanView,
  type QuoteQuery,
  QuoteQuerySchema,
  type QuoteView,
  UpgradeRequestSchema,
  type UpgradeResult,
  viewStatus,
} from '../ledger/schemas.js'
import { hostCall } from '../ledger/user-routes.js'
import { readOverview } from '../limits/overview.js'
import {
  type Allowance,
  type ConsumeRequest,
  type PlatformOverview,
  type PlatformUser,
  platformSchemas,
  type ReleaseRequest,
  type UsageReport,
  type UserUpdate,
  UserUpdateSchema,
} from '../limits/schemas.js'
import {
  consume,
  release,
  reportUsage,
  showOverview,
  updateUser,
  viewPlatformUser,
} from '../limits/usage.route.js'
import { PortalSessionRequestSchema, viewPortalLink } from '../portal/portal-sessions.route.js'
import { openPortalLink } from '../portal/portal-sessions.sql.js'
import type { ProformaCalls } from '../proformas/calls.js'
import type { TransferCalls } from '../transfers/calls.js'
import { CAPABILITIES } from './capabilities.js'
import type { Service } from './wire.js'

/**
 * Shapes, names and units are those of the API (docs/api.md): whole dinars, timestamps as
 * `YYYY-MM-DDThh:mm:ssZ`. Every call throws `BillingError` with the `code` that the API would answer, such as
 * `validation_failed` or `database_unavailable`.
 */
interface OwnCalls {
  plans(): readonly PlanView[]
  /** Each term in which a plan is sold. */
  offers(): readonly OfferView[]
  /**
   * Send the user to `checkout_url`. Also the renewal. Throws `already_subscribed`, `provider_unavailable`
   * and others.
   */
  upgrade(user: UserIdentity, request: { readonly plan: string }): Promise<UpgradeResult>
  /**
   * What a payment made now would buy and cost. Throws `unknown_term`, `prepaid_limit_reached` and others.
   */
  quote(userId: string, query: QuoteQuery): Promise<QuoteView>
  /** Buys a term, also ahead. Send the user to `checkout_url`. */
  createPayment(user: UserIdentity, request: PaymentRequest): Promise<PaymentView>
  status(userId: string): Promise<BillingStatus>
  /** Newest first, in pages. */
  payments(userId: string, query?: PaymentsQuery): Promise<PaymentPage>
  /** Throws `not_found`, also for a payment of another user. */
  payment(userId: string, paymentId: string): Promise<PaymentView>
  overview(userId: string): Promise<PlatformOverview>
  /** A link into the portal that works once, for five minutes. */
  openPortal(
    user: UserIdentity,
    request?: { readonly return_path?: string },
  ): Promise<{ readonly url: string; readonly expires_at: string }>
  /** What the platform knows of a user: status, limits, usage, renewal. */
  user(userId: string): Promise<PlatformUser>
  /** For mail and receipts. What is absent stays, null clears. */
  updateUser(userId: string, update: UserUpdate): Promise<PlatformUser>
  /** Counts if there is room: a no is an answer (`allowed: false`). Throws `unknown_limit`, `conflict`. */
  consume(userId: string, limit: string, request: ConsumeRequest): Promise<Allowance>
  release(userId: string, limit: string, request: ReleaseRequest): Promise<Allowance>
  /** The platform's own count, absolute. */
  reportUsage(userId: string, limit: string, report: UsageReport): Promise<Allowance>
}

/** With those that capabilities bring. */
export type Billing = OwnCalls &
  BalanceCalls &
  BuyerCalls &
  CodeCalls &
  ProformaCalls &
  ReceiptCalls &
  TransferCalls

export function createBilling(parts: Service['parts']): Billing {
  const schemas = platformSchemas(parts.catalogue.limits)
  const consumeRequest = checker<ConsumeRequest>(schemas.ConsumeRequest)
  const releaseRequest = checker<ReleaseRequest>(schemas.ReleaseRequest)
  const usageReport = checker<UsageReport>(schemas.UsageReport)
  const call = (user: UserIdentity) => hostCall(parts, user)
  const about = (userId: string) => call({ userId })
  const buyer = (given: UserIdentity) => hostBuyer(parts, call(given))
  const read = (userId: string) => readOverview(parts, idOf(userId), newRequestId())
  const own: OwnCalls = {
    plans: () => listPlans(parts.catalogue),
    offers: () => listOffers(parts.catalogue),
    upgrade: async (given, request) => {
      const { plan } = upgradeRequest(request)
      return upgradePlan(parts, await buyer(given), plan)
    },
    quote: async (userId, query) => showQuote(parts, idOf(userId), quoteQuery(query)),
    createPayment: async (given, request) =>
      createPayment(parts, await buyer(given), paymentRequest(request)),
    status: async (userId) => viewStatus(await readStatus(parts, idOf(userId), newRequestId())),
    payments: async (userId, query = {}) => listPayments(parts, about(userId), paymentsQuery(query)),
    payment: async (userId, paymentId) => showPaymentOfUser(parts, about(userId), paymentId),
    overview: async (userId) => showOverview(parts, about(userId)),
    openPortal: async (user, request = {}) => {
      const { return_path = null } = portalRequest(request)
      return viewPortalLink(await openPortalLink(parts, identityOf(user), return_path))
    },
    user: async (userId) => viewPlatformUser(await read(userId)),
    updateUser: async (userId, update) => updateUser(parts, idOf(userId), userUpdate(update), newRequestId()),
    consume: async (userId, limit, request) =>
      consume(parts, { user_id: idOf(userId), limit }, consumeRequest(request)),
    release: async (userId, limit, request) =>
      release(parts, { user_id: idOf(userId), limit }, releaseRequest(request)),
    reportUsage: async (userId, limit, report) =>
      reportUsage(parts, { user_id: idOf(userId), limit }, usageReport(report)),
  }
  const brought: readonly Capability<Service['parts']>[] = CAPABILITIES
  return throwingCodes(Object.assign(own, ...brought.map(({ calls }) => calls?.(parts))))
}

/** What is no refusal, such as a database out of reach, is thrown under the code that the API answers. */
function throwingCodes(calls: Billing): Billing {
  const refuse = (error: unknown) => Promise.reject(toBillingError(error))
  const entries = Object.entries<(...given: never[]) => unknown>({ ...calls }).map(([name, call]) => {
    const answer = (...given: never[]) => {
      const result = call(...given)
      return result instanceof Promise ? result.catch(refuse) : result
    }
    return [name, answer] as const
  })
  return { ...calls, ...Object.fromEntries(entries) }
}

const upgradeRequest = checker<{ readonly plan: string }>(UpgradeRequestSchema)
const quoteQuery = checker<QuoteQuery>(QuoteQuerySchema)
const paymentRequest = checker<PaymentRequest>(PaymentRequestSchema)
const paymentsQuery = checker<PaymentsQuery>(PaymentsQuerySchema)
const portalRequest = checker<{ readonly return_path?: string }>(PortalSessionRequestSchema)
const userUpdate = checker<UserUpdate>(UserUpdateSchema)
