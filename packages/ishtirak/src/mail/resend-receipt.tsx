// The receipt of a payment goes out by mail once more, to the address that the user has now.
import { type Static, Type } from 'typebox'
import { type ActDeps, act, actTexts } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import type { Preview } from '../acts/preview.js'
import { OptionalWhySchema } from '../acts/reason.js'
import { BillingError } from '../core/error.js'
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import { plainName } from '../core/name.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { refusalByStatus, requirePayment } from '../ledger/load.js'
import { PAYMENT, type SubjectDeps } from '../ledger/subjects.js'
import { mailedInWords } from '../pages/console-words.js'
import { findReceiptMail, queueReceiptAgain } from './mail.sql.js'
import type { SendMailDeps } from './send-mail.js'
import { mailWords } from './words.js'

export type ResendDeps = ActDeps & SubjectDeps & Pick<SendMailDeps, 'mailer'>

const ResendPreviewSchema = object('ResendPreview', {
  payment_id: Type.String(),
  user_id: Type.String(),
  email: Type.String({ description: 'Where it would go' }),
  queued_at: nullable(timestamp),
  outcome: nullable(
    Type.String({ description: 'What became of the mail before; mail is remembered for 90 days' }),
  ),
})

async function load(deps: ResendDeps, id: string) {
  const { payment, user } = await requirePayment(deps, id)
  const { userId, status } = payment
  if (status === 'refunded') throw await refusalByStatus(deps, payment)
  if (status !== 'paid') throw new BillingError('payment_not_paid', { extra: { payment_status: status } })
  const mail = await findReceiptMail(deps.database, { userId, paymentId: id }, deps.clock.now())
  return { payment, user, version: user.version, mail }
}

type Loaded = Awaited<ReturnType<typeof load>>

export const resendReceipt = act<ResendDeps>().decides({
  name: 'payment.resend_receipt',
  roles: ['support', 'cashier'],
  on: PAYMENT,
  operationId: 'resendReceipt',
  summary: 'Send the receipt of a payment by mail once more',
  description:
    'The same mail and file as at first, to the address that the user has now. 409 while it is on its ' +
    'way, and for five minutes after it was queued.',
  input: OptionalWhySchema,
  refuses: ['payment_not_paid', 'already_refunded', 'no_email_address', 'mail_under_way', 'mail_unavailable'],
  texts: actTexts(mailWords, 'resend_receipt'),
  load: (deps, { id }) => load(deps, id),
  decide: ({ user, mail }, _call, _now, { mailer }) => {
    if (user.email === null) throw new BillingError('no_email_address')
    if (!mailer) throw new BillingError('mail_unavailable')
    if (mail && !mail.mayBeRenewed)
      throw new BillingError('mail_under_way', { extra: { queued_at: toTimestamp(mail.queuedAt) } })
    return { email: user.email }
  },
  save: async (deps, { id: paymentId, by }, { facts: { payment, mail }, now }) => {
    const before = { queued_at: timestampOrNull(mail?.queuedAt), outcome: mail?.outcome ?? null }
    const facts = { paymentId, before, after: { queued_at: toTimestamp(now), outcome: null }, now }
    const audit = auditEntry(deps.ids, { ...by, act: 'payment.resend_receipt' }, facts)
    const isQueued = await queueReceiptAgain(deps.database, { userId: payment.userId, paymentId }, audit, now)
    if (!isQueued) throw new BillingError('mail_under_way')
    return 'saved'
  },
  preview: ({ facts: { payment, mail }, decision }) => ({
    changes: [
      {
        what: 'receiptMail',
        before: mail ? toTimestamp(mail.queuedAt) : 'mailUnknown',
        after: 'mailToBeSent',
      },
    ],
    detail: { payment, mail, email: decision?.email ?? '' },
  }),
  previews: { schema: ResendPreviewSchema, view: viewResend },
  form: {
    isPossible: ({ mailer }) => mailer !== undefined,
    isOffered: ({ payment }) => payment.status === 'paid',
    inWords: ({ formats }, view, { detail: { email, mail } }) => {
      const { say, locale } = view
      const queued = mail && say('mailQueued', { when: formats.moment(mail.queuedAt, locale) })
      const before = queued ?? say('mailUnknown')
      return {
        changes: [{ name: say('receiptMail'), before, after: say('mailToBeSent') }],
        facts: [
          [say('email'), plainName(email)],
          [say('outcome'), mail?.outcome ? mailedInWords(view, mail.outcome) : null],
        ],
      }
    },
  },
})

function viewResend({
  detail: { payment, email, mail },
}: Preview<Pick<Loaded, 'payment' | 'mail'> & { readonly email: string }>): Static<
  typeof ResendPreviewSchema
> {
  return {
    payment_id: payment.id,
    user_id: payment.userId,
    email,
    queued_at: timestampOrNull(mail?.queuedAt),
    outcome: mail?.outcome ?? null,
  }
}
