// Asks the provider about one payment and settles the answer, for sweep, readers, upgrades and operators.
import type { OperatorAct } from '../acts/audit.sql.js'
import type { CheckoutReport } from '../core/checkout.js'
import { ownReport, type Payment } from '../core/payment.js'
import type { ProviderAnswer } from '../ledger/method.js'
import {
  type NamedCheckout,
  type ReportedCheckout,
  type SettleDeps,
  settlePayment,
} from '../ledger/settle.js'

/**
 * Asks the provider for the payment's checkout or, if its id is unknown, for any with the payment's id. The
 * reports are settled like all money, and returned oldest first; none if the provider has no checkout or
 * operators have said nothing.
 */
export async function askProvider(
  deps: SettleDeps,
  payment: Payment,
  origin: Pick<ReportedCheckout, 'source' | 'by' | 'requestId'>,
): Promise<ProviderAnswer<readonly NamedCheckout[]>> {
  const answer = await ask(deps, payment)
  if (!answer.ok) return answer
  // Oldest first: the first checkout of a payment is its own, a later one is a second payment.
  const reports = [...answer.value].sort((one, other) => (one.createdAt ?? 0) - (other.createdAt ?? 0))
  const known: NamedCheckout[] = []
  for (const [n, report] of reports.entries()) {
    const by = origin.by && (n === 0 ? origin.by : withoutOperation(origin.by))
    const outcome = await settlePayment(deps, { report, event: null, ...origin, ...(by && { by }) })
    if (outcome !== 'unknown_checkout' || 'status' in report) known.push(report)
    if (outcome !== 'refused' && outcome !== 'withdrawn') continue
    const { source, requestId } = origin
    const ended = await endCheckout(deps, payment, { checkoutId: report.checkoutId, source, requestId })
    if (!ended.ok) return ended
  }
  return { ok: true, value: known }
}

/** For reports after the first: the trail has an operation id once, and the version has changed. */
function withoutOperation({ operationId: _, seenVersion: __, ...by }: OperatorAct): OperatorAct {
  return by
}

/** Makes sure that a checkout of this payment cannot be paid, and returns its state. */
export async function endCheckout(
  deps: SettleDeps,
  payment: Payment,
  { checkoutId, ...origin }: { readonly checkoutId: string } & Pick<ReportedCheckout, 'source' | 'requestId'>,
): Promise<ProviderAnswer<CheckoutReport>> {
  const answer = await deps.methods.of(payment.method).expireCheckout(checkoutId)
  if (!answer.ok) return answer
  const report = answer.value ?? expiredReport(payment, checkoutId)
  await settlePayment(deps, { report, event: null, ...origin })
  return { ok: true, value: report }
}

async function ask(
  { methods }: SettleDeps,
  payment: Payment,
): Promise<ProviderAnswer<readonly (CheckoutReport | NamedCheckout)[]>> {
  const method = methods.of(payment.method)
  const { id: paymentId, checkoutId } = payment
  if (checkoutId === null) {
    // Without a list a lost answer is not searched for: the repeated order returns the same checkout.
    return method.list?.find(paymentId, payment.createdAt) ?? { ok: true, value: [] }
  }
  // The settlement itself reads what operators have said.
  if (method.settledBy === 'operator')
    return { ok: true, value: [{ method: method.name, checkoutId, paymentId, createdAt: null }] }
  const answer = await method.getCheckout(checkoutId)
  if (!answer.ok) return answer
  return { ok: true, value: answer.value ? [answer.value] : [] }
}

/** The report for a checkout that the provider does not know (its test data was deleted): it is expired. */
export function expiredReport(payment: Payment, checkoutId: string): CheckoutReport {
  const { amount } = payment.price
  return ownReport(payment, checkoutId, { status: 'expired', amount, instrument: null, updatedAt: null })
}
