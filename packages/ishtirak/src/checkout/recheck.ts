// An operator asks the provider about a payment now. The answer is booked like any other report.
import { act, OptionalWhySchema } from '../acts/act.js'
import { recordAct } from '../acts/audit.sql.js'
import { PROVIDER_REFUSALS } from '../acts/files.js'
import { publicMethodOf } from '../core/payment.js'
import { loadPayment } from '../ledger/load.js'
import { providerRefusal } from '../ledger/refusals.js'
import type { SettleDeps } from '../ledger/settle.js'
import { PAYMENT, type SubjectDeps } from '../ledger/subjects.js'
import { askProvider } from './ask-provider.js'
import { previewSettlement } from './settlement-preview.js'

export type SettleActDeps = SettleDeps & SubjectDeps

export const recheck = act<SettleActDeps>()({
  name: 'payment.recheck',
  rank: 'common',
  roles: ['support'],
  on: PAYMENT,
  operationId: 'recheckPayment',
  summary: 'Ask the provider about a payment now',
  description: 'The answer is booked like any other report. 503 if the provider does not answer.',
  input: OptionalWhySchema,
  bulk: true,
  refuses: PROVIDER_REFUSALS,
  // Payments that operators record have no provider to ask.
  isOffered: ({ payment: { status, checkoutId, method } }) =>
    publicMethodOf(method) === 'card' && checkoutId !== null && status !== 'paid' && status !== 'refunded',
  plan: async (deps, { id: paymentId, by }) => {
    const loaded = await loadPayment(deps, paymentId)
    return {
      version: loaded.user.version,
      changes: await previewSettlement(deps, loaded, { accepted: false }),
      save: async () => {
        const lookup = await askProvider(deps, loaded.payment, { source: 'operator', by })
        if (!lookup.ok) throw providerRefusal(lookup.failure)
        if (lookup.value.length > 0) return
        const { userId, status } = loaded.payment
        const facts = { before: { status }, after: { status, at_provider: null } }
        await recordAct(deps, by, { userId, paymentId, ...facts })
      },
    }
  },
})
