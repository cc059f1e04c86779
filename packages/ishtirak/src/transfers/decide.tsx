// What operators say of a transfer, as acts: its money has come, or it is refused.
import type { Static } from 'typebox'
import { act, actTexts } from '../acts/act.js'
import type { Field } from '../acts/act-page.js'
import { changesInWords, receiptInWords } from '../acts/changes.js'
import { readInstant } from '../acts/day.js'
import type { InWords } from '../acts/form.js'
import type { Preview } from '../acts/preview.js'
import { amountIn } from '../acts/sent-form.js'
import { changesOf } from '../checkout/settlement-preview.js'
import { viewChange } from '../checkout/settlement-preview-schemas.js'
import { INSTRUMENTS, isTransferred } from '../core/account.js'
import { wrongField } from '../core/error.js'
import { decideRefusal, type PayingLine } from '../core/transfer.js'
import { readTypedAmount } from '../core/typed-amount.js'
import { instrumentName } from '../i18n/messages.js'
import { loadPayment } from '../ledger/load.js'
import { PAYMENT, type SubjectDeps } from '../ledger/subjects.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import {
  ApprovalSchema,
  DecisionSchema,
  RECEIVED_AMOUNT_MAX,
  type ReceivedSchema,
  RefusalSchema,
} from './approval-schemas.js'
import {
  type ApprovalDeps,
  approvePayment,
  type DecisionPreview,
  loadTransfer,
  previewDecision,
  type Received,
  refusePayment,
  settleDecided,
} from './approvals.js'
import { transferIn } from './payment-part.js'
import { transfersWords } from './words.js'

export type DecisionDeps = ApprovalDeps & SubjectDeps

/** A decision settles its payment after its entry in the audit trail. */
const finish = async (deps: DecisionDeps, { id }: { readonly id: string }) =>
  settleDecided(deps, (await loadPayment(deps, id)).payment)

export const approve = act<DecisionDeps>().does({
  name: 'payment.approve',
  roles: ['accountant'],
  on: PAYMENT,
  countsEach: true,
  each: ['amount', 'received_at'],
  operationId: 'approvePayment',
  summary: 'Say that the money of a transfer has come',
  description:
    'Books the payment, or sends it to review where the amount is another one. From ' +
    '`second_approval_from` of TRANSFER_FILE on a second operator says the same before anything is ' +
    'booked. 409 when it is decided already.',
  input: ApprovalSchema,
  refuses: ['second_operator_needed'],
  texts: actTexts(transfersWords, 'approve'),
  run: (deps, { id, input, by }) => approvePayment(deps, id, receivedOf(deps, input), by),
  finish,
  preview: async (deps, { id, input, by }) => {
    const received = receivedOf(deps, input)
    const preview = await previewDecision(deps, id, { received, by: by.operator })
    return { version: preview.version, changes: changesOf(preview), detail: { ...preview, received } }
  },
  previews: { schema: DecisionSchema, view: viewDecision },
  command: { isMeant: isWaiting },
  form: {
    isOffered: (file) => {
      const { status, checkoutId } = file.payment
      const transfer = transferIn(file)
      return (
        transfer !== null &&
        checkoutId !== null &&
        !['paid', 'refunded'].includes(status) &&
        (transfer.state !== 'approved' || status === 'review')
      )
    },
    asks: null,
    fields: async (pages, view, id) => receivedFields(pages, view, await loadTransfer(pages, id)),
    read: (_pages, typed) => readReceived(typed),
    // Which account it was changes nothing of what follows; it may be chosen last.
    assumes: { payment_method: INSTRUMENTS.ccp },
    // A second operator who says something else than the first one is wrong about one of the figures.
    wrongFields: ({ extra }) =>
      extra.approved_amount === undefined ? undefined : ['amount', 'payment_method'],
    inWords: approvalInWords,
  },
})

/** The same, where a line of a bank statement shows the money. */
export function approveByLine(line: PayingLine): typeof approve {
  return {
    ...approve,
    run: (deps, { id, input, by }) => {
      const received = receivedOf(deps, input as Static<typeof ReceivedSchema>)
      return approvePayment(deps, id, { ...received, line }, by)
    },
  }
}

