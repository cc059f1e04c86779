// The click on "upgrade": writes a payment, opens a checkout at the provider, and returns its address. Fifty
// clicks get one checkout. A request with an unknown outcome is searched for, never repeated.

import type { DiscountSource, PaysAtOnce } from '../acts/capability.js'
import type { CheckoutReport } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import { SECOND } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { type Metadata, newPayment, type Payment, publicMethodOf } from '../core/payment.js'
import type { Wanted } from '../core/quote.js'
import { dueRenewal, type SubscriptionFacts } from '../core/subscription.js'
import { decideUpgrade, type Sale, type UpgradeDecision, type WantedTopUp } from '../core/upgrade.js'
import { createTryLimit } from '../http/callers.js'
import { plainPaidFor } from '../i18n/formats.js'
import { findCurrentUser } from '../ledger/load.js'
import { type PaymentMethod, type ProviderFailure, webhookUrlOf } from '../ledger/method.js'
import type { CommonParts } from '../ledger/parts.js'
import { findPayment } from '../ledger/payments.sql.js'
import { providerRefusal, purchaseRefusal, unavailable } from '../ledger/refusals.js'
import { type SettleDeps, settlePayment } from '../ledger/settle.js'
import type { KnownUser } from '../ledger/users.sql.js'
import { singleFlight } from '../runtime/async.js'
import { askProvider, endCheckout } from './ask-provider.js'
import { codeOf, countCodeTry } from './quote.js'
import { createUpgradeRequests, endRequestedPayment, moveAttemptLease } from './upgrade.sql.js'

/** Absent: one month, in the mode `upgrade`. */
interface AskedPurchase
  extends Omit<Wanted, 'months' | 'mode' | 'code'>,
    Partial<Pick<Wanted, 'months' | 'mode'>> {
  /** The code as it was typed. */
  readonly code?: string | undefined
}

type Asked = AskedPurchase | WantedTopUp
export type UpgradeRequest = AskedBy & Asked

interface AskedBy {
  readonly user: KnownUser
  /** The method as callers name it, such as `transfer`; absent: `card`. */
  readonly method?: string | undefined
  /** The language of the provider's page. */
  readonly locale: Locale
  /** The address to which the page after paying leads. */
  readonly returnUrl?: string | undefined
  readonly metadata?: Metadata | undefined
  /** Logged, so that all lines of one purchase can be found. */
  readonly requestId?: string
}

/** A request, and the method that opens its page. */
type Click = UpgradeRequest & { readonly by: PaymentMethod }

export interface OpenedCheckout {
  /** Null if the method has no pages. */
  readonly checkoutUrl: string | null
  readonly paymentId: string
}

/** The provider gets 4 s to open a checkout, and the process that asked gets one more. */
const ATTEMPT_MS = 5 * SECOND
/** How often another process's attempt is checked: the provider takes a few hundred milliseconds. */
const POLL_MS = 50
/** A click is answered within 6 s. After this many polls the next click continues. */
const POLLS_MAX = (4 * SECOND) / POLL_MS
/** Each step changes the payment (look up, close, request). More than a few: others change it too. */
const STEPS_MAX = 12
/** How often a failing provider is tried for one user in a minute, by one process. */
const FAILURES_A_MINUTE = 5

export interface UpgradeDeps extends SettleDeps, Pick<CommonParts, 'publicUrl'> {
  readonly discounts: readonly DiscountSource[]
  readonly atOnce: readonly PaysAtOnce[]
  readonly upgrades: UpgradeState
  readonly wait: (ms: number) => Promise<void>
}

/** The state that all clicks on one process share. */
type UpgradeState = ReturnType<typeof createUpgradeState>

export function createUpgradeState({ database, clock }: Pick<CommonParts, 'database' | 'clock'>) {
  return {
    /** Clicks of one user on one plan share one request to the provider. */
    clicks: singleFlight<OpenedCheckout>(),
    /** Clicks of different users share queries. */
    requests: createUpgradeRequests(database),
    failures: createTryLimit({ clock, most: FAILURES_A_MINUTE }),
  }
}

/** Throws what `purchaseRefusal` names, `provider_unavailable`, `provider_rejected` or `conflict`. */
export async function upgrade(
  deps: UpgradeDeps,
  request: UpgradeRequest,
): Promise<OpenedCheckout & { readonly checkoutUrl: string }> {
  const { checkoutUrl, paymentId } = await openPayment(deps, request)
  if (checkoutUrl === null) throw new Error(`payment ${paymentId} has no page to be paid on`)
  return { checkoutUrl, paymentId }
}

/** Opens a payment by any method, also one without pages. Throws `unknown_method` if it is not accepted. */
export async function openPayment(deps: UpgradeDeps, request: UpgradeRequest): Promise<OpenedCheckout> {
  const { user, method = 'card' } = request
  const by = deps.methods.all.find(
    ({ name, begunBy }) => begunBy === 'user' && publicMethodOf(name) === method,
  )
  if (!by) throw new BillingError('unknown_method')
  const { userId } = user
  const { wanted, typed } = wantedBy(request)
  const key = JSON.stringify([userId, wanted, method, typed])
  return deps.upgrades.clicks(key, () =>
    countCodeTry(deps, { userId, typed }, () => openOrReturn(deps, { ...request, by })),
  )
}

