// Asks the provider about one payment, for sweep, readers, upgrades and operators, and settles the answer.
import type { OperatorAct } from '../acts/audit.sql.js'
import type { CheckoutReport } from '../core/checkout.js'
import type { Payment } from '../core/payment.js'
import type { ProviderAnswer } from '../ledger/method.js'
import {
  type NamedCheckout,
  type ReportedCheckout,
  type SettleDeps,
  settlePayment,
} from '../ledger/settle.js'

/**
 * Asks the provider for the payment's checkout, or, where its id was never learned, for any that carries the
 * payment's id. What it says goes the way of all money, and is given, oldest first: nothing where the
 * provider has none, or operators have said nothing.
 */
export async function askProvider(
  deps: SettleDeps,
  payment: Payment,
  way: Pick<ReportedCheckout, 'source' | 'by' | 'requestId'>,
): Promise<ProviderAnswer<readonly NamedCheckout[]>> {
  const answer = await ask(deps, payment)
  if (!answer.ok) return answer
  // Oldest first: the first checkout made for a payment is the payment's own, a later one the second.
  const reports = [...answer.value].sort((one, other) => (one.createdAt ?? 0) - (other.createdAt ?? 0))
  const known: NamedCheckout[] = []
  for (const [n, report] of reports.entries()) {
    const by = way.by && (n === 0 ? way.by : unnamed(way.by))
    const outcome = await settlePayment(deps, { report, event: null, ...way, ...(by && { by }) })
    if (outcome !== 'unknown_checkout' || 'status' in report) known.push(report)
    if (outcome !== 'refused' && outcome !== 'withdrawn') continue
    const { source, requestId } = way
    const ended = await endCheckout(deps, payment, { checkoutId: report.checkoutId, source, requestId })
    if (!ended.ok) return ended
  }
  return { ok: true, value: known }
}

/** After the first report: the trail has the name of an operation once, and the version has moved on. */
function unnamed({ operationId: _, seenVersion: __, ...by }: OperatorAct): OperatorAct {
  return by
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
): Promise<ProviderAnswer<readonly (CheckoutReport | NamedCheckout)[]>> {
  const method = methods.of(payment.method)
  const { id: paymentId, checkoutId } = payment
  if (checkoutId === null) {
    // Without a list a lost answer is not looked for: the order, given again, leads to the same checkout.
    return method.list?.find(paymentId, payment.createdAt) ?? { ok: true, value: [] }
  }
  // What operators say is a row of ours, which the settlement reads itself.
  if (method.settledBy === 'operator')
    return { ok: true, value: [{ method: method.name, checkoutId, paymentId, createdAt: null }] }
  const answer = await method.getCheckout(checkoutId)
  if (!answer.ok) return answer
  return { ok: true, value: answer.value ? [answer.value] : [] }
}

/** The provider does not know the checkout (its test data was wiped): it is as good as expired. */
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
