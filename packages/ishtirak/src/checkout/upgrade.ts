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

interface Ordering {
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

/** Absent: one month, in the mode `upgrade`. */
interface Purchase
  extends Omit<Wanted, 'months' | 'mode' | 'code'>,
    Partial<Pick<Wanted, 'months' | 'mode'>> {
  /** The code as it was typed. */
  readonly code?: string | undefined
}

/** An order as it is decided. `typed` is the code, which is looked up again for each decision. */
interface Click extends Ordering {
  readonly wanted: Wanted | WantedTopUp
  readonly typed: string | undefined
  /** The method that opens the checkout. */
  readonly paymentMethod: PaymentMethod
}

export interface OpenedCheckout {
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
  readonly upgrades: ReturnType<typeof createUpgradeState>
  readonly wait: (ms: number) => Promise<void>
}

/** The state that all clicks on one process share. */
export function createUpgradeState({ database, clock }: Pick<CommonParts, 'database' | 'clock'>) {
  return {
    /** Clicks of one user on one plan share one request to the provider. */
    clicks: singleFlight<OpenedCheckout>(),
    requests: createUpgradeRequests(database),
    failures: createTryLimit({ clock, most: FAILURES_A_MINUTE }),
  }
}

/** Opens a payment by card. Throws as `openPayment` does. */
export async function upgrade(
  deps: UpgradeDeps,
  order: Ordering & Purchase,
): Promise<OpenedCheckout & { readonly checkoutUrl: string }> {
  const { checkoutUrl, paymentId } = await openPayment(deps, order)
  if (checkoutUrl === null) throw new Error(`payment ${paymentId} has no page to be paid on`)
  return { checkoutUrl, paymentId }
}

/**
 * Opens a payment by any method, also one without pages. Throws what `purchaseRefusal` names,
 * `unknown_method`, `provider_unavailable`, `provider_rejected` or `conflict`.
 */
export async function openPayment(
  deps: UpgradeDeps,
  order: Ordering & (Purchase | WantedTopUp),
): Promise<OpenedCheckout> {
  const { user, method = 'card' } = order
  const paymentMethod = deps.methods.all.find(
    ({ name, begunBy }) => begunBy === 'user' && publicMethodOf(name) === method,
  )
  if (!paymentMethod) throw new BillingError('unknown_method')
  const wanted = wantedOf(order)
  const typed = 'topUp' in order ? undefined : order.code
  const key = JSON.stringify([user.userId, wanted, method, typed])
  return deps.upgrades.clicks(key, () =>
    countCodeTry(deps, { userId: user.userId, typed }, () =>
      openOrReturn(deps, { ...order, wanted, typed, paymentMethod }),
    ),
  )
}

function wantedOf(order: Purchase | WantedTopUp): Wanted | WantedTopUp {
  if ('topUp' in order) return { topUp: order.topUp }
  const { planId, months = 1, mode = 'upgrade', start, agreed, poNumber } = order
  return { planId, months, mode, start, agreed, poNumber }
}

async function openOrReturn(deps: UpgradeDeps, click: Click): Promise<OpenedCheckout> {
  const { user, paymentMethod, typed } = click
  let { wanted } = click
  let polls = 0
  let before: SubscriptionFacts | null = null
  for (let step = 0; step < STEPS_MAX; step++) {
    const now = deps.clock.now()
    const facts = await deps.upgrades.requests.load({ user, method: paymentMethod.name, now })
    // Done before anything is ordered: a plan change names the payments that it changes.
    if (dueRenewal(facts.subscription, now, deps.rules)) {
      await findCurrentUser(deps, user.userId)
      continue
    }
    // If the time was paid while this click replaced its page, it is not bought twice: the mode `upgrade`
    // refuses more time before the renewal window.
    const isPaid: boolean = before !== null && before.paidUntil !== facts.subscription.paidUntil
    before = facts.subscription
    if ('planId' in wanted) {
      // Read after the user's facts, so that a use of the code between the two reads makes those stale.
      const code = await codeOf(deps, { userId: user.userId, typed, methods: [paymentMethod.name] })
      wanted = { ...wanted, mode: isPaid ? 'upgrade' : wanted.mode, code }
    }
    const decision = decideUpgrade(facts, wanted, now, deps.rules)
    switch (decision.kind) {
      case 'return':
        return opened(decision.payment)
      case 'wait':
        if (++polls > POLLS_MAX) throw purchaseRefusal(decision, now)
        await deps.wait(POLL_MS)
        step--
        continue
      case 'not_sold':
      case 'too_many_checkouts':
        throw purchaseRefusal(decision, now)
    }
    const result = await attempt(deps, decision, click, facts.version)
    if (result !== 'again') return result
  }
  throw unavailable(null)
}

/** `again`: the next round of the loop reads the result. */
type StepResult = OpenedCheckout | 'again'
type Step = Extract<UpgradeDecision, { kind: 'close' | 'continue' | 'end_withdrawn' | 'request' }>

/** Does the step that calls the provider. Failures of one user are limited. */
async function attempt(
  deps: UpgradeDeps,
  step: Step,
  click: Click,
  version: number | null,
): Promise<StepResult> {
  const { failures } = deps.upgrades
  const { userId } = click.user
  failures.check(userId, 'provider_unavailable')
  try {
    if (step.kind === 'request') return await requestPayment(deps, step.sale, click, version)
    if (step.kind === 'continue') return await continueAttempt(deps, step.payment, click)
    if (step.kind === 'close') return await closeAtProvider(deps, step, click)
    // An old page in the browser must take no money before another is given out.
    const payment = await findPayment(deps.database, userId, step.paymentId)
    return payment ? await closeAtProvider(deps, { payment, isSame: false }, click) : 'again'
  } catch (error) {
    if (error instanceof BillingError) failures.count(userId)
    throw error
  }
}

async function requestPayment(
  deps: UpgradeDeps,
  { offer, change, amount, discount, codeHash }: Sale,
  click: Click,
  version: number | null,
): Promise<StepResult> {
  const now = deps.clock.now()
  const { user, wanted, paymentMethod: method, returnUrl, metadata } = click
  const payment = newPayment({
    id: deps.ids.next('pay', now),
    userId: user.userId,
    boughtBy: user.personId,
    poNumber: 'topUp' in wanted ? undefined : wanted.poNumber,
    returnUrl,
    metadata,
    offer: { ...offer, price: { ...offer.price, amount } },
    change,
    ...(codeHash !== null && { code: { hash: codeHash, discount } }),
    method,
    createdAt: now,
    attemptEndsAt: now + ATTEMPT_MS,
  })
  const { insert, insertWithCode } = deps.upgrades.requests
  const write = codeHash === null ? insert : insertWithCode
  const isWritten = await write({ user, version, payment, traceparent: deps.tracing?.current() ?? undefined })
  return isWritten ? openCheckout(deps, payment, click) : 'again'
}

/** The provider may have carried it out, so it is searched for. It may be of another plan than wanted. */
async function continueAttempt(deps: UpgradeDeps, payment: Payment, click: Click): Promise<'again'> {
  const mine: Payment = { ...payment, attemptEndsAt: deps.clock.now() + ATTEMPT_MS }
  if (!(await moveAttemptLease(deps.database, payment, mine.attemptEndsAt))) return 'again'
  const lookup = await askProvider(deps, mine, { source: 'upgrade', requestId: click.requestId })
  if (!lookup.ok) throw await unavailableFor(deps, mine, lookup.failure)
  if (lookup.value.length === 0) await openCheckout(deps, mine, click)
  return 'again'
}

/** `again` if the checkout is not simply open now: another process has it, or it was already paid. */
async function openCheckout(
  deps: UpgradeDeps,
  payment: Payment,
  { locale, requestId }: Click,
): Promise<StepResult> {
  const { userId, kind, months, price, codeHash, discount } = payment
  const method = deps.methods.of(payment.method)
  const answer = await method.createCheckout({
    ...{ paymentId: payment.id, userId, kind, planId: payment.plan?.id ?? null, months, price },
    ...(codeHash !== null && { code: { hash: codeHash, discount } }),
    description: plainPaidFor(payment, locale),
    locale,
    successUrl: `${deps.publicUrl}/portal/return/${payment.id}`,
    failureUrl: `${deps.publicUrl}/portal/return/${payment.id}`,
    webhookUrl: webhookUrlOf(method, deps.publicUrl),
  })
  if (answer.ok) {
    if (method.settledBy === 'provider') deps.count({ name: 'checkout_opened' })
    return settleOpened(deps, payment, answer.value, requestId)
  }
  const { failure } = answer
  const line = { request_id: requestId, payment_id: payment.id, failure }
  deps.log.warn(line, 'the provider opened no checkout')
  if (failure.kind === 'unavailable') throw await unavailableFor(deps, payment, failure)
  await endRequestedPayment(deps.database, payment, 'canceled')
  throw new BillingError('provider_rejected')
}

/** The checkout may exist, so the next click or the sweep searches for it, without waiting for the lease. */
async function unavailableFor({ database, clock }: UpgradeDeps, payment: Payment, failure: ProviderFailure) {
  await moveAttemptLease(database, payment, clock.now())
  return unavailable(failure)
}

/** Compares the answer with the order before the user sees it. `again`: see `openCheckout`. */
async function settleOpened(
  deps: UpgradeDeps,
  payment: Payment,
  report: CheckoutReport,
  requestId: string | undefined,
): Promise<StepResult> {
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
  { requestId }: Pick<Ordering, 'requestId'>,
): Promise<StepResult> {
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

function opened({ id, checkoutUrl }: Payment): OpenedCheckout {
  return { checkoutUrl, paymentId: id }
}