export const refuse = act<DecisionDeps>().does({
  name: 'payment.refuse',
  roles: ['accountant'],
  on: PAYMENT,
  operationId: 'refusePayment',
  summary: 'Refuse a transfer, for a reason that the user reads',
  description: 'Money that comes later can still be approved. 409 when its money is booked.',
  input: RefusalSchema,
  texts: actTexts(transfersWords, 'refuse'),
  run: (deps, { id, input, by }) => refusePayment(deps, id, { ...by, reason: input.why }),
  finish,
  preview: async (deps, { id, by }) => {
    const preview = await previewDecision(deps, id, { received: null, by: by.operator })
    return { version: preview.version, changes: changesOf(preview), detail: preview }
  },
  previews: { schema: DecisionSchema, view: viewDecision },
  command: { isMeant: isWaiting },
  form: {
    isOffered: (file) => {
      const transfer = transferIn(file)
      const { payment } = file
      return (
        transfer !== null &&
        payment.checkoutId !== null &&
        decideRefusal(transfer, payment, '').kind === 'changed'
      )
    },
    reasonLabel: ({ say }) => say('refusalLabel'),
  },
})

/** A transfer that waits for its decision. */
function isWaiting({ method, status }: Readonly<Record<string, unknown>>): boolean {
  return method === 'transfer' && (status === 'pending' || status === 'review')
}

function receivedOf(
  { wallClock }: Pick<ApprovalDeps, 'wallClock'>,
  { amount, received_at, payment_method: instrument }: Static<typeof ReceivedSchema>,
): Received {
  return { amount, receivedAt: readInstant(wallClock, 'received_at', received_at), instrument }
}

function viewDecision({ detail }: Preview<DecisionPreview>): Static<typeof DecisionSchema> {
  return { ...viewChange(detail), approvals: detail.approvals }
}

/** As the first operator said, else what was asked for, today. */
function receivedFields(
  pages: ConsolePages & DecisionDeps,
  view: View,
  { stored: { transfer, payment }, method }: Awaited<ReturnType<typeof loadTransfer>>,
): readonly Field[] {
  const { say, locale } = view
  const [first] = transfer.approvals
  const [only, ...others] = method.instruments.filter(isTransferred)
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
      value: pages.wallClock.dayAt(first?.receivedAt ?? pages.clock.now()),
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
function amountProblem({ formats }: ConsolePages, { say, locale }: View, typed: string): string | null {
  const amount = readTypedAmount(typed)
  if (amount.kind === 'centimes') return say('amountCentimes', { typed })
  if (amount.kind !== 'ambiguous') return null
  const { grouped } = amount
  return say('amountAmbiguous', { typed, grouped: formats.money(grouped, locale), plain: String(grouped) })
}

/** Throws `validation_failed`. */
function readReceived(typed: Readonly<Record<string, string>>): Static<typeof ReceivedSchema> {
  const { amount: figures = '', received_at: day = '', payment_method: instrument = '' } = typed
  const amount = amountIn('amount', figures, RECEIVED_AMOUNT_MAX)
  if (day === '') throw wrongField('received_at', 'required')
  if (instrument !== '' && !isTransferred(instrument)) throw wrongField('payment_method', 'not_allowed')
  return { amount, received_at: day, ...(isTransferred(instrument) && { payment_method: instrument }) }
}

function approvalInWords(
  pages: ConsolePages,
  view: View,
  { changes, detail }: Preview<DecisionPreview & { readonly received: Received }>,
): InWords {
  const { say, locale } = view
  const { approvals, payment, received, receipt } = detail
  const money = (amount: number) => pages.formats.money(amount, locale)
  const count = (given: number) =>
    say('approvalsOf', { given: String(given), needed: String(approvals?.needed) })
  return {
    changes: [
      ...changesInWords(pages, view, changes),
      ...(approvals?.needed === 2
        ? [{ name: say('approvals'), before: count(approvals.before), after: count(approvals.after) }]
        : []),
    ],
    facts: [
      [say('reference'), payment.checkoutId],
      [say('amountAsked'), money(payment.price.amount)],
      [say('amountCame'), money(received.amount)],
      [say('receiptWillSay'), receiptInWords(pages, view, receipt)],
    ],
  }
}
