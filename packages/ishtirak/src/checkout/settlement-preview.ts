// What the provider says of a payment now, and what would follow from it; nothing is changed. The decision is
// that of a settlement, so that an operator sees beforehand what an act does.
import type { Change } from '../acts/preview.js'
import type { CheckoutReport } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import type { Payment, Review } from '../core/payment.js'
import { decideSettlement } from '../core/settlement.js'
import { statusAt } from '../core/subscription.js'
import { receiptOf } from '../ledger/documents.js'
import { loadPayment } from '../ledger/load.js'
import type { ProviderFailure } from '../ledger/method.js'
import type { SettleDeps } from '../ledger/settle.js'

type Loaded = Pick<Awaited<ReturnType<typeof loadPayment>>, 'payment' | 'user'>

export type SettlementPreview = ReturnType<typeof follow>
export type ProviderPreview = Awaited<ReturnType<typeof previewSettlement>>['detail']

/** What a recheck would do now, or, with `accepted`, an acceptance. Throws `not_found`. */
export async function previewSettlement(
  deps: SettleDeps,
  paymentId: string,
  { accepted }: { readonly accepted: boolean },
) {
  const loaded = await loadPayment(deps, paymentId)
  const { payment } = loaded
  const checkoutId = payment.review?.checkoutId ?? payment.checkoutId
  const answer = checkoutId === null ? null : await deps.methods.of(payment.method).getCheckout(checkoutId)
  const said = answer?.ok ? answer.value : null
  const before = accepted && !answer?.ok && payment.review ? reportOfReview(payment, payment.review) : null
  const change = follow(deps, loaded, said ?? before, deps.clock.now(), accepted)
  const { version, status, access } = change
  const detail = {
    ...change,
    /** False: the provider did not answer, or there is no checkout to ask about. */
    isAnswered: answer?.ok ?? false,
    /** Who says it. */
    settledBy: deps.methods.of(payment.method).settledBy,
    said,
  }
  return { version, changes: changesOf({ status, access }), detail }
}

export function changesOf({ status, access }: Pick<SettlementPreview, 'status' | 'access'>): Change[] {
  return [
    { what: 'status', ...status },
    { what: 'access', ...access },
  ]
}

/** `accepted`: as an operator takes it who accepts what differs. */
export function follow(
  deps: Pick<SettleDeps, 'rules' | 'methods' | 'ids' | 'receipts'>,
  { payment, user }: Loaded,
  report: CheckoutReport | null,
  now: Instant,
  accepted = false,
) {
  const { subscription, version } = user
  const decided =
    report &&
    decideSettlement({ payment, subscription }, report, {
      now,
      rules: deps.rules,
      method: deps.methods.of(payment.method),
      freshPaymentId: () => deps.ids.next('pay', now),
      asked: true,
      accepted,
    })
  const after = decided?.isNew ? null : decided?.payment
  const booked = decided?.subscription ? decided.payment : null
  const buyer = { ...user, userId: payment.userId }
  return {
    payment,
    /** What it would say; null: nothing would be booked. */
    receipt: booked ? receiptOf(deps, booked, buyer, now) : null,
    /** The version of the facts that this was decided on. */
    version,
    status: { before: payment.status, after: after?.status ?? payment.status },
    access: {
      before: statusAt(subscription, now, deps.rules),
      after: statusAt(decided?.subscription ?? subscription, now, deps.rules),
    },
  }
}

/** What it said when it was sent to review. */
export function reportOfReview(payment: Payment, review: Review): CheckoutReport {
  const { checkoutId, status, amount, currency, paidAt } = review
  return {
    method: payment.method,
    checkoutId,
    status,
    amount,
    currency,
    live: null,
    paymentId: payment.id,
    userId: payment.userId,
    instrument: payment.instrument,
    checkoutUrl: payment.checkoutUrl,
    createdAt: null,
    updatedAt: paidAt,
  }
}

export function refusalOf(failure: ProviderFailure): BillingError {
  if (failure.kind === 'rejected') return new BillingError('provider_rejected')
  return new BillingError('provider_unavailable', { retryAfterSeconds: failure.retryAfterSeconds ?? 5 })
}
