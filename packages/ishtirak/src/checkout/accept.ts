// An operator accepts a payment under review. If the provider does not answer, its earlier report counts.
import { act, WhySchema } from '../acts/act.js'
import { PROVIDER_REFUSALS } from '../acts/files.js'
import type { CheckoutReport } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import type { Payment, Review } from '../core/payment.js'
import { mostOf, type Operator, type Permission, requireRole } from '../core/role.js'
import { loadPayment, refusalByStatus } from '../ledger/load.js'
import { ACCEPTED_OUTCOMES, type SettleDeps, settlePayment } from '../ledger/settle.js'
import { PAYMENT } from '../ledger/subjects.js'
import type { SettleActDeps } from './recheck.js'
import { previewSettlement, reportOfReview } from './settlement-preview.js'

/** Dinars, for roles without a limit of their own. */
const ACCEPT_MAX = 20_000

const ACCEPT = {
  name: 'payment.accept',
  roles: ['accountant'],
  bound: { most: ACCEPT_MAX, beyond: { name: 'payment.accept_large', roles: [] } },
} as const satisfies Permission

/** Limits the larger of the amounts asked for and paid. Throws `role_not_allowed`. */
function requireWithin(operator: Operator, { price, review }: Payment): void {
  const most = mostOf(operator, ACCEPT)
  const amount = Math.max(price.amount, review?.amount ?? 0)
  if (most !== null && amount > most) requireRole(operator, ACCEPT.bound.beyond, { most })
}

/** Throws `already_refunded`, and `conflict` if nothing is under review or the report has changed. */
export const accept = act<SettleActDeps>()({
  ...ACCEPT,
  on: PAYMENT,
  operationId: 'acceptPayment',
  summary: 'Take a payment under review as it is',
  description:
    'The provider is asked once more. 409 when nothing is under review, or the provider does not have ' +
    'the money.',
  input: WhySchema,
  bulk: true,
  refuses: [...PROVIDER_REFUSALS, 'already_refunded'],
  isOffered: ({ payment }) => payment.status === 'review',
  plan: async (deps, { id, by }) => {
    const loaded = await loadPayment(deps, id)
    const { payment, user } = loaded
    requireWithin(by.operator, payment)
    const { review } = payment
    if (payment.status !== 'review' || !review) throw await refusalByStatus(deps, payment)
    return {
      version: user.version,
      changes: await previewSettlement(deps, loaded, { accepted: true }),
      save: async () => {
        const report = await freshReport(deps, payment, review)
        const accepted = { event: null, source: 'operator', accepted: true } as const
        const outcome = await settlePayment(deps, { ...accepted, report, by })
        // Another operator was faster, or the provider reports another amount now.
        if (ACCEPTED_OUTCOMES.includes(outcome)) return
        throw await refusalByStatus(deps, (await loadPayment(deps, id)).payment)
      },
    }
  },
})

async function freshReport(deps: SettleDeps, payment: Payment, review: Review): Promise<CheckoutReport> {
  const { settledBy, getCheckout } = deps.methods.of(payment.method)
  const answer = await getCheckout(review.checkoutId)
  if (!answer.ok) {
    deps.log.warn(
      { payment_id: payment.id, failure: answer.failure },
      'the provider did not answer, so its earlier report is accepted',
    )
    return reportOfReview(payment, review)
  }
  const status = answer.value?.status ?? 'unknown'
  const isOpen = status === 'pending' || status === 'processing' || status === 'unknown'
  // Operators settle with an approval; their refusal is an act of its own.
  const isFinal = settledBy === 'operator' ? status === 'paid' : !isOpen
  if (answer.value && isFinal) return answer.value
  throw new BillingError('conflict', { extra: { payment_status: 'review', provider_status: status } })
}
