// Asking the provider about one payment. What it says goes the way of all money: settlePayment.
import type { CheckoutReport } from '../core/checkout.js'
import type { Payment } from '../core/payment.js'
import type { ProviderAnswer, ProviderFailure } from './method.js'
import { type ReportedCheckout, type SettleDeps, settlePayment } from './settle.js'

export type Lookup =
  /** The provider has nothing under this payment's name. */
  | { readonly kind: 'not_there' }
  | { readonly kind: 'settled'; readonly reports: readonly CheckoutReport[] }
  | { readonly kind: 'failed'; readonly failure: ProviderFailure }

/** Asks for the payment's checkout, or, where we never learned its id, for any that carries the payment's id. */
export async function lookUpPayment(
  deps: SettleDeps,
  payment: Payment,
  options: Pick<ReportedCheckout, 'source' | 'accepted' | 'by' | 'requestId'> & {
    readonly timeoutMs?: number
  },
): Promise<Lookup> {
  const { timeoutMs, ...way } = options
  const answer = await ask(deps, payment, timeoutMs)
  if (!answer.ok) return { kind: 'failed', failure: answer.failure }
  if (answer.value.length === 0) return { kind: 'not_there' }
  // Oldest first: the first checkout made for a payment is the payment's own, a later one the second.
  const reports = [...answer.value].sort((one, other) => (one.createdAt ?? 0) - (other.createdAt ?? 0))
  for (const report of reports) {
    const outcome = await settlePayment(deps, { report, event: null, ...way })
    if (outcome !== 'refused' && outcome !== 'withdrawn') continue
    const ended = await endCheckout(deps, payment, {
      checkoutId: report.checkoutId,
      source: way.source,
      requestId: way.requestId,
    })
    if (!ended.ok) return { kind: 'failed', failure: ended.failure }
  }
  return { kind: 'settled', reports }
}

/** Sees to it that a checkout of this payment is not paid any more; gives what it is now. */
export async function endCheckout(
  deps: SettleDeps,
  payment: Payment,
  { checkoutId, ...way }: { readonly checkoutId: string } & Pick<ReportedCheckout, 'source' | 'requestId'>,
): Promise<ProviderAnswer<CheckoutReport>> {
  const answer = await deps.methods.of(payment.method).expireCheckout(checkoutId)
  if (!answer.ok) return answer
  const report = answer.value ?? reportOfLoss(payment, checkoutId)
  await settlePayment(deps, { report, event: null, ...way })
  return { ok: true, value: report }
}

async function ask(
  { methods }: SettleDeps,
  payment: Payment,
  timeoutMs: number | undefined,
): Promise<ProviderAnswer<readonly CheckoutReport[]>> {
  const method = methods.of(payment.method)
  if (payment.checkoutId === null) {
    // Without a list a lost answer is not looked for: the order is given again, and leads to the same checkout.
    return method.list?.find(payment.id, payment.createdAt) ?? { ok: true, value: [] }
  }
  const answer = await method.getCheckout(payment.checkoutId, timeoutMs === undefined ? {} : { timeoutMs })
  if (!answer.ok) return answer
  return { ok: true, value: answer.value ? [answer.value] : [] }
}

/** The provider does not know the checkout (its test data was wiped): it cannot be paid, so it is as good as expired. */
export function reportOfLoss(payment: Payment, checkoutId: string): CheckoutReport {
  return {
    method: payment.method,
    checkoutId,
    status: 'expired',
    amount: payment.price.amount,
    currency: payment.price.currency,
    live: payment.live,
    paymentId: payment.id,
    userId: payment.userId,
    instrument: null,
    checkoutUrl: null,
    createdAt: null,
    updatedAt: null,
  }
}
