// A second payment stays: it waits in the inbox no more, and nothing else changes.
import { act, actTexts } from '../acts/act.js'
import { auditEntry, requireUnchanged } from '../acts/audit.sql.js'
import { WhySchema } from '../acts/reason.js'
import { BillingError } from '../core/error.js'
import type { ChangeDeps } from './change-user.js'
import { keepSecondPayment, waitsAsSecond } from './keep.sql.js'
import { loadPayment } from './load.js'
import { PAYMENT, type SubjectDeps } from './subjects.js'
import { ledgerWords } from './words.js'

export const keepPayment = act<ChangeDeps & SubjectDeps>().does({
  name: 'payment.keep',
  roles: [],
  on: PAYMENT,
  operationId: 'keepPayment',
  summary: 'Say that a second payment stays: it waits in the inbox no more',
  description: 'Nothing else changes. 409 when the payment is no second one, is not paid or is kept already.',
  input: WhySchema,
  texts: actTexts(ledgerWords, 'keep'),
  run: async (deps, { id, by }) => {
    const { payment, user } = await loadPayment(deps, id)
    requireUnchanged(by, user.version)
    const now = deps.clock.now()
    const { status } = payment
    const facts = { paymentId: id, before: { status }, after: { status }, now }
    const audit = auditEntry(deps.ids, { ...by, act: 'payment.keep' }, facts)
    if (await keepSecondPayment(deps.database, payment, audit, now)) return
    throw new BillingError('conflict', { extra: { payment_status: status } })
  },
  preview: async (deps, { id }) => {
    const { payment, user } = await loadPayment(deps, id)
    if (!(await waitsAsSecond(deps.database, payment)))
      throw new BillingError('conflict', { extra: { payment_status: payment.status } })
    return {
      version: user.version,
      changes: [{ what: 'inbox', before: 'kind_second_payment', after: 'keptNote' }],
      detail: { secondOf: payment.secondOf },
    }
  },
  form: {
    isOffered: ({ payment, audit }) =>
      payment.secondOf !== null &&
      payment.status === 'paid' &&
      !audit.some(({ act: done }) => done === 'payment.keep'),
    inWords: (_pages, { say }, { detail }) => ({ facts: [[say('secondOf'), detail.secondOf]] }),
  },
})
