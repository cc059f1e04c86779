// What operators say of a transfer: its money has come, or it is refused. The decision is written down first,
// with the audit trail; what follows for the user's money goes the way of all money.

import { auditEntry, type By, requireUnchanged } from '../acts/audit.sql.js'
import { askProvider } from '../checkout/ask-provider.js'
import { follow, refusalOf, type SettlementPreview } from '../checkout/settlement-preview.js'
import { INSTRUMENTS, type TransferInstrument } from '../core/account.js'
import { BillingError, wrongField } from '../core/error.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { kindOf, type Payment } from '../core/payment.js'
import type { Operator } from '../core/role.js'
import {
  approvalsNeeded,
  decideApproval,
  decideRefusal,
  type PayingLine,
  receivedWithin,
  reportOfTransfer,
  type TransferDecision,
} from '../core/transfer.js'
import { untilFresh } from '../database/database.js'
import { loadPayment } from '../ledger/load.js'
import type { PaymentMethod } from '../ledger/method.js'
import type { CommonParts } from '../ledger/parts.js'
import type { SettleDeps } from '../ledger/settle.js'
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

/** What came to an account. */
export interface Received {
  readonly amount: number
  readonly receivedAt: Instant
  /** Absent where there is but one kind of account. */
  readonly instrument?: TransferInstrument | undefined
  readonly line?: PayingLine
}

/**
 * Another amount than the one asked for is booked as little as a card's: the payment goes to review. Throws
 * `not_found`, `conflict` when it is decided already, the first operator said something else or the line pays
 * something else, `second_operator_needed`.
 */
export function approvePayment(
  deps: ApprovalDeps,
  paymentId: string,
  received: Received,
  by: By,
): Promise<void> {
  const { line } = received
  return decideAndSettle(deps, paymentId, { ...by, act: 'approve', line }, (loaded, now) =>
    decideReceived(deps, loaded, { received, by: by.operator, now }),
  )
}

/** The user reads the reason. Throws `not_found`, or `conflict` when it is booked or refused already. */
export function refusePayment(
  deps: ApprovalDeps,
  paymentId: string,
  by: By & { readonly reason: string },
): Promise<void> {
  return decideAndSettle(deps, paymentId, { ...by, act: 'refuse' }, ({ stored: { transfer, payment } }) =>
    decideRefusal(transfer, payment, by.reason),
  )
}

export interface DecisionPreview extends SettlementPreview {
  /** Null: it is a refusal. */
  readonly approvals: { readonly needed: 1 | 2; readonly before: number; readonly after: number } | null
}

/** What `approvePayment`, or without `received` `refusePayment`, would do now. Throws what they throw. */
export async function previewDecision(
  deps: ApprovalDeps,
  paymentId: string,
  { received, by }: { readonly received: Received | null; readonly by: Operator },
): Promise<DecisionPreview> {
  const loaded = await loadTransfer(deps, paymentId)
  const { stored, user } = loaded
  const { payment, reference } = stored
  const now = deps.clock.now()
  const decision = received
    ? decideReceived(deps, loaded, { received, by, now })
    : decideRefusal(stored.transfer, payment, '')
  if (decision.kind === 'refused') throw refusalBecause(decision.because, stored)
  const transfer = decision.kind === 'changed' ? decision.transfer : stored.transfer
  const report = reportOfTransfer(reference, transfer, payment, now)
  const needed = received && approvalsNeeded(payment, received.amount, secondFrom(deps))
  return {
    ...follow(deps, { payment, user }, report, now),
    approvals: needed && {
      needed,
      before: stored.transfer.approvals.length,
      after: transfer.approvals.length,
    },
  }
}

async function decideAndSettle(
  deps: ApprovalDeps,
  paymentId: string,
  { act, line, ...by }: By & { readonly act: 'approve' | 'refuse'; readonly line?: PayingLine | undefined },
  decide: (loaded: LoadedTransfer, now: Instant) => TransferDecision,
): Promise<void> {
  let userId = ''
  const round = async () => {
    const loaded = await loadTransfer(deps, paymentId)
    requireUnchanged(by, loaded.user.version)
    const { stored } = loaded
    userId = stored.payment.userId
    const now = deps.clock.now()
    const decision = decide(loaded, now)
    if (decision.kind === 'refused') throw refusalBecause(decision.because, stored)
    const isKnown = decision.kind === 'unchanged' && (!line || (await pays(deps.database, line, paymentId)))
    if (isKnown) return stored
    const transfer = decision.kind === 'changed' ? decision.transfer : stored.transfer
    const after = { ...describeDecided(transfer), ...(line && { line_id: line.id }) }
    const facts = { before: describeDecided(stored.transfer), after }
    const audit = auditEntry(deps.ids, { ...by, act: `payment.${act}` }, { paymentId, ...facts, now })
    // The transfer was read after its user, so it may be newer than what was shown.
    const save = { ...by, audit, now, line }
    const became = await saveDecision(deps.database, stored, transfer, save)
    if (became === 'stale') return became
    if (became === 'line_taken') throw new BillingError('conflict', { extra: { line_id: line?.id } })
    deps.count({ name: 'transfer', act })
    const about = { act, user_id: userId, payment_id: paymentId }
    deps.log.info({ ...by, operator: by.operator.name, ...about }, 'the operator acted')
    return stored
  }
  const { payment } = await untilFresh(`payment.${act}`, round, (again) => deps.inTurn(userId, again))
  await settleDecided(deps, payment)
}

/** Settles what was decided of the payment, unless that is done. */
export async function settleDecided(deps: ApprovalDeps, payment: Payment): Promise<void> {
  const lookup = await askProvider(deps, payment, { source: 'operator' })
  if (!lookup.ok) throw refusalOf(lookup.failure)
}

/** Throws what `approvePayment` throws of the figures. */
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
  const instrument = instrumentOf(method, received.instrument)
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
    throw new BillingError('conflict', { extra: { payment_status: status, method: kindOf(method.name) } })
  return { stored, method, user }
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

/** An account that is no longer shown may still get money: what is said counts. */
function instrumentOf(
  { instruments }: PaymentMethod,
  said: TransferInstrument | undefined,
): TransferInstrument {
  const shown = Object.values(INSTRUMENTS).filter((kind) => instruments.includes(kind))
  const [only, ...others] = said === undefined ? shown : [said]
  if (only !== undefined && others.length === 0) return only
  throw wrongField('payment_method', 'required')
}
