// The acts by which operators approve or refuse a transfer. Beside the form stand the proofs of the user, and
// the line of a bank statement that names its reference.
import { type Static, Type } from 'typebox'
import { act, reason } from '../acts/act.js'
import type { FoundAct } from '../acts/audit.sql.js'
import { dayOrInstantSchema, readInstant } from '../acts/day.js'
import { readTypedAmount } from '../acts/typed-amount.js'
import { askProvider } from '../checkout/ask-provider.js'
import { INSTRUMENTS } from '../core/account.js'
import type { Payment } from '../core/payment.js'
import { mayDo } from '../core/role.js'
import { request } from '../http/schemas.js'
import { inParts } from '../i18n/formats.js'
import { instrumentName } from '../i18n/messages.js'
import { loadPayment } from '../ledger/load.js'
import { providerRefusal } from '../ledger/refusals.js'
import { PAYMENT, type SubjectDeps } from '../ledger/subjects.js'
import { addressOf, type ConsolePages, type View } from '../pages/console-frame.js'
import { Facts } from '../pages/console-parts.js'
import type { Field } from '../pages/field.js'
import { type ApprovalDeps, loadTransfer, onlyInstrument, planDecision } from './approvals.js'
import { decideRefusal, isBooked } from './decide-transfer.js'
import { SameProofs, transferIn } from './payment-part.js'
import { listProofs, type Proof, sameProofsOf } from './proof.sql.js'
import { READ_PROOF } from './read-proof.js'
import { lineNaming, type StoredTransfer } from './transfers.sql.js'

/** A column of the database holds whole dinars as an `int4`. */
export const RECEIVED_AMOUNT_MAX = 2_147_483_647

const ApprovalSchema = request('Approval', {
  amount: Type.Integer({
    minimum: 1,
    maximum: RECEIVED_AMOUNT_MAX,
    description: 'The amount that came, in whole dinars',
    examples: [2000],
  }),
  received_at: dayOrInstantSchema('When it came to the account'),
  payment_method: Type.Optional(
    Type.Enum(Object.values(INSTRUMENTS), {
      description: 'The account it came to; may be left out where TRANSFER_FILE names one kind',
    }),
  ),
  why: reason,
})

const RefusalSchema = request('Refusal', {
  why: Type.String({
    ...reason,
    description: 'Goes into the audit trail, and the user reads it',
    examples: ['nothing came to our account under this reference'],
  }),
})

export type DecisionDeps = ApprovalDeps & SubjectDeps

/** After the decision is in the audit trail, the payment is settled by it, unless it is settled already. */
async function finish(deps: DecisionDeps, { id }: { readonly id: string }, done: Payment | FoundAct) {
  const payment = 'isRefused' in done ? (await loadPayment(deps, id)).payment : done
  const lookup = await askProvider(deps, payment, { source: 'operator' })
  if (!lookup.ok) throw providerRefusal(lookup.failure)
}

export const approve = act<DecisionDeps>()({
  name: 'payment.approve',
  roles: ['accountant'],
  on: PAYMENT,
  countsEach: true,
  operationId: 'approvePayment',
  summary: 'Say that the money of a transfer has come',
  description:
    'Books the payment, or sends it to review where the amount is another one. From ' +
    '`second_approval_from` of TRANSFER_FILE on a second operator says the same before anything is ' +
    'booked. 409 when it is decided already.',
  input: ApprovalSchema,
  refuses: ['second_operator_needed'],
  isOffered: (file) => {
    const transfer = transferIn(file)
    return transfer !== null && !isBooked(transfer, file.payment)
  },
  fields: async (pages, view, { id }) => receivedFields(pages, view, await loadTransfer(pages, id)),
  beside: reviewBeside,
  plan: (deps, call) => planDecision(deps, call, receivedOf(deps, call.input)),
  finish,
})

/** The same, where a line of a bank statement shows the money. */
export function approveByLine(lineId: string): typeof approve {
  return {
    ...approve,
    plan: (deps, call) =>
      planDecision(deps, call, { ...receivedOf(deps, call.input as ReceivedInput), lineId }),
  }
}

export const refuse = act<DecisionDeps>()({
  name: 'payment.refuse',
  roles: ['accountant'],
  on: PAYMENT,
  operationId: 'refusePayment',
  summary: 'Refuse a transfer, for a reason that the user reads',
  description: 'Money that comes later can still be approved. 409 when its money is booked.',
  input: RefusalSchema,
  bulk: true,
  isOffered: (file) => {
    const transfer = transferIn(file)
    return transfer !== null && decideRefusal(transfer, file.payment, '').kind === 'changed'
  },
  fields: async (_pages, { say }) => [{ name: 'why', label: say('refusalLabel'), value: '', type: 'text' }],
  beside: reviewBeside,
  plan: (deps, call) => planDecision(deps, call, null),
  finish,
})

