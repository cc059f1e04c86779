// The one way in for money. Webhook, read-through, sweep and operator bring a report of the provider here.
// It loads, decides and saves. Only payments by balance are marked paid without a report.

import { type OperatorAct, requireUnchanged } from '../acts/audit.sql.js'
import type { CheckoutReport, ReportSource } from '../core/checkout.js'
import { type Instant, timestampOrNull } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { decideSettlement, type SettlementOutcome } from '../core/settlement.js'
import { reportToStore } from '../core/stored-report.js'
import { givenUpAfter, untilFresh } from '../database/database.js'
import type { Tracing } from '../runtime/tracing.js'
import { type ChangeDeps, type Decided, tryChange } from './change-user.js'
import type { CommonParts } from './parts.js'
import type { ReceivedEvent, SaveResult } from './provider-events.sql.js'
import type { LoadedPayment } from './reported-payment.sql.js'
import type { Revision } from './revision.js'
import type { Settlements } from './settle.sql.js'
import type { SettlementChange } from './settlement-change.js'
import { findUser } from './users.sql.js'

export interface SettleDeps extends ChangeDeps, Pick<CommonParts, 'count'> {
  /** Reports that arrive together are loaded and saved together. */
  readonly settlements: Settlements
  readonly tracing?: Tracing
}

/** Names a payment without saying anything about it. The settlement itself reads what operators said. */
export type NamedCheckout = Pick<CheckoutReport, 'method' | 'checkoutId' | 'paymentId' | 'createdAt'>

export interface ReportedCheckout {
  readonly report: CheckoutReport | NamedCheckout
  /** The event that brought the report; null: we asked the provider. */
  readonly event: { readonly id: string; readonly type: string } | null
  /** The payment whose order this report answers. It is about that payment, whatever ids it has. */
  readonly orderedFor?: string
  readonly source: ReportSource
  /** The request that led here, for the log. A sweep has none. */
  readonly requestId?: string | undefined
  /** True if the operator accepts a payment under review as it is. */
  readonly accepted?: boolean
  /** The payment that an operator recorded as paid. The report is about it, and it has no row yet. */
  readonly recorded?: Payment
  /** The trail gets a line even if nothing changes, but for an acceptance only if it books. */
  readonly by?: OperatorAct
}

type WithReport = ReportedCheckout & { readonly report: CheckoutReport }

export type SettlementResult = SettlementOutcome | 'duplicate' | 'unknown_checkout'

/** Books what the report says. Throws `DatabaseUnavailable`: nothing was changed, so it must come again. */
export async function settlePayment(deps: SettleDeps, reported: ReportedCheckout): Promise<SettlementResult> {
  const giveUpAt = givenUpAfter()
  let latest: ReportedCheckout = reported
  let userId = ''
  const round = async () => {
    const loaded = await load(deps, reported, giveUpAt)
    if (!loaded) return storeForUnknownCheckout(deps, reported)
    if (reported.by) requireUnchanged(reported.by, loaded.user.version)
    userId = loaded.payment.userId
    if (reported.recorded && !loaded.isNew) return 'unchanged'
    const complete = await withLatestReport(deps, reported, loaded)
    if (!complete) return storeForUnknownCheckout(deps, reported)
    latest = complete
    const settle = () => settleOurs(deps, complete, loaded, giveUpAt)
    return deps.tracing ? deps.tracing.span('settlement', loaded.traceparent, settle) : settle()
  }
  const what = `settling ${reported.report.checkoutId}`
  const result = await untilFresh(what, round, (again) => deps.inTurn(userId, again))
  logResult(deps, latest, result)
  return result
}

interface Loaded extends LoadedPayment {
  readonly isNew?: boolean
}

async function load(
  { settlements, database }: SettleDeps,
  { report, orderedFor, recorded }: ReportedCheckout,
  giveUpAt: number,
): Promise<Loaded | null> {
  // Read before the payment: if another process records it meanwhile, this version is stale.
  const payer = recorded && (await findUser(database, recorded.userId))
  const found = await settlements.load(report, giveUpAt)
  if (!found && recorded && payer) return { payment: recorded, user: payer, traceparent: null, isNew: true }
  if (orderedFor === undefined || found?.payment.id === orderedFor) return found
  // The checkout of another payment does not answer this order, and stays as it is.
  if (found?.payment.checkoutId === report.checkoutId) return null
  return settlements.load({ method: report.method, checkoutId: null, paymentId: orderedFor }, giveUpAt)
}

/**
 * The latest word of operators on a payment is a row of ours. It is read after the user's version: if another
 * operator decides between reading and saving, this settlement is stale and reads again. Null: they have said
 * nothing.
 */
async function withLatestReport(
  { methods }: SettleDeps,
  reported: ReportedCheckout,
  { payment }: Loaded,
): Promise<WithReport | null> {
  const { report } = reported
  const method = methods.of(payment.method)
  if (method.settledBy === 'operator') {
    const answer = await method.getCheckout(report.checkoutId)
    if (answer.ok && answer.value) return { ...reported, report: answer.value }
  }
  return 'status' in report ? { ...reported, report } : null
}

