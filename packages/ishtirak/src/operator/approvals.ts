// What operators say of a transfer: its money has come, or it is refused. The decision is written down first, with the audit
// trail; what follows for the user's money goes the way of all money.
import { INSTRUMENTS, type TransferInstrument } from '../core/account.js'
import { BillingError } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { wayOf } from '../core/payment.js'
import { decideApproval, decideRefusal, receivedAtProblem, type TransferDecision } from '../core/transfer.js'
import { untilFresh } from '../database/database.js'
import { auditEntry, type By } from '../payments/audit.sql.js'
import type { PaymentMethod } from '../payments/method.js'
import type { SettleDeps } from '../payments/settle.js'
import { lookUpPayment } from '../payments/sweep.js'
import { findTransfer, type StoredTransfer, saveDecision } from '../payments/transfer/transfers.sql.js'
import { loadPayment, type PaymentFile, refusalOf, showPayment } from './acts.js'
import { describeDecided } from './transfer-state.js'

export interface ApprovalDeps extends SettleDeps {
  /** From this amount on two operators approve; null: one is enough. */
  readonly secondApprovalFrom: number | null
}

/** What came to an account. */
export interface Received {
  readonly amount: number
  readonly receivedAt: Instant
  /** Absent where there is but one kind of account. */
  readonly instrument?: TransferInstrument | undefined
}

/**
 * Another amount than the one asked for is booked as little as a card's: the payment goes to review. Throws `not_found`,
 * `conflict` when it is decided already or the first operator said something else, `second_operator_needed`.
 */
export async function approvePayment(
  deps: ApprovalDeps,
  paymentId: string,
  { amount, receivedAt, instrument }: Received,
  by: By,
): Promise<PaymentFile> {
  return decideAndSettle(deps, paymentId, 'approve', by, ({ transfer, payment }, method, now) => {
    const problem = receivedAtProblem(receivedAt, payment, now)
    if (problem)
      throw new BillingError('validation_failed', { problems: [{ pointer: '/received_at', code: problem }] })
    const approval = {
      by: by.operator,
      at: now,
      amount,
      receivedAt,
      instrument: instrumentOf(method, instrument),
    }
    return decideApproval(transfer, payment, approval, deps.secondApprovalFrom)
  })
}

/** The user reads the reason. Throws `not_found`, or `conflict` when its money is booked or it is refused already. */
export async function refusePayment(
  deps: ApprovalDeps,
  paymentId: string,
  by: By & { readonly reason: string },
): Promise<PaymentFile> {
  return decideAndSettle(deps, paymentId, 'refuse', by, ({ transfer, payment }) =>
    decideRefusal(transfer, payment, by.reason),
  )
}

async function decideAndSettle(
  deps: ApprovalDeps,
  paymentId: string,
  act: 'approve' | 'refuse',
  by: By,
  decide: (stored: StoredTransfer, method: PaymentMethod, now: Instant) => TransferDecision,
): Promise<PaymentFile> {
  const { payment } = await untilFresh(`payment.${act}`, async () => {
    const [stored, method] = await loadTransfer(deps, paymentId)
    const now = deps.clock.now()
    const decision = decide(stored, method, now)
    if (decision.kind === 'refused') throw refusalBecause(decision.because, stored)
    if (decision.kind === 'unchanged') return stored
    const facts = { before: describeDecided(stored.transfer), after: describeDecided(decision.transfer) }
    const audit = auditEntry(deps.ids, { ...by, act: `payment.${act}` }, { paymentId, ...facts, now })
    if (!(await saveDecision(deps.database, stored, decision.transfer, { audit, now }))) return 'stale'
    deps.count({ name: 'transfer', act })
    deps.log.info({ ...by, act, user_id: stored.payment.userId, payment_id: paymentId }, 'the operator acted')
    return stored
  })
  const lookup = await lookUpPayment(deps, payment, { source: 'operator' })
  if (!lookup.ok) throw refusalOf(lookup.failure)
  return showPayment(deps, paymentId)
}

async function loadTransfer(deps: ApprovalDeps, paymentId: string) {
  const { payment } = await loadPayment(deps, paymentId)
  const method = deps.methods.of(payment.method)
  const { userId, status } = payment
  // Without the reference, which was not saved yet, no money can have come for it.
  const isAsked = method.settledBy === 'operator' && payment.checkoutId !== null
  const stored = isAsked ? await findTransfer(deps.database, { userId, paymentId }) : null
  if (!stored)
    throw new BillingError('conflict', { extra: { payment_status: status, method: wayOf(method.name) } })
  return [stored, method] as const
}

function refusalBecause(
  because: 'decided' | 'same_operator' | 'differs',
  { transfer, payment }: StoredTransfer,
): BillingError {
  if (because === 'same_operator') return new BillingError('second_operator_needed')
  const [first] = because === 'differs' ? transfer.approvals : []
  const said = first && { approved_amount: first.amount, approved_payment_method: first.instrument }
  return new BillingError('conflict', {
    extra: { payment_status: payment.status, transfer_state: transfer.state, ...said },
  })
}

function instrumentOf(
  { instruments }: PaymentMethod,
  said: TransferInstrument | undefined,
): TransferInstrument {
  const kinds = Object.values(INSTRUMENTS).filter((kind) => instruments.includes(kind))
  const [only, ...others] = kinds.filter((kind) => said === undefined || kind === said)
  if (only !== undefined && others.length === 0) return only
  const code = said === undefined ? 'required' : 'not_allowed'
  throw new BillingError('validation_failed', { problems: [{ pointer: '/payment_method', code }] })
}
