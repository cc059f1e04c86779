// An operator keeps a second payment: it leaves the inbox, and nothing else changes.
import { act, change, WhySchema } from '../acts/act.js'
import { BillingError } from '../core/error.js'
import type { Payment } from '../core/payment.js'
import { type ChangeDeps, changeBy } from './change-user.js'
import { loadPayment } from './load.js'
import { PAYMENT, type SubjectDeps } from './subjects.js'

export const keepPayment = act<ChangeDeps & SubjectDeps>()({
  name: 'payment.keep',
  roles: [],
  on: PAYMENT,
  operationId: 'keepPayment',
  summary: 'Say that a second payment stays, which takes it from the inbox',
  description: 'Nothing else changes. 409 when the payment is no second one, is not paid or is kept already.',
  input: WhySchema,
  bulk: true,
  isOffered: ({ payment }) => isUndecided(payment),
  plan: async (deps, { id: paymentId, by }) => {
    const loaded = await loadPayment(deps, paymentId)
    const { payment, user } = loaded
    const { status, secondOf } = payment
    if (!isUndecided(payment)) throw new BillingError('conflict', { extra: { payment_status: status } })
    return {
      version: user.version,
      changes: [change.text('secondOf', secondOf), change.state('inbox', 'kind_second_payment', 'keptNote')],
      save: () => {
        const now = deps.clock.now()
        const revision = { payment: { ...payment, keptAt: now }, events: [] }
        return changeBy(deps, by, loaded, { revision, now })
      },
    }
  },
})

/** True for a second payment that is paid and that no operator has kept. inbox.sql.ts has the same rule. */
function isUndecided({ secondOf, status, keptAt }: Payment): boolean {
  return secondOf !== null && status === 'paid' && keptAt === null
}
