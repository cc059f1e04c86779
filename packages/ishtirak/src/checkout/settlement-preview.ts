// What the provider says of a payment now, and what would follow. Nothing is changed. It decides as a
// settlement does, so that an operator sees the effect of an act in advance.

import { type Change, change } from '../acts/act.js'
import { statusKey } from '../acts/changes.js'
import type { CheckoutReport } from '../core/checkout.js'
import type { Instant } from '../core/instant.js'
import { ownReport, type Payment, type Review } from '../core/payment.js'
import { decideSettlement } from '../core/settlement.js'
import { receiptOf } from '../ledger/documents.js'
import type { loadPayment } from '../ledger/load.js'
import type { SettleDeps } from '../ledger/settle.js'

type Loaded = Pick<Awaited<ReturnType<typeof loadPayment>>, 'payment' | 'user'>

export async function previewSettlement(
  deps: SettleDeps,
  loaded: Loaded,
  { accepted }: { readonly accepted: boolean },
): Promise<Change[]> {
  const { payment } = loaded
  const method = deps.methods.of(payment.method)
  const checkoutId = payment.review?.checkoutId ?? payment.checkoutId
  const answer = checkoutId === null ? null : await method.getCheckout(checkoutId)
  const said = answer?.ok ? answer.value : null
  const reviewed = accepted && !answer?.ok && payment.review ? reportOfReview(payment, payment.review) : null
  const label = method.settledBy === 'operator' ? 'operatorEntered' : 'providerSays'
  return [
    change.dinars('amount', payment.price.amount),
    change.state(
      label,
      said ? statusKey(said.status) : answer?.ok ? 'providerKnowsNothing' : 'providerSilent',
    ),
    change.dinars('amountSaid', said?.amount ?? null),
    change.differences('reviewDiffers', payment.review?.differences?.join(', ') ?? null),
    ...effectOf(deps, loaded, said ?? reviewed, deps.clock.now(), accepted),
  ]
}

export function effectOf(
  deps: Pick<SettleDeps, 'rules' | 'methods' | 'ids' | 'seller' | 'billingDayOf'>,
  { payment, user }: Loaded,
  report: CheckoutReport | null,
  now: Instant,
  accepted = false,
): Change[] {
  const { subscription } = user
  const decided =
    report &&
    decideSettlement({ payment, subscription }, report, {
      now,
      rules: deps.rules,
      method: deps.methods.of(payment.method),
      freshPaymentId: () => deps.ids.next('pay', now),
      isAnswer: true,
      accepted,
    })
  const after = decided?.isNew ? null : decided?.payment
  const booked = decided?.subscription ? decided.payment : null
  const buyer = { ...user, userId: payment.userId }
  return [
    change.receipt(booked ? receiptOf(deps, booked, buyer, now) : null),
    change.status(payment.status, after?.status ?? payment.status),
    change.access(subscription, decided?.subscription ?? subscription, now, deps.rules),
  ]
}

/** The report that sent the payment to review. Its fees and mode are not stored. */
export function reportOfReview(payment: Payment, review: Review): CheckoutReport {
  const { checkoutId, status, amount, currency, paidAt } = review
  const { instrument, checkoutUrl } = payment
  const said = { status, amount, currency, live: null, instrument, checkoutUrl, updatedAt: paidAt }
  const { fees: _, ...report } = ownReport(payment, checkoutId, said)
  return report
}
