// The acts on a transfer, and on a payment that came twice: what the forms ask, what is shown beforehand, the use case.

import { amountIn } from '../acts/act-form.js'
import type { Field } from '../acts/act-page.js'
import { accessChange, receiptInWords, statusChange } from '../acts/changes.js'
import { readInstant } from '../acts/day.js'
import { INSTRUMENTS, isTransferred } from '../core/account.js'
import { wrongField } from '../core/error.js'
import { decideRefusal } from '../core/transfer.js'
import { readTypedAmount } from '../core/typed-amount.js'
import { instrumentName } from '../i18n/messages.js'
import { loadPayment } from '../ledger/load.js'
import type { PaymentFile } from '../overview/acts.js'
import type { AllPages } from '../overview/all-pages.js'
import { keepPayment } from '../overview/inbox.js'
import type { PaymentAct, Shown, Typed } from '../overview/payment-act.js'
import { Facts, type View } from '../pages/console-frame.js'
import { AMOUNT_MAX } from './approval-schemas.js'
import { approvePayment, lookAtDecision, type Received, refusePayment } from './approvals.js'

export const TRANSFER_ACTS = {
  approve: {
    act: 'payment.approve',
    isReasonRequired: true,
    isOffered: ({ payment: { status, checkoutId }, transfer }) =>
      transfer !== null &&
      checkoutId !== null &&
      !['paid', 'refunded'].includes(status) &&
      (transfer.state !== 'approved' || status === 'review'),
    fieldsOf: receivedFields,
    show: showApproval,
    run: async (pages, id, by, typed) => approvePayment(pages, id, readReceived(pages, typed), by),
  },
  refuse: {
    act: 'payment.refuse',
    isReasonRequired: true,
    reasonKey: 'refusalLabel',
    isOffered: ({ payment, transfer }) =>
      transfer !== null &&
      payment.checkoutId !== null &&
      decideRefusal(transfer, payment, '').kind === 'changed',
    show: showRefusal,
    run: (pages, id, by) => refusePayment(pages, id, { ...by, reason: by.reason ?? '' }),
  },
  keep: {
    act: 'payment.keep',
    isReasonRequired: true,
    isOffered: ({ payment, audit }) =>
      payment.secondOf !== null &&
      payment.status === 'paid' &&
      !audit.some(({ act }) => act === 'payment.keep'),
    show: showKeeping,
    run: keepPayment,
  },
} as const satisfies Readonly<Record<string, PaymentAct>>

/** As the first operator said, else what was asked for, today. */
function receivedFields(pages: AllPages, view: View, { payment, transfer }: PaymentFile): readonly Field[] {
  const { say, locale } = view
  const [first] = transfer?.approvals ?? []
  const { instruments } = pages.methods.of(payment.method)
  const [only, ...others] = instruments.filter(isTransferred)
  const kinds = Object.values(INSTRUMENTS).map((kind) => [kind, instrumentName(kind, locale)] as const)
  const instrument = first?.instrument ?? (others.length === 0 ? only : undefined)
  return [
    {
      name: 'amount',
      label: say('amountCame'),
      type: 'number',
      value: String(first?.amount ?? payment.price.amount),
      decides: true,
      explain: (typed) => amountProblem(pages, view, typed),
    },
    {
      name: 'received_at',
      label: say('dayCame'),
      type: 'date',
      value: pages.wallClock.wallTime(first?.receivedAt ?? pages.clock.now()).slice(0, 10),
      explain: (_typed, code) => (code === 'out_of_range' ? say('dayCameBounds') : null),
    },
    {
      name: 'payment_method',
      label: say('accountCame'),
      type: 'text',
      value: instrument ?? '',
      choices: instrument ? kinds : [['', ''], ...kinds],
      // A second operator has to say what the first one said.
      ...(first && { decides: true }),
    },
  ]
}

/** With the figure read back; null: it is no figure, or has no problem but its size. */
function amountProblem({ formats }: AllPages, { say, locale }: View, typed: string): string | null {
  const amount = readTypedAmount(typed)
  if (amount.kind === 'centimes') return say('amountCentimes', { typed })
  if (amount.kind !== 'ambiguous') return null
  const { grouped } = amount
  return say('amountAmbiguous', { typed, grouped: formats.money(grouped, locale), plain: String(grouped) })
}

/** Throws `validation_failed`. */
function readReceived({ wallClock }: AllPages, typed: Typed): Received {
  const { amount: figures = '', received_at: day = '', payment_method: instrument = '' } = typed
  const amount = amountIn('amount', figures, AMOUNT_MAX)
  if (day === '') throw wrongField('received_at', 'required')
  if (instrument !== '' && !isTransferred(instrument)) throw wrongField('payment_method', 'not_allowed')
  return {
    amount,
    receivedAt: readInstant(wallClock, 'received_at', day),
    ...(isTransferred(instrument) && { instrument }),
  }
}

async function showApproval(pages: AllPages, view: View, paymentId: string, typed: Typed): Promise<Shown> {
  const { say, session } = view
  // Which account it was changes nothing of what follows; it may be chosen last.
  const received = { instrument: INSTRUMENTS.ccp, ...readReceived(pages, typed) }
  const look = await lookAtDecision(pages, paymentId, { received, by: session.operator })
  const { approvals, payment } = look
  const money = (amount: number) => pages.formats.money(amount, view.locale)
  const count = (given: number) =>
    say('approvalsOf', { given: String(given), needed: String(approvals?.needed) })
  return {
    version: look.version,
    changes: [
      statusChange(view, look.status),
      accessChange(pages, view, look.access),
      ...(approvals?.needed === 2
        ? [{ name: say('approvals'), before: count(approvals.before), after: count(approvals.after) }]
        : []),
    ],
    safeMore: (
      <Facts
        facts={[
          [say('reference'), payment.checkoutId],
          [say('amountAsked'), money(payment.price.amount)],
          [say('amountCame'), money(received.amount)],
          [say('receiptWillSay'), receiptInWords(pages, view, look.receipt)],
        ]}
      />
    ),
  }
}

async function showRefusal(pages: AllPages, view: View, paymentId: string): Promise<Shown> {
  const look = await lookAtDecision(pages, paymentId, { received: null, by: view.session.operator })
  return {
    version: look.version,
    changes: [statusChange(view, look.status), accessChange(pages, view, look.access)],
  }
}

async function showKeeping(pages: AllPages, { say }: View, paymentId: string): Promise<Shown> {
  const { payment, user } = await loadPayment(pages, paymentId)
  return {
    version: user.version,
    changes: [{ name: say('inbox'), before: say('kind_second_payment'), after: say('keptNote') }],
    safeMore: <Facts facts={[[say('secondOf'), payment.secondOf]]} />,
  }
}
