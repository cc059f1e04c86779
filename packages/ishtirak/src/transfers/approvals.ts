// What operators say of a transfer: its money has come, or it is refused. The decision is written down first,
// with the audit trail; what follows for the user's money goes the way of all money.

import type { ActPlan, Call } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { change } from '../acts/preview.js'
import { askProvider } from '../checkout/ask-provider.js'
import { follow, refusalOf } from '../checkout/settlement-preview.js'
import { INSTRUMENTS, type TransferInstrument } from '../core/account.js'
import { BillingError, wrongField } from '../core/error.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { type Payment, publicMethodOf } from '../core/payment.js'
import type { Operator } from '../core/role.js'
import { loadPayment } from '../ledger/load.js'
import type { PaymentMethod } from '../ledger/method.js'
import type { CommonParts } from '../ledger/parts.js'
import type { SettleDeps } from '../ledger/settle.js'
import {
  approvalsNeeded,
  decideApproval,
  decideRefusal,
  type PayingLine,
  receivedWithin,
  reportOfTransfer,
  type Transfer,
  type TransferDecision,
} from './decide-transfer.js'
import type { TransferTerms } from './settings.js'
import { describeDecided } from './transfer-state.js'
import { findTransfer, pays, type StoredTransfer, saveDecision } from './transfers.sql.js'

export interface ApprovalDeps extends SettleDeps, Pick<CommonParts, 'wallClock'> {
  /** Null: no transfer is begun, and one operator approves those that were. */
  readonly transfers: Pick<TransferTerms, 'secondApprovalFrom'> | null
}

/** From this amount on two operators approve; null: one is enough. */
export const secondFrom = ({ transfers }: Pick<ApprovalDeps, 'transfers'>) =>
  transfers?.secondApprovalFrom ?? null

/** Money that reached an account. */
export interface Received {
  readonly amount: number
  readonly receivedAt: Instant
  /** Absent where there is but one kind of account. */
  readonly instrument?: TransferInstrument | undefined
  readonly line?: PayingLine
}

/**
 * Approves what was `received`, or refuses (null): the user reads the reason. Another amount than the one
 * asked for is booked as little as a card's: the payment goes to review. Throws `not_found`, `conflict` when
 * it is decided already, the first operator said something else or the line pays something else, and
 * `second_operator_needed`.
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
    ? decideReceived(deps, loaded, { received, by: by.operator, now })
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
      ...follow(deps, { payment, user }, report, now),
      ...(needed === 2 ? [change.text('approvals', given(stored.transfer), given(transfer))] : []),
    ],
    save: async () => {
      const line = received?.line
      if (received && !instrumentOf(loaded.method, received.instrument))
        throw wrongField('payment_method', 'required')
      if (decision.kind === 'unchanged' && (!line || (await pays(deps.database, line, paymentId))))
        return payment
      const after = { ...describeDecided(transfer), ...(line && { line_id: line.id }) }
      const facts = { paymentId, before: describeDecided(stored.transfer), after, now }
      const audit = auditEntry(deps.ids, by, facts)
      // The transfer was read after its user, so it may be newer than what was shown.
      const became = await saveDecision(deps.database, stored, transfer, { ...by, audit, now, line })
      if (became === 'stale') return became
      if (became === 'line_taken') throw new BillingError('conflict', { extra: { line_id: line?.id } })
      deps.count({ name: 'transfer', act: received ? 'approve' : 'refuse' })
      const about = { user_id: payment.userId, payment_id: paymentId }
      deps.log.info({ ...by, operator: by.operator.name, ...about }, 'the operator acted')
      return payment
    },
  }
}

/** Settles what was decided of the payment, unless that is done. */
export async function settleDecided(deps: ApprovalDeps, payment: Payment): Promise<void> {
  const lookup = await askProvider(deps, payment, { source: 'operator' })
  if (!lookup.ok) throw refusalOf(lookup.failure)
}

/** Throws `validation_failed` for a day that cannot be right. */
function decideReceived(
  deps: Pick<ApprovalDeps, 'transfers' | 'wallClock'>,
  { stored: { transfer, payment }, method }: LoadedTransfer,
  of: { readonly received: Received; readonly by: Operator; readonly now: Instant },
): TransferDecision {
  const { received, by, now } = of
  const { amount, receivedAt } = received
  const { earliest, latest } = receivedWithin(payment, now, deps.wallClock.startOfDay)
  if (receivedAt < earliest || receivedAt > latest) {
    throw new BillingError('validation_failed', {
      problems: [{ pointer: '/received_at', code: 'out_of_range' }],
      extra: { earliest: toTimestamp(earliest), latest: toTimestamp(now) },
    })
  }
  // Which account it was changes nothing of what follows, and may be chosen last.
  const [first] = transfer.approvals
  const instrument = instrumentOf(method, received.instrument) ?? first?.instrument ?? INSTRUMENTS.ccp
  return decideApproval(
    transfer,
    payment,
    { by: by.name, at: now, amount, receivedAt, instrument },
    secondFrom(deps),
  )
}

type LoadedTransfer = Awaited<ReturnType<typeof loadTransfer>>

/** Throws `not_found`, `conflict` where it is none. */
export async function loadTransfer(deps: ApprovalDeps, paymentId: string) {
  const { payment, user } = await loadPayment(deps, paymentId)
  const method = deps.methods.of(payment.method)
  const { userId, status } = payment
  // Without the reference, which was not saved yet, no money can have come for it.
  const isAsked = method.settledBy === 'operator' && payment.checkoutId !== null
  const stored = isAsked ? await findTransfer(deps.database, { userId, paymentId }) : null
  if (!stored)
    throw new BillingError('conflict', {
      extra: { payment_status: status, method: publicMethodOf(method.name) },
    })
  return { stored, method, user }
}

function refusalBecause(
  because: 'decided' | 'same_operator' | 'differs',
  { transfer, payment }: StoredTransfer,
): BillingError {
  if (because === 'same_operator') return new BillingError('second_operator_needed')
  const [first] = because === 'differs' ? transfer.approvals : []
  const said = first && { approved_amount: first.amount, approved_payment_method: first.instrument }
  const wrong = first ? ['/amount', '/payment_method'] : []
  return new BillingError('conflict', {
    problems: wrong.map((pointer) => ({ pointer, code: 'not_allowed' })),
    extra: { payment_status: payment.status, transfer_state: transfer.state, ...said },
  })
}

/** An account that is no longer shown may still get money: what is said counts. Null: it is to be said. */
function instrumentOf(
  { instruments }: PaymentMethod,
  said: TransferInstrument | undefined,
): TransferInstrument | null {
  const shown = Object.values(INSTRUMENTS).filter((kind) => instruments.includes(kind))
  const [only = null, ...others] = said === undefined ? shown : [said]
  return others.length === 0 ? only : null
}
