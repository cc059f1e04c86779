// An operator sends the receipt of a payment again, to the user's present address.
import { type ActDeps, act, change, OptionalWhySchema } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { BillingError } from '../core/error.js'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import { refusalByStatus, requirePayment } from '../ledger/load.js'
import { PAYMENT, type SubjectDeps } from '../ledger/subjects.js'
import { findReceiptMail, queueReceiptAgain } from './mail.sql.js'
import type { SendMailDeps } from './send-mail.js'

export type ResendDeps = ActDeps & SubjectDeps & Pick<SendMailDeps, 'mailer'>

export const resendReceipt = act<ResendDeps>()({
  name: 'payment.resend_receipt',
  rank: 'common',
  roles: ['support', 'cashier'],
  on: PAYMENT,
  operationId: 'resendReceipt',
  summary: 'Send the receipt of a payment by mail once more',
  description:
    'The same mail and file as at first, to the address that the user has now. 409 while it is on its ' +
    'way, and for five minutes after it was queued.',
  input: OptionalWhySchema,
  bulk: true,
  refuses: ['payment_not_paid', 'already_refunded', 'no_email_address', 'mail_under_way', 'mail_unavailable'],
  isOffered: ({ payment }, { mailer }) => mailer !== undefined && payment.status === 'paid',
  plan: async (deps, { id: paymentId, by }) => {
    const { payment, user } = await requirePayment(deps, paymentId)
    const { userId, status } = payment
    if (status === 'refunded') throw await refusalByStatus(deps, payment)
    if (status !== 'paid') throw new BillingError('payment_not_paid', { extra: { payment_status: status } })
    const now = deps.clock.now()
    const mail = await findReceiptMail(deps.database, { userId, paymentId }, now)
    if (user.email === null) throw new BillingError('no_email_address')
    if (!deps.mailer) throw new BillingError('mail_unavailable')
    if (mail && !mail.mayBeRenewed)
      throw new BillingError('mail_under_way', { extra: { queued_at: toTimestamp(mail.queuedAt) } })
    return {
      version: user.version,
      changes: [
        change.text('email', user.email),
        mail ? change.instant('mailQueued', mail.queuedAt) : change.state('mailQueued', 'mailUnknown'),
        change.mailed('outcome', mail?.outcome ?? null),
        change.state('receiptMail', null, 'mailToBeSent'),
      ],
      save: async () => {
        const before = { queued_at: timestampOrNull(mail?.queuedAt), outcome: mail?.outcome ?? null }
        const facts = { paymentId, before, after: { queued_at: toTimestamp(now), outcome: null }, now }
        const audit = auditEntry(deps.ids, by, facts)
        if (!(await queueReceiptAgain(deps.database, { userId, paymentId }, audit, now)))
          throw new BillingError('mail_under_way')
      },
    }
  },
})
