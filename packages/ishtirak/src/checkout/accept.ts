// An operator takes a payment under review as it is. The provider is asked once more; where it is out of
// reach, what it said then is taken.
import { act, actTexts } from '../acts/act.js'
import { requireUnchanged } from '../acts/audit.sql.js'
import { ASKED } from '../acts/descriptions.js'
import { WhySchema } from '../acts/reason.js'
import type { CheckoutReport } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import type { Payment, Review } from '../core/payment.js'
import { loadPayment, refusalByStatus } from '../ledger/load.js'
import { type SettleDeps, settlePayment, TAKEN } from '../ledger/settle.js'
import { PAYMENT } from '../ledger/subjects.js'
import type { SettleActDeps } from './recheck.js'
import { previewSettlement, reportOfReview } from './settlement-preview.js'
import { SettlementPreviewSchema, viewSettlementPreview } from './settlement-preview-schemas.js'
import { previewInWords } from './settlement-preview-words.js'
import { checkoutWords } from './words.js'

/** `already_refunded`; `conflict`: nothing is under review, the money is gone, or the amount is another. */
export const accept = act<SettleActDeps>().does({
  name: 'payment.accept',
  roles: [],
  on: PAYMENT,
  operationId: 'acceptPayment',
  summary: 'Take a payment under review as it is',
  description:
    'The provider is asked once more. 409 when nothing is under review, or the provider does not have ' +
    'the money.',
  input: WhySchema,
  refuses: [...ASKED, 'already_refunded'],
  texts: actTexts(checkoutWords, 'accept'),
  run: async (deps, { id, by }) => {
    const { payment, user } = await loadPayment(deps, id)
    requireUnchanged(by, user.version)
    const { review } = payment
    if (payment.status !== 'review' || !review) throw await refusalByStatus(deps, payment)
    const report = await freshReport(deps, payment, review)
    const accepted = { event: null, source: 'operator', accepted: true } as const
    const asked = { ...by, act: 'payment.accept' }
    const outcome = await settlePayment(deps, { ...accepted, report, by: asked })
    // Another operator was faster, or the provider names another amount by now.
    if (!TAKEN.includes(outcome)) throw await refusalByStatus(deps, (await loadPayment(deps, id)).payment)
  },
  preview: async (deps, { id }) => {
    const preview = await previewSettlement(deps, id, { accepted: true })
    const { payment } = preview.detail
    if (payment.status !== 'review') throw await refusalByStatus(deps, payment)
    return preview
  },
  previews: { schema: SettlementPreviewSchema, view: ({ detail }) => viewSettlementPreview(detail) },
  form: { isOffered: ({ payment }) => payment.status === 'review', inWords: previewInWords },
})

async function freshReport(deps: SettleDeps, payment: Payment, review: Review): Promise<CheckoutReport> {
  const { settledBy, getCheckout } = deps.methods.of(payment.method)
  const answer = await getCheckout(review.checkoutId)
  if (!answer.ok) {
    deps.log.warn({ payment_id: payment.id, failure: answer.failure }, 'accepted without a fresh look')
    return reportOfReview(payment, review)
  }
  const status = answer.value?.status ?? 'unknown'
  const isOpen = status === 'pending' || status === 'processing' || status === 'unknown'
  // Of what operators settle, only an approved one is money; a refusal is an act of its own.
  const isFinal = settledBy === 'operator' ? status === 'paid' : !isOpen
  if (answer.value && isFinal) return answer.value
  throw new BillingError('conflict', { extra: { payment_status: 'review', provider_status: status } })
}