async function settleOurs(
  deps: SettleDeps,
  reported: WithReport,
  loaded: Loaded,
  giveUpAt: number,
): Promise<SettlementResult | 'stale'> {
  const now = deps.clock.now()
  const { payment, user } = loaded
  const save = async (change: SettlementChange, revision: Revision) => {
    const saved = await deps.settlements.save(change, giveUpAt)
    if (saved === 'saved') logReplacedInstant(deps, reported, revision)
    return saved
  }
  const facts = { userId: payment.userId, user, payment }
  return tryChange(deps, facts, { now, save }, () => decideOn(deps, reported, loaded, { now, giveUpAt }))
}

async function decideOn(
  deps: SettleDeps,
  reported: WithReport,
  { payment, user, isNew = false }: Loaded,
  { now, giveUpAt }: { readonly now: Instant; readonly giveUpAt: number },
): Promise<Decided<SettlementResult>> {
  const { event, report, source } = reported
  const decision = decideSettlement({ payment, subscription: user.subscription }, report, {
    now,
    rules: deps.rules,
    method: deps.methods.of(payment.method),
    freshPaymentId: () => deps.ids.next('pay', now),
    isAnswer: event === null,
    accepted: reported.accepted ?? false,
  })
  const { outcome } = decision
  // An acceptance that books nothing leaves no line; its caller says why.
  const isTaken = !reported.accepted || ACCEPTED_OUTCOMES.includes(outcome)
  const by = isTaken ? reported.by : undefined
  const received = event ? { ...event, method: report.method, outcome, report, receivedAt: now } : undefined
  if (by || decision.payment) {
    const heard = { report, source, eventId: event?.id, now }
    const revision = {
      ...{ ...decision, by, received },
      isNew: decision.isNew || isNew,
      isBooked: decision.subscription !== null,
      report: reportToStore(decision, payment, heard) ?? undefined,
      traceparent: deps.tracing?.current() ?? undefined,
    }
    return { revision, result: outcome }
  }
  if (!received) return { revision: null, result: outcome }
  const idle = { userId: payment.userId, version: user.version, paymentId: payment.id, received }
  const saved = await deps.settlements.storeIdle(idle, giveUpAt)
  if (saved === 'stale') return { result: 'stale' }
  return { revision: null, result: saved === 'saved' ? outcome : saved }
}

/** The results of an operator's acceptance that took the payment as it is. */
export const ACCEPTED_OUTCOMES: readonly SettlementResult[] = ['booked', 'booked_second', 'moved']

/** The checkout belongs to no payment of ours. Its event is stored, so that an operator can find it. */
async function storeForUnknownCheckout(
  deps: SettleDeps,
  { report, event }: ReportedCheckout,
): Promise<SettlementResult> {
  const outcome = 'unknown_checkout'
  if (!event || !('status' in report)) return outcome
  const saved = await storeForeignEvent(deps, { ...event, method: report.method, outcome, report })
  return saved === 'duplicate' ? saved : outcome
}

/** Events about unknown payments are kept as well: one may be the only trace of a payment. */
export function storeForeignEvent(
  { settlements, clock }: SettleDeps,
  event: Omit<ReceivedEvent, 'receivedAt'>,
): Promise<SaveResult> {
  const received = { ...event, receivedAt: clock.now() }
  return settlements.storeIdle({ userId: null, version: 0, paymentId: null, received })
}

/** Logs that the payment counts from another instant than the provider's. */
function logReplacedInstant(
  deps: SettleDeps,
  { requestId }: ReportedCheckout,
  { payment, report }: Revision,
): void {
  if (!payment || report?.isInstantBelieved !== false) return
  const paidAt = payment.paidAt ?? payment.review?.paidAt
  const line = {
    request_id: requestId,
    source: report.source,
    event_id: report.eventId,
    payment_id: payment.id,
    said_paid_at: timestampOrNull(report.saidPaidAt),
    paid_at: timestampOrNull(paidAt),
  }
  deps.log.warn(line, 'the provider’s instant of payment is impossible and not used')
}

/** Logs what an operator should notice: money that did not take the usual way. */
function logResult(deps: SettleDeps, reported: ReportedCheckout, result: SettlementResult): void {
  const { report, event, source, requestId, orderedFor } = reported
  deps.count({ name: 'settlement', outcome: result })
  if (result === 'unchanged' || result === 'duplicate') return
  const said = 'status' in report ? report : null
  const line = {
    request_id: requestId,
    source,
    event_id: event?.id,
    checkout_id: report.checkoutId,
    payment_id: orderedFor ?? report.paymentId,
    status: said?.status,
    outcome: result,
  }
  if (result === 'refused') {
    deps.log.error(
      { ...line, amount: said?.amount, currency: said?.currency, live: said?.live },
      'the new checkout is not what was ordered',
    )
    return
  }
  const isOdd =
    result === 'review' ||
    result === 'booked_second' ||
    (result === 'unknown_checkout' && said?.status === 'paid')
  if (isOdd) deps.log.warn(line, 'a payment needs the operator')
  else deps.log.info(line, said?.status === 'pending' ? 'checkout opened' : 'payment settled')
}
