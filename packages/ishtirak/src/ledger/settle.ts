// The one way in for money. Webhook, read-through, sweep and operator bring a report of the provider here;
// only what a balance pays is marked paid without one. Load, decide, save; where the facts were stale, again.

import { type OperatorAct, requireUnchanged } from '../acts/audit.sql.js'
import type { CheckoutReport, ReportSource } from '../core/checkout.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { decideSettlement, type SettlementOutcome } from '../core/settlement.js'
import { reportToStore } from '../core/stored-report.js'
import { givenUpAfter, untilFresh } from '../database/database.js'
import type { Tracing } from '../runtime/tracing.js'
import { type ChangeDeps, type Decided, tryChange } from './change-user.js'
import type { CommonParts } from './parts.js'
import type { ReceivedEvent, SaveResult } from './provider-events.sql.js'
import type { LoadedPayment } from './reported-payment.sql.js'
import type { SettlementChange, Settlements } from './settle.sql.js'
import { findUser } from './users.sql.js'

export interface SettleDeps extends ChangeDeps, Pick<CommonParts, 'count'> {
  /** Reports that arrive together are loaded and saved together. */
  readonly settlements: Settlements
  readonly tracing?: Tracing
}

/** Names the payment and says nothing of it: what operators said, the settlement reads itself. */
export type NamedCheckout = Pick<CheckoutReport, 'method' | 'checkoutId' | 'paymentId' | 'createdAt'>

export interface ReportedCheckout {
  readonly report: CheckoutReport | NamedCheckout
  /** The event that brought the report; null when we asked the provider ourselves. */
  readonly event: { readonly id: string; readonly type: string } | null
  /** The id of the payment that the report answers an order for: it is about that one, whatever it says. */
  readonly orderedFor?: string
  readonly source: ReportSource
  /** The request that led here, for the log; a sweep has none. */
  readonly requestId?: string | undefined
  /** The operator takes a payment under review as it is. */
  readonly accepted?: boolean
  /** What an operator says was paid: the payment that the report is about, which has no row yet. */
  readonly recorded?: Payment
  /** An operator's request: written to the trail, also if nothing changes; an acceptance where it takes. */
  readonly by?: OperatorAct
}

type Heard = ReportedCheckout & { readonly report: CheckoutReport }

export type SettlementResult = SettlementOutcome | 'duplicate'

/** Books what the report says. Throws `DatabaseUnavailable`: nothing was changed, and it is to come again. */
export async function settlePayment(deps: SettleDeps, reported: ReportedCheckout): Promise<SettlementResult> {
  const giveUpAt = givenUpAfter()
  let latest: ReportedCheckout = reported
  let userId = ''
  const round = async () => {
    const loaded = await load(deps, reported, giveUpAt)
    if (!loaded) return keepForeign(deps, reported)
    if (reported.by) requireUnchanged(reported.by, loaded.user.version)
    userId = loaded.payment.userId
    // It was recorded before.
    if (reported.recorded && !loaded.isNew) return 'unchanged'
    const heard = await withLatestReport(deps, reported, loaded)
    if (!heard) return keepForeign(deps, reported)
    latest = heard
    const { tracing } = deps
    if (!tracing) return settleOurs(deps, heard, loaded, giveUpAt)
    return tracing.span('settlement', loaded.traceparent, () => settleOurs(deps, heard, loaded, giveUpAt))
  }
  const what = `settling ${reported.report.checkoutId}`
  const result = await untilFresh(what, round, (again) => deps.inTurn(userId, again))
  note(deps, latest, result)
  return result
}

interface Loaded extends LoadedPayment {
  /** The payment has no row yet. */
  readonly isNew?: boolean
}

async function load(
  { settlements, database }: SettleDeps,
  { report, orderedFor, recorded }: ReportedCheckout,
  giveUpAt: number,
): Promise<Loaded | null> {
  // Before the payment: where another process records it meanwhile, this version is stale.
  const payer = recorded && (await findUser(database, recorded.userId))
  const found = await settlements.load(report, giveUpAt)
  if (!found && recorded && payer) return { payment: recorded, user: payer, traceparent: null, isNew: true }
  if (orderedFor === undefined || found?.payment.id === orderedFor) return found
  // Another payment's checkout is no answer to this order, and is left as it is.
  if (found?.payment.checkoutId === report.checkoutId) return null
  return settlements.load({ method: report.method, checkoutId: null, paymentId: orderedFor }, giveUpAt)
}

