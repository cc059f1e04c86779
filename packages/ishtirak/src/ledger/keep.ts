// An operator keeps a second payment: it leaves the inbox, and nothing else changes.
import { act } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { change } from '../acts/preview.js'
import { WhySchema } from '../acts/reason.js'
import { BillingError } from '../core/error.js'
import type { ChangeDeps } from './change-user.js'
import { keepSecondPayment, waitsAsSecond } from './keep.sql.js'
import { loadPayment } from './load.js'
import { PAYMENT, type SubjectDeps } from './subjects.js'

export const keepPayment = act<ChangeDeps & SubjectDeps>()({
  name: 'payment.keep',
  roles: [],
  on: PAYMENT,
  operationId: 'keepPayment',
  summary: 'Say that a second payment stays: it waits in the inbox no more',
  description: 'Nothing else changes. 409 when the payment is no second one, is not paid or is kept already.',
  input: WhySchema,
  bulk: true,
  isOffered: ({ payment, audit }) =>
    payment.secondOf !== null &&
    payment.status === 'paid' &&
    !audit.some(({ act: done }) => done === 'payment.keep'),
  plan: async (deps, { id: paymentId, by }) => {
    const { payment, user } = await loadPayment(deps, paymentId)
    const { status, secondOf } = payment
    const refusal = () => new BillingError('conflict', { extra: { payment_status: status } })
    if (!(await waitsAsSecond(deps.database, payment))) throw refusal()
    return {
      version: user.version,
      changes: [change.text('secondOf', secondOf), change.state('inbox', 'kind_second_payment', 'keptNote')],
      save: async () => {
        const now = deps.clock.now()
        const audit = auditEntry(deps.ids, by, { paymentId, before: { status }, after: { status }, now })
        if (!(await keepSecondPayment(deps.database, payment, audit, now))) throw refusal()
      },
    }
  },
})
