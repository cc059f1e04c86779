// An operator asks the provider about a payment now; what it says is booked like any other report.
import { act, actTexts } from '../acts/act.js'
import { recordAct } from '../acts/audit.sql.js'
import { ASKED } from '../acts/descriptions.js'
import { OptionalWhySchema } from '../acts/reason.js'
import { kindOf } from '../core/payment.js'
import { loadPayment } from '../ledger/load.js'
import type { SettleDeps } from '../ledger/settle.js'
import { PAYMENT, type SubjectDeps } from '../ledger/subjects.js'
import { askProvider } from './ask-provider.js'
import { previewSettlement, refusalOf } from './settlement-preview.js'
import { SettlementPreviewSchema, viewSettlementPreview } from './settlement-preview-schemas.js'
import { previewInWords } from './settlement-preview-words.js'
import { checkoutWords } from './words.js'

export type SettleActDeps = SettleDeps & SubjectDeps

export const recheck = act<SettleActDeps>().does({
  name: 'payment.recheck',
  roles: ['support'],
  on: PAYMENT,
  operationId: 'recheckPayment',
  summary: 'Ask the provider about a payment now',
  input: OptionalWhySchema,
  refuses: ASKED,
  texts: actTexts(checkoutWords, 'recheck'),
  run: async (deps, { id: paymentId, by }) => {
    const { payment } = await loadPayment(deps, paymentId)
    const asked = { ...by, act: 'payment.recheck' }
    const lookup = await askProvider(deps, payment, { source: 'operator', by: asked })
    if (!lookup.ok) throw refusalOf(lookup.failure)
    if (lookup.value.length > 0) return
    const { userId, status } = payment
    const facts = { before: { status }, after: { status, at_provider: null } }
    await recordAct(deps, asked, { userId, paymentId, ...facts })
  },
  preview: (deps, { id }) => previewSettlement(deps, id, { accepted: false }),
  previews: { schema: SettlementPreviewSchema, view: ({ detail }) => viewSettlementPreview(detail) },
  form: {
    atOnce: true,
    // What operators record as paid has no provider to ask.
    isOffered: ({ payment: { status, checkoutId, method } }) =>
      kindOf(method) === 'card' && checkoutId !== null && status !== 'paid' && status !== 'refunded',
    inWords: previewInWords,
  },
})