async function openOrReturn(deps: UpgradeDeps, request: Click): Promise<OpenedCheckout> {
  const { userId } = request.user
  let polls = 0
  const { wanted: first, typed } = wantedBy(request)
  let wanted = first
  let before: SubscriptionFacts | null = null
  for (let step = 0; step < STEPS_MAX; step++) {
    const now = deps.clock.now()
    const facts = await deps.upgrades.requests.load({ user: request.user, method: request.by.name, now })
    // Done before anything is ordered: a plan change names the payments that it changes.
    if (dueRenewal(facts.subscription, now, deps.rules)) {
      await findCurrentUser(deps, userId)
      continue
    }
    // Time that was paid while this click replaced its page is not bought twice: the user is told.
    const isPaid: boolean = before !== null && before.paidUntil !== facts.subscription.paidUntil
    before = facts.subscription
    if ('planId' in wanted) {
      // Read after the user's facts, so that a use of the code between the two reads makes those stale.
      const code = await codeOf(deps, { userId, typed, methods: [request.by.name] })
      wanted = { ...wanted, mode: isPaid ? 'upgrade' : wanted.mode, code }
    }
    const decision = decideUpgrade(facts, wanted, now, deps.rules)
    if (decision.kind === 'return') return opened(decision.payment)
    if (decision.kind === 'wait' && ++polls <= POLLS_MAX) {
      await deps.wait(POLL_MS)
      step--
      continue
    }
    const attempt = attemptOf(deps, decision, request, facts.version)
    if (!attempt) throw purchaseRefusal(decision, now)
    const made = await bounded(deps, userId, attempt)
    if (made !== 'again') return made
  }
  throw unavailable(null)
}

/** `typed` is the code, which is looked up again for each decision. */
function wantedBy(asked: Asked): {
  readonly wanted: Wanted | WantedTopUp
  readonly typed: string | undefined
} {
  if ('topUp' in asked) return { wanted: { topUp: asked.topUp }, typed: undefined }
  const { planId, months = 1, mode = 'upgrade', start, agreed, poNumber, code: typed } = asked
  return { wanted: { planId, months, mode, start, agreed, poNumber }, typed }
}

/** `again`: the next round of the loop reads the result. */
type Made = OpenedCheckout | 'again'
type Attempt = () => Promise<Made>

/** The step that calls the provider; null: this decision has none. */
function attemptOf(
  deps: UpgradeDeps,
  decision: UpgradeDecision,
  request: Click,
  version: number | null,
): Attempt | null {
  if (decision.kind === 'close') return () => closeAtProvider(deps, decision, request)
  if (decision.kind === 'continue') return () => continueAttempt(deps, decision.payment, request)
  if (decision.kind === 'end_withdrawn') return () => endWithdrawn(deps, decision.paymentId, request)
  if (decision.kind === 'request') return () => requestPayment(deps, decision.sale, request, version)
  return null
}

async function bounded(
  { upgrades: { failures } }: UpgradeDeps,
  userId: string,
  attempt: Attempt,
): Promise<Made> {
  failures.check(userId, 'provider_unavailable')
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof BillingError) failures.count(userId)
    throw error
  }
}

/** Writes the payment, then calls the provider. */
async function requestPayment(
  deps: UpgradeDeps,
  { offer, change, amount, discount, codeHash }: Sale,
  request: Click,
  version: number | null,
): Promise<Made> {
  const now = deps.clock.now()
  const { by: method } = request
  if (amount < method.leastAmount) throw new BillingError('provider_rejected')
  const payment = newPayment({
    id: deps.ids.next('pay', now),
    userId: request.user.userId,
    boughtBy: request.user.personId,
    poNumber: 'topUp' in request ? undefined : request.poNumber,
    returnUrl: request.returnUrl,
    metadata: request.metadata,
    offer: { ...offer, price: { ...offer.price, amount } },
    change,
    ...(codeHash !== null && { code: { hash: codeHash, discount } }),
    method,
    createdAt: now,
    attemptEndsAt: now + ATTEMPT_MS,
  })
  const requested = {
    user: request.user,
    version,
    payment,
    traceparent: deps.tracing?.current() ?? undefined,
  }
  const { insert, insertWithCode } = deps.upgrades.requests
  if (!(await (codeHash === null ? insert : insertWithCode)(requested))) return 'again'
  return openCheckout(deps, payment, request)
}

/** The provider may have carried it out, so it is searched for. It may be of another plan than wanted. */
async function continueAttempt(deps: UpgradeDeps, payment: Payment, request: Click): Promise<'again'> {
  const mine: Payment = { ...payment, attemptEndsAt: deps.clock.now() + ATTEMPT_MS }
  if (!(await moveAttemptLease(deps.database, payment, mine.attemptEndsAt))) return 'again'
  const lookup = await askProvider(deps, mine, { source: 'upgrade', requestId: request.requestId })
  if (!lookup.ok) throw await failed(deps, mine, lookup.failure, { mayExist: true })
  if (lookup.value.length === 0) await openCheckout(deps, mine, request)
  return 'again'
}