/**
 * What operators say of a payment is a row of ours. It is read after the user's version: where another
 * operator decides between the reading and the saving, this settlement is stale and reads again. Null: they
 * have said nothing.
 */
async function withLatestReport(
  { methods }: SettleDeps,
  reported: ReportedCheckout,
  { payment }: Loaded,
): Promise<Heard | null> {
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
  reported: Heard,
  loaded: Loaded,
  giveUpAt: number,
): Promise<SettlementResult | 'stale'> {
  const now = deps.clock.now()
  const { payment, user } = loaded
  const save = async (change: SettlementChange) => {
    const saved = await deps.settlements.save(change, giveUpAt)
    if (saved === 'saved') noteInstant(deps, reported, change)
    return saved
  }
  const facts = { userId: payment.userId, user, payment }
  return tryChange(deps, facts, { now, save }, () => decideOn(deps, reported, loaded, { now, giveUpAt }))
}

async function decideOn(
  deps: SettleDeps,
  reported: Heard,
  { payment, user, isNew = false }: Loaded,
  { now, giveUpAt }: { readonly now: Instant; readonly giveUpAt: number },
): Promise<Decided<SettlementResult>> {
  const { event, report, source } = reported
  const decision = decideSettlement({ payment, subscription: user.subscription }, report, {
    now,
    rules: deps.rules,
    method: deps.methods.of(payment.method),
    freshPaymentId: () => deps.ids.next('pay', now),
    asked: event === null,
    accepted: reported.accepted ?? false,
  })
  const { outcome } = decision
  // An acceptance that takes nothing is none: its caller says why, and what is news is saved all the same.
  const isTaken = !reported.accepted || TAKEN.includes(outcome)
  const by = isTaken ? reported.by : undefined
  const received = event ? { ...event, method: report.method, outcome, report, receivedAt: now } : undefined
  if (by || decision.payment) {
    const heard = { report, source, eventId: event?.id ?? null, now }
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
  const saved = await deps.settlements.keep(idle, giveUpAt)
  if (saved === 'stale') return { result: 'stale' }
  return { revision: null, result: saved === 'saved' ? outcome : saved }
}

/** What follows where an operator's acceptance takes a payment as it is. */
export const TAKEN: readonly SettlementResult[] = ['booked', 'booked_second', 'moved']

/** A checkout that is not ours, or not known to be: an event about it is kept, for the operator to find. */
async function keepForeign(deps: SettleDeps, { report, event }: ReportedCheckout): Promise<SettlementResult> {
  const outcome = 'unknown_checkout'
  if (!event || !('status' in report)) return outcome
  const saved = await keepForeignEvent(deps, { ...event, method: report.method, outcome, report })
  return saved === 'duplicate' ? saved : outcome
}

/** An event that is about nothing of ours is kept as well: it may be the only trace of a payment. */
export function keepForeignEvent(
  { settlements, clock }: SettleDeps,
  event: Omit<ReceivedEvent, 'receivedAt'>,
): Promise<SaveResult> {
  const received = { ...event, receivedAt: clock.now() }
  return settlements.keep({ userId: null, version: 0, paymentId: null, received })
}

/** The money counts from another instant than the one that the provider says. */
function noteInstant(
  deps: SettleDeps,
  { requestId }: ReportedCheckout,
  { payment, report }: SettlementChange,
): void {
  if (!payment || !report || report.isInstantBelieved) return
  const paidAt = payment.paidAt ?? payment.review?.paidAt
  const line = {
    request_id: requestId,
    source: report.source,
    event_id: report.eventId,
    payment_id: payment.id,
    said_paid_at: report.saidPaidAt === null ? null : toTimestamp(report.saidPaidAt),
    paid_at: paidAt === undefined ? null : toTimestamp(paidAt),
  }
  deps.log.warn(line, 'the provider’s instant of payment is impossible and not used')
}

/** What the operator should see without looking for it: money that did not go the ordinary way. */
function note(deps: SettleDeps, reported: ReportedCheckout, result: SettlementResult): void {
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
