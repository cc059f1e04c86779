// The calls of a host that mounts Ishtirak, without HTTP: the same use cases, checks and shapes as those of
// the API. There is no quota on calls: the host is trusted as the platform with its key is.

import { type BalanceCalls, balanceCalls } from '../balance/balance.call.js'
import { type BuyerCalls, buyerCalls } from '../buyers/buyer.call.js'
import { checkoutCalls } from '../checkout/checkout.js'
import { listOffers, listPlans } from '../checkout/offers.route.js'
import { type CodeCalls, codeCalls } from '../codes/redeem.call.js'
import { documentCalls, type ReceiptCalls } from '../documents/documents.js'
import { type TrialCalls, trialCalls } from '../grants/trial.call.js'
import type { UserIdentity } from '../http/auth.js'
import type {
  BillingStatus,
  OfferView,
  PaymentPage,
  PaymentRequest,
  PaymentsQuery,
  PaymentView,
  PlanView,
  QuoteQuery,
  QuoteView,
  UpgradeResult,
} from '../ledger/schemas.js'
import { mountCalls } from '../ledger/user-routes.js'
import type {
  Allowance,
  ConsumeRequest,
  PlatformOverview,
  PlatformUser,
  ReleaseRequest,
  UsageReport,
  UserUpdate,
} from '../limits/schemas.js'
import { limitCalls } from '../limits/usage.call.js'
import { portalCalls } from '../portal/portal.js'
import type { PortalLinkView } from '../portal/portal-sessions.call.js'
import { type ProformaCalls, proformaCalls } from '../proformas/proforma.call.js'
import { type TransferCalls, transferCalls } from '../transfers/proof.call.js'
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
   * Tells what a payment made now would buy and cost. Throws `unknown_term`, `prepaid_limit_reached` and
   * others.
   */
  quote(userId: string, query: QuoteQuery): Promise<QuoteView>
  /** Buys a term, also ahead. Send the user to `checkout_url`. */
  createPayment(user: UserIdentity, request: PaymentRequest): Promise<PaymentView>
  status(userId: string): Promise<BillingStatus>
  /** Newest first, in pages. */
  payments(userId: string, query?: PaymentsQuery): Promise<PaymentPage>
  /** Throws `not_found`, also for a payment of another user. */
  payment(userId: string, paymentId: string): Promise<PaymentView>
  /** Replaces what the platform notes at a payment; `{}` clears. Throws `not_found`. */
  setMetadata(
    userId: string,
    paymentId: string,
    request: Pick<Required<PaymentRequest>, 'metadata'>,
  ): Promise<PaymentView>
  overview(userId: string): Promise<PlatformOverview>
  /** A link into the portal that works once, for five minutes. */
  openPortal(user: UserIdentity, request?: { readonly return_path?: string }): Promise<PortalLinkView>
  /** The status, limits, usage and renewal of a user. */
  user(userId: string): Promise<PlatformUser>
  /** The profile for mail and receipts. Absent fields stay, null clears one. */
  updateUser(userId: string, update: UserUpdate): Promise<PlatformUser>
  /** Counts if there is room: a no is an answer (`allowed: false`). Throws `unknown_limit`, `conflict`. */
  consume(userId: string, limit: string, request: ConsumeRequest): Promise<Allowance>
  release(userId: string, limit: string, request: ReleaseRequest): Promise<Allowance>
  /** The platform's own count, absolute. */
  reportUsage(userId: string, limit: string, report: UsageReport): Promise<Allowance>
}

export type Billing = OwnCalls &
  BalanceCalls &
  BuyerCalls &
  CodeCalls &
  ProformaCalls &
  ReceiptCalls &
  TransferCalls &
  TrialCalls

export function createBilling(parts: Service['parts']): Billing {
  const calls = [
    ...checkoutCalls,
    ...buyerCalls,
    ...limitCalls,
    ...documentCalls,
    ...transferCalls,
    ...proformaCalls,
    ...trialCalls,
    ...codeCalls,
    ...balanceCalls,
    ...portalCalls,
  ]
  return {
    plans: () => listPlans(parts.catalogue),
    offers: () => listOffers(parts.catalogue),
    ...mountCalls(parts, calls),
  }
}