/** `again` if the checkout is not simply open now: another process has it, or it was already paid. */
async function openCheckout(deps: UpgradeDeps, payment: Payment, request: Click): Promise<Made> {
  const { userId, kind, months, price, codeHash, discount } = payment
  const method = deps.methods.of(payment.method)
  const answer = await method.createCheckout({
    ...{ paymentId: payment.id, userId, kind, planId: payment.plan?.id ?? null, months, price },
    ...(codeHash !== null && { code: { hash: codeHash, discount } }),
    description: plainPaidFor(payment, request.locale),
    locale: request.locale,
    successUrl: `${deps.publicUrl}/portal/return/${payment.id}`,
    failureUrl: `${deps.publicUrl}/portal/return/${payment.id}`,
    webhookUrl: webhookUrlOf(method, deps.publicUrl),
  })
  if (answer.ok) {
    if (method.settledBy === 'provider') deps.count({ name: 'checkout_opened' })
    return takeOver(deps, payment, answer.value, request)
  }
  const { failure } = answer
  const line = { request_id: request.requestId, payment_id: payment.id, failure }
  deps.log.warn(line, 'the provider opened no checkout')
  const mayExist = failure.kind === 'unavailable' && failure.outcomeUnknown
  throw await failed(deps, payment, failure, { mayExist })
}

/** `mayExist`: the checkout may exist, and the next click or the sweep searches for it. */
async function failed(
  { database, clock }: UpgradeDeps,
  payment: Payment,
  failure: ProviderFailure,
  { mayExist }: { readonly mayExist: boolean },
): Promise<BillingError> {
  if (failure.kind === 'rejected' && !mayExist) {
    await endRequestedPayment(database, payment, 'canceled')
    return new BillingError('provider_rejected')
  }
  // The attempt is over, so the next click need not wait for the end of its lease.
  await moveAttemptLease(database, payment, clock.now())
  return unavailable(failure)
}

/** Compares the answer with the order before the user sees it. `again`: see `openCheckout`. */
async function takeOver(
  deps: UpgradeDeps,
  payment: Payment,
  report: CheckoutReport,
  { requestId }: Pick<AskedBy, 'requestId'>,
): Promise<Made> {
  const { checkoutId, checkoutUrl, status } = report
  const origin = { source: 'upgrade', requestId } as const
  const line = { request_id: requestId, payment_id: payment.id }
  const outcome = await settlePayment(deps, { report, event: null, orderedFor: payment.id, ...origin })
  if (outcome === 'refused' || outcome === 'withdrawn') {
    const ended = await endCheckout(deps, payment, { checkoutId, ...origin })
    // No user has its address, and the payment is due: the sweep tries again.
    if (!ended.ok)
      deps.log.warn(
        { ...line, failure: ended.failure },
        'a checkout could not be ended and can still be paid',
      )
  }
  if (outcome === 'unknown_checkout') {
    deps.log.error(
      { ...line, checkout_id: checkoutId },
      'the provider returned the checkout of another payment, so this payment was canceled',
    )
    await endRequestedPayment(deps.database, payment, 'canceled')
  }
  if (outcome === 'refused' || outcome === 'unknown_checkout') throw new BillingError('provider_rejected')
  const isOpen = outcome === 'moved' && status === 'pending'
  return isOpen ? { checkoutUrl, paymentId: payment.id } : 'again'
}

/**
 * Ends a checkout that must not be paid any more. If it stays payable, it is returned to the user. If the
 * bank still decides, a second checkout could be paid too, so the user is asked to wait.
 */
export async function closeAtProvider(
  deps: SettleDeps,
  { payment, isSame }: { readonly payment: Payment; readonly isSame: boolean },
  { requestId }: Pick<AskedBy, 'requestId'>,
): Promise<Made> {
  if (payment.checkoutId === null) return 'again'
  const { checkoutId } = payment
  const ended = await endCheckout(deps, payment, { checkoutId, source: 'upgrade', requestId })
  if (!ended.ok) throw providerRefusal(ended.failure)
  const { status } = ended.value
  const isPayable = status === 'pending'
  if (!isPayable && status !== 'processing') return 'again'
  if (isPayable && isSame) return opened(payment)
  throw new BillingError('conflict', { retryAfterSeconds: 60 })
}

/** An old page in the browser must take no money before another is given out. */
async function endWithdrawn(deps: UpgradeDeps, paymentId: string, request: UpgradeRequest): Promise<Made> {
  const payment = await findPayment(deps.database, request.user.userId, paymentId)
  return payment ? closeAtProvider(deps, { payment, isSame: false }, request) : 'again'
}

function opened({ id, checkoutUrl }: Payment): OpenedCheckout {
  return { checkoutUrl, paymentId: id }
}
