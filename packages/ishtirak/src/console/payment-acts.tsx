// The acts on a payment: for each when it is offered, what is shown beforehand, and the use case that does it.

import { accessChange, receiptInWords, statusChange, statusKey } from '../acts/changes.js'
import { lookAtPayment, type ProviderLook } from '../checkout/look.js'
import { plainName } from '../core/name.js'
import { mayDo } from '../core/role.js'
import { previewResend, resendReceipt } from '../mail/resend-receipt.js'
import type { PaymentFile } from '../overview/acts.js'
import { acceptPayment, recheckPayment } from '../overview/acts.js'
import type { AllPages } from '../overview/all-pages.js'
import type { PaymentAct, Shown } from '../overview/payment-act.js'
import { Facts, type View } from '../pages/console-frame.js'
import { mailedInWords, reviewInWords } from '../pages/console-words.js'
import { TRANSFER_ACTS } from '../transfers/transfer-acts.js'

export const PAYMENT_ACTS = {
  recheck: {
    act: 'payment.recheck',
    isReasonRequired: false,
    isOffered: ({ payment: { status, checkoutId }, transfer }) =>
      transfer === null && checkoutId !== null && status !== 'paid' && status !== 'refunded',
    show: (pages, view, id) => showProvider(pages, view, id, 'payment.recheck'),
    run: recheckPayment,
  },
  accept: {
    act: 'payment.accept',
    isReasonRequired: true,
    isOffered: ({ payment }) => payment.status === 'review',
    show: (pages, view, id) => showProvider(pages, view, id, 'payment.accept'),
    run: acceptPayment,
  },
  resend: {
    act: 'receipt.resend',
    isReasonRequired: false,
    isPossible: ({ mailer }) => mailer !== undefined,
    isOffered: ({ payment }) => payment.status === 'paid',
    show: showResend,
    run: resendReceipt,
  },
  ...TRANSFER_ACTS,
} as const satisfies Readonly<Record<string, PaymentAct>>

export type PaymentActName = keyof typeof PAYMENT_ACTS
export const PAYMENT_ACT_NAMES = Object.keys(PAYMENT_ACTS).filter(isActName)

function isActName(name: string): name is PaymentActName {
  return Object.hasOwn(PAYMENT_ACTS, name)
}

/** By the state of the payment, to this role, and where the service can do it. */
export function actsOffered(
  pages: AllPages,
  { session }: View,
  file: PaymentFile,
): readonly PaymentActName[] {
  return PAYMENT_ACT_NAMES.filter((name) => {
    const { act, isOffered, isPossible }: PaymentAct = PAYMENT_ACTS[name]
    return mayDo(session.operator, act) && isOffered(file) && isPossible?.(pages) !== false
  })
}

async function showProvider(
  pages: AllPages,
  view: View,
  paymentId: string,
  act: 'payment.recheck' | 'payment.accept',
): Promise<Shown> {
  const { operator } = view.session
  return describeLook(pages, view, await lookAtPayment(pages, paymentId, { act, operator }))
}

function describeLook(pages: AllPages, view: View, look: ProviderLook): Shown {
  const { say, locale } = view
  const { said, status, access, payment } = look
  const amount = said?.amount ?? null
  const teller =
    pages.methods.of(payment.method).settledBy === 'operator' ? 'operatorEntered' : 'providerSays'
  const answer = said
    ? [say(statusKey(said.status)), amount === null ? '' : pages.formats.money(amount, locale)]
    : [say(look.isAnswered ? 'providerKnowsNothing' : 'providerSilent')]
  return {
    version: look.version,
    changes: [statusChange(view, status), accessChange(pages, view, access)],
    safeMore: (
      <Facts
        facts={[
          [say('amount'), pages.formats.money(payment.price.amount, locale)],
          [say(teller), answer.filter((word) => word !== '').join(' · ')],
          [say('reviewDiffers'), reviewInWords(pages, view, payment)],
          [say('receiptWillSay'), receiptInWords(pages, view, look.receipt)],
        ]}
      />
    ),
  }
}

async function showResend(pages: AllPages, view: View, paymentId: string): Promise<Shown> {
  const { say, locale } = view
  const { version, email, mail } = await previewResend(pages, paymentId)
  const queued = mail && say('mailQueued', { when: pages.formats.moment(mail.queuedAt, locale) })
  return {
    version,
    changes: [{ name: say('receiptMail'), before: queued ?? say('mailUnknown'), after: say('mailToBeSent') }],
    safeMore: (
      <Facts
        facts={[
          [say('email'), plainName(email)],
          [say('outcome'), mail?.outcome ? mailedInWords(view, mail.outcome) : null],
        ]}
      />
    ),
  }
}
