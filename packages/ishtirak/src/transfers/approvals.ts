// Approves or refuses a transfer for an operator. The decision is saved first, with its entry in the audit
// trail. Then the payment is settled like every other payment.
import { type ActPlan, type Call, change } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { effectOf } from '../checkout/settlement-preview.js'
import { INSTRUMENTS, isTransferred, type TransferInstrument } from '../core/account.js'
import { BillingError, wrongField } from '../core/error.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { publicMethodOf } from '../core/payment.js'
import type { Operator } from '../core/role.js'
import { loadPayment } from '../ledger/load.js'
import type { PaymentMethod } from '../ledger/method.js'
import type { CommonParts } from '../ledger/parts.js'
import type { SettleDeps } from '../ledger/settle.js'
import {
  approvalsNeeded,
  decideApproval,
  decideRefusal,
  receivedWithin,
  reportOfTransfer,
  type TransferDecision,
} from './decide-transfer.js'
import type { TransferTerms } from './settings.js'
import { describeDecided } from './transfer-state.js'
import {
  type Approval,
  doesLinePay,
  findTransfer,
  type StoredTransfer,
  saveDecision,
  type Transfer,
} from './transfers.sql.js'

export interface ApprovalDeps extends SettleDeps, Pick<CommonParts, 'wallClock'> {
  /** Null: no transfer is begun, and one operator approves those that were. */
  readonly transfers: Pick<TransferTerms, 'secondApprovalFrom'> | null
}

/** The amount from which two operators must approve; null if one is always enough. */
export const secondFrom = ({ transfers }: Pick<ApprovalDeps, 'transfers'>) =>
  transfers?.secondApprovalFrom ?? null

/** Money that reached an account. */
type Received = Pick<Approval, 'amount' | 'receivedAt'> & {
  /** Absent where there is but one kind of account. */
  readonly instrument?: TransferInstrument | undefined
  readonly lineId?: string
}

/**
 * Approves the money that was `received`; null refuses the transfer, and the user reads the reason. If
 * another amount came than the one asked for, nothing is booked and the payment goes to review, as with a
 * card. Throws `not_found`, `second_operator_needed`, and `conflict` if the transfer is decided already, the
 * first operator named other figures, or the line pays something else.
 */
export async function planDecision(
  deps: ApprovalDeps,
  { id: paymentId, by }: Call<unknown>,
  received: Received | null,
): Promise<ActPlan> {
  const loaded = await loadTransfer(deps, paymentId)
  const { stored, user } = loaded
  const { payment, reference } = stored
  const now = deps.clock.now()
  const decision = received
    ? decideReceived(deps, loaded, received, { by: by.operator, now })
    : decideRefusal(stored.transfer, payment, by.reason ?? '')
  if (decision.kind === 'refused') throw refusalBecause(decision.because, stored)
  const transfer = decision.kind === 'changed' ? decision.transfer : stored.transfer
  const report = reportOfTransfer(reference, transfer, payment, now)
  const needed = received && approvalsNeeded(payment, received.amount, secondFrom(deps))
  const given = (of: Transfer) => `${of.approvals.length}/${needed}`
  return {
    version: user.version,
    changes: [
      change.text('reference', payment.checkoutId),
      change.dinars('amountAsked', payment.price.amount),
      change.dinars('amountCame', received?.amount ?? null),
      ...effectOf(deps, { payment, user }, report, now),
      ...(needed === 2 ? [change.text('approvals', given(stored.transfer), given(transfer))] : []),
    ],
    save: async () => {
      const lineId = received?.lineId
      if (received && !(received.instrument ?? onlyInstrument(loaded.method)))
        throw wrongField('payment_method', 'required')
      if (decision.kind === 'unchanged' && (!lineId || (await doesLinePay(deps.database, lineId, paymentId))))
        return payment
      const after = { ...describeDecided(transfer), ...(lineId && { line_id: lineId }) }
      const facts = { paymentId, before: describeDecided(stored.transfer), after, now }
      const audit = auditEntry(deps.ids, by, facts)
      // The transfer was read after its user, so it may be newer than what was shown.
      const became = await saveDecision(deps.database, stored, transfer, { ...by, audit, now, lineId })
      if (became === 'stale') return became
      if (became === 'line_taken') throw new BillingError('conflict', { extra: { line_id: lineId } })
      deps.count({ name: 'transfer', act: received ? 'approve' : 'refuse' })
      const about = { user_id: payment.userId, payment_id: paymentId }
      deps.log.info({ ...by, operator: by.operator.name, ...about }, 'the operator acted')
      return payment
    },
  }
}

/** Throws `validation_failed` for a day that cannot be right. */
function decideReceived(
  deps: ApprovalDeps,
  { stored: { transfer, payment }, method }: LoadedTransfer,
  { amount, receivedAt, ...received }: Received,
  { by, now }: { readonly by: Operator; readonly now: Instant },
): TransferDecision {
  const { earliest, latest } = receivedWithin(payment, now, deps.wallClock.startOfDay)
  if (receivedAt < earliest || receivedAt > latest) {
    throw new BillingError('validation_failed', {
      problems: [{ pointer: '/received_at', code: 'out_of_range' }],
      extra: { earliest: toTimestamp(earliest), latest: toTimestamp(now) },
    })
  }
  // The account changes nothing in the preview, so the operator may choose it last.
  const [first] = transfer.approvals
  const named = received.instrument ?? onlyInstrument(method)
  const instrument = named ?? first?.instrument ?? INSTRUMENTS.ccp
  const approval = { by: by.name, at: now, amount, receivedAt, instrument }
  return decideApproval(transfer, payment, approval, secondFrom(deps))
}

type LoadedTransfer = Awaited<ReturnType<typeof loadTransfer>>

/** Throws `not_found`, `conflict` where it is none. */
export async function loadTransfer(deps: ApprovalDeps, paymentId: string) {
  const { payment, user } = await loadPayment(deps, paymentId)
  const method = deps.methods.of(payment.method)
  const { userId, status } = payment
  // No user has seen a reference that is not saved yet, so no money can have come for it.
  const isAsked = method.settledBy === 'operator' && payment.checkoutId !== null
  const stored = isAsked ? await findTransfer(deps.database, { userId, paymentId }) : null
  if (!stored)
    throw new BillingError('conflict', {
      extra: { payment_status: status, method: publicMethodOf(method.name) },
    })
  return { stored, method, user }
}

export function refusalBecause(
  because: 'decided' | 'same_operator' | 'differs' | 'too_many',
  { transfer, payment }: StoredTransfer,
): BillingError {
  if (because === 'too_many') return new BillingError('too_many_proofs')
  if (because === 'same_operator') return new BillingError('second_operator_needed')
  const [first] = because === 'differs' ? transfer.approvals : []
  const said = first && { approved_amount: first.amount, approved_payment_method: first.instrument }
  const wrong = first ? ['/amount', '/payment_method'] : []
  return new BillingError('conflict', {
    problems: wrong.map((pointer) => ({ pointer, code: 'not_allowed' })),
    extra: { payment_status: payment.status, transfer_state: transfer.state, ...said },
  })
}

/**
 * The kind of account, if the seller shows one kind alone; null: it must be named. Any kind may be named,
 * because an account that is no longer shown may still get money.
 */
export function onlyInstrument({ instruments }: PaymentMethod): TransferInstrument | null {
  const [only = null, ...others] = instruments.filter(isTransferred)
  return others.length === 0 ? only : null
}