type ReceivedInput = Omit<Static<typeof ApprovalSchema>, 'why'>

function receivedOf({ wallClock }: ApprovalDeps, input: ReceivedInput) {
  const { amount, received_at, payment_method: instrument } = input
  return { amount, receivedAt: readInstant(wallClock, 'received_at', received_at), instrument }
}

/** The first operator's figures, else the bank statement's, else the amount asked for and today. */
async function receivedFields(
  pages: ConsolePages & DecisionDeps,
  view: View,
  { stored, method }: Awaited<ReturnType<typeof loadTransfer>>,
): Promise<readonly Field[]> {
  const { say, locale } = view
  const { line, why } = await evidenceOf(pages, view, stored)
  const [first] = stored.transfer.approvals
  const kinds = Object.values(INSTRUMENTS).map((kind) => [kind, instrumentName(kind, locale)] as const)
  const paidTo = line && INSTRUMENTS[line.account]
  const instrument = first?.instrument ?? paidTo ?? onlyInstrument(method)
  return [
    {
      name: 'amount',
      label: say('amountCame'),
      type: 'number',
      value: String(first?.amount ?? line?.amount ?? stored.payment.price.amount),
      explain: (typed) => amountProblem(pages, view, typed),
    },
    {
      name: 'received_at',
      label: say('dayCame'),
      type: 'date',
      value: first || !line ? pages.wallClock.dayAt(first?.receivedAt ?? pages.clock.now()) : line.day,
      explain: (_typed, code) => (code === 'out_of_range' ? say('dayCameBounds') : null),
    },
    {
      name: 'payment_method',
      label: say('accountCame'),
      type: 'text',
      value: instrument ?? '',
      choices: instrument ? kinds : [['', ''], ...kinds],
      // A second operator has to say what the first one said.
      ...(!instrument && { isLast: true }),
    },
    { name: 'why', label: say('reasonLabel'), value: why, type: 'text' },
  ]
}

/** Explains what is unclear in a typed amount; null if the general message says enough. */
function amountProblem({ formats }: ConsolePages, { say, locale }: View, typed: string): string | null {
  const amount = readTypedAmount(typed)
  if (amount.kind === 'centimes') return say('amountCentimes', { typed })
  if (amount.kind !== 'ambiguous') return null
  const { grouped } = amount
  return say('amountAmbiguous', { typed, grouped: formats.money(grouped, locale), plain: String(grouped) })
}

/** The evidence for a transfer. `why` is the reason that the form suggests; it is empty without evidence. */
async function evidenceOf(
  pages: ConsolePages & ApprovalDeps,
  view: View,
  { payment, reference }: StoredTransfer,
) {
  const { say } = view
  const line = await lineNaming(pages.database, reference)
  const proofs = await listProofs(pages.database, ofPayment(payment))
  const proof = proofs.at(-1)
  const why = line
    ? say('whyLine', { day: view.day(line.day), text: line.text })
    : proof
      ? say('whyProof', { day: view.day(proof.uploadedAt) })
      : ''
  return { line, proofs, why: why.slice(0, 500) }
}

const ofPayment = ({ userId, id: paymentId }: Payment) => ({ userId, paymentId })

async function reviewBeside(
  pages: ConsolePages & ApprovalDeps,
  view: View,
  id: string,
): Promise<JSX.Element> {
  const { say, session, locale } = view
  const { stored } = await loadTransfer(pages, id)
  const [{ line, proofs }, sameProofs] = await Promise.all([
    evidenceOf(pages, view, stored),
    sameProofsOf(pages.database, ofPayment(stored.payment)),
  ])
  const inWords = ({ account, day, amount, text }: NonNullable<typeof line>) =>
    inParts([instrumentName(INSTRUMENTS[account], locale), view.day(day), view.money(amount), text], locale)
  const shown = mayDo(session.operator, READ_PROOF) ? proofs.filter(({ erasedAt }) => !erasedAt) : []
  return (
    <>
      <Facts facts={[[say('lineMatch'), line ? inWords(line) : say('lineMatchNone')]]} />
      <SameProofs {...{ pages, view, sameProofs }} />
      {/* The newest first: a user sends another one because the one before it was not readable. */}
      {shown.toReversed().map((proof) => (
        <ProofShown
          {...{ view, proof }}
          path={`${addressOf(pages.base, 'payments', id)}/proofs/${proof.n}`}
        />
      ))}
    </>
  )
}

/** A browser that shows no PDF within a page, as on many phones, has the link. */
function ProofShown({ view, proof, path }: { view: View; proof: Proof; path: string }) {
  const name = view.say('proofOf', { day: view.moment(proof.uploadedAt) })
  return (
    <figure class="proof">
      <object data={path} type={proof.type} aria-label={name} />
      <figcaption>
        <a href={path} target="_blank" safe rel="noopener">
          {name}
        </a>
      </figcaption>
    </figure>
  )
}
