// Compares the provider's list with our books, daily and on request. A payment that was paid there and not
// booked is settled like any report. A payment that only we have, or that differs, is stored for an operator.
import type { Static } from 'typebox'
import { auditEntry, type Requester } from '../acts/audit.sql.js'
import type { CheckoutReport } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import { CLOCK_SKEW_MAX, DAY, SECOND, timestampOrNull, toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { wholeReport } from '../core/stored-report.js'
import { type CheckoutPage, isAllBefore, type PaymentMethod, type ProviderFailure } from '../ledger/method.js'
import type { CommonParts } from '../ledger/parts.js'
import { insertFoundPayment } from '../ledger/payments.sql.js'
import { type SettleDeps, settlePayment } from '../ledger/settle.js'
import { readReconciliations } from './discrepancies.sql.js'
import { paymentBehind } from './payment-behind.js'
import {
  claimReconciliation,
  type Discrepancy,
  insertReconciliation,
  lastReconciliation,
  paymentsOfCheckouts,
  type ReconciledPayment,
  type Reconciliation,
  saveStep,
  unmatchedPayments,
} from './reconcile.sql.js'
import type { RoundSchema } from './reconciliation-schemas.js'

type Round = Static<typeof RoundSchema>

/** 10 calls a minute: with the sweep's 30, a third of the provider's 60 stays free for waiting users. */
const CALLS_A_ROUND = 5
export const ROUND_MS = 30 * SECOND
/** The sweep looks a checkout up for a day, so two days of overlap miss nothing. */
const OVERLAP_MS = 2 * DAY
const SHOWN_OF_ONE = { reconciliations: 1, discrepancies: 1_000 }

export type ReconcileDeps = SettleDeps & Pick<CommonParts, 'catalogue' | 'wallClock'>

/**
 * The daily job. For each gateway it begins a reconciliation a day after the last began (the first: a day
 * after its first payment), and does one round of an unfinished one. Returns the calls made so far.
 */
export async function reconcileDaily(deps: ReconcileDeps): Promise<number> {
  let calls = 0
  for (const gateway of deps.methods.gateways) {
    const { unfinished, begunAt } = await lastReconciliation(deps.database, gateway.name)
    if (unfinished === null && (begunAt === null || deps.clock.now() < begunAt + DAY)) continue
    const wanted = { sinceAt: (begunAt ?? 0) - OVERLAP_MS, booksUnknown: false }
    const id = unfinished ?? (await begin(deps, gateway, wanted))
    calls += (await continueReconciliation(deps, id)).reconciliation.calls
  }
  return calls
}

type Wanted = Pick<Reconciliation, 'sinceAt' | 'booksUnknown'>

/** The operator's reconciliation of the first gateway, with its first round at once. Throws `conflict`. */
export async function startReconciliation(
  deps: ReconcileDeps,
  wanted: Wanted,
  by: Requester,
): Promise<Round> {
  const [gateway] = deps.methods.gateways
  return continueReconciliation(deps, await begin(deps, gateway, wanted, by))
}

/** `by`: the operator who begins it. Throws `conflict` if the same operation has already begun one. */
async function begin(
  { database, clock, ids }: ReconcileDeps,
  { name: method, list }: PaymentMethod,
  { sinceAt, booksUnknown }: Wanted,
  by?: Requester,
): Promise<string> {
  const now = clock.now()
  const id = ids.next('rcn', now)
  const unknown = booksUnknown ? 'book' : 'report'
  const after = { reconciliation_id: id, since: toTimestamp(sinceAt), unknown }
  const audit = by ? auditEntry(ids, { ...by, act: 'reconciliation.start' }, { after, now }) : null
  const begun = { id, method, sinceAt, booksUnknown, startedAt: now, nextPage: list ? 1 : null }
  if (!(await insertReconciliation(database, begun, audit))) throw new BillingError('conflict')
  return id
}

/** Does a round if one is due and no other process does it, and returns the progress. Throws `not_found`. */
export async function continueReconciliation(deps: ReconcileDeps, id: string): Promise<Round> {
  const now = deps.clock.now()
  const claimed = await claimReconciliation(deps.database, id, now, now + ROUND_MS)
  const failure = claimed && (await workOn(deps, claimed))
  // Nothing is lost: the next round asks for the same page.
  if (failure) deps.log.warn({ failure }, 'the reconciliation with the provider has to wait')
  const { reconciliations, discrepancies } = await readReconciliations(deps.database, id, SHOWN_OF_ONE)
  const [reconciliation] = reconciliations
  if (!reconciliation) throw new BillingError('not_found', { extra: { reconciliation_id: id } })
  if (!failure) return { reconciliation, discrepancies, failure: null }
  const reason = failure.kind === 'rejected' ? failure.kind : failure.reason
  return { reconciliation, discrepancies, failure: { reason, detail: failure.detail } }
}

/** Returns the provider's failure that ended the round; null: none. */
async function workOn(deps: ReconcileDeps, reconciliation: Reconciliation): Promise<ProviderFailure | null> {
  const { list } = deps.methods.of(reconciliation.method)
  let { nextPage } = reconciliation
  let calls = 0
  for (; list && nextPage !== null && calls < CALLS_A_ROUND; calls += 1) {
    const answer = await list.page(nextPage)
    if (!answer.ok) return answer.failure
    nextPage = await reconcilePage(deps, reconciliation, answer.value)
  }
  if (nextPage !== null || calls === CALLS_A_ROUND) return null
  return reconcileUnmatched(deps, reconciliation, CALLS_A_ROUND - calls)
}

/** Returns the next page; null: all later ones are too old, or there are none. */
async function reconcilePage(deps: ReconcileDeps, reconciliation: Reconciliation, page: CheckoutPage) {
  const { id, sinceAt } = reconciliation
  const wanted = page.checkouts.filter(({ createdAt }) => createdAt === null || createdAt >= sinceAt)
  const compared = await reconcileAll(deps, reconciliation, wanted)
  const nextPage = isAllBefore(page.checkouts, sinceAt - CLOCK_SKEW_MAX) ? null : page.nextPage
  const progress = { nextPage, calls: 1, checkouts: wanted.length, finishedAt: null }
  await saveStep(deps.database, id, { ...compared, ...progress, now: deps.clock.now() })
  return nextPage
}

/** Our paid payments that the list did not show. Each is looked up by its id before it counts as missing. */
async function reconcileUnmatched(deps: ReconcileDeps, reconciliation: Reconciliation, limit: number) {
  const unmatched = await unmatchedPayments(deps.database, reconciliation, limit)
  const discrepancies: Discrepancy[] = []
  const matched: Payment[] = []
  for (const payment of unmatched) {
    const answer = await deps.methods.of(payment.method).getCheckout(payment.checkoutId ?? '')
    if (!answer.ok) return answer.failure
    const found = answer.value
      ? await reconcileAll(deps, reconciliation, [answer.value])
      : { discrepancies: [describe(deps, reconciliation, null, payment, MISSING)], matched: [] }
    discrepancies.push(...found.discrepancies)
    matched.push(...found.matched)
  }
  const now = deps.clock.now()
  const isFinished = unmatched.length < limit
  const progress = { nextPage: null, calls: unmatched.length, checkouts: 0 }
  const step = { discrepancies, matched, ...progress, finishedAt: isFinished ? now : null, now }
  await saveStep(deps.database, reconciliation.id, step)
  if (isFinished) deps.log.info({ reconciliation_id: reconciliation.id }, 'books compared with the provider')
  return null
}

const MISSING = { kind: 'booked_not_paid', outcome: 'reported' } as const

async function reconcileAll(
  deps: ReconcileDeps,
  reconciliation: Reconciliation,
  reports: readonly CheckoutReport[],
) {
  const ids = reports.map(({ checkoutId }) => checkoutId)
  const ours = await paymentsOfCheckouts(deps.database, reconciliation.method, ids)
  const discrepancies: Discrepancy[] = []
  const matched: Payment[] = []
  for (const report of reports) {
    const compared = ours.find(({ payment }) => payment.checkoutId === report.checkoutId) ?? null
    const payment = compared?.payment ?? null
    const verdict = judge(report, compared)
    if (verdict === 'matched' && payment) matched.push(payment)
    if (verdict === 'matched' || verdict === 'no_money') continue
    const differs = verdict === 'differs' && compared && { differences: differing(report, compared) }
    const outcome =
      verdict === 'paid_not_booked' ? await enter(deps, report, reconciliation.booksUnknown) : 'reported'
    const kind = outcome === 'unknown_checkout' ? 'unknown_paid' : verdict
    discrepancies.push(describe(deps, reconciliation, report, payment, { kind, outcome, ...differs }))
  }
  for (const { kind, outcome } of discrepancies) deps.count({ name: 'discrepancy', kind, outcome })
  return { discrepancies, matched }
}

/** Compares only money. An operator judges whether a difference is a mistake. */
function judge(report: CheckoutReport, compared: ReconciledPayment | null) {
  const payment = compared?.payment
  const isBooked = payment?.status === 'paid' || payment?.status === 'refunded'
  if (report.status !== 'paid') return isBooked ? 'booked_not_paid' : 'no_money'
  if (!compared || !isBooked) return 'paid_not_booked'
  return Object.keys(differing(report, compared)).length > 0 ? 'differs' : 'matched'
}

/** Our value first. There is no difference if an operator accepted what the provider reports. */
function differing({ amount, currency }: CheckoutReport, { payment, report }: ReconciledPayment) {
  const { price } = payment
  const booked = report && wholeReport(payment, report)
  if (booked?.amount === amount && booked.currency === currency) return {}
  return {
    ...(price.amount === amount ? {} : { amount: [price.amount, amount] }),
    ...(currency === null || price.currency === currency ? {} : { currency: [price.currency, currency] }),
  }
}

/** Unknown money is settled like all money. */
async function enter(deps: ReconcileDeps, report: CheckoutReport, booksUnknown: boolean): Promise<string> {
  const reported = { report, event: null, source: 'reconcile' } as const
  const outcome = await settlePayment(deps, reported)
  if (outcome !== 'unknown_checkout' || !booksUnknown) return outcome
  const { catalogue, methods, clock } = deps
  const payment = paymentBehind(report, { catalogue, method: methods.of(report.method), now: clock.now() })
  if (!payment) return outcome
  // If the process ends here, the sweep finds the payment due and looks its checkout up.
  await insertFoundPayment(deps.database, payment)
  return settlePayment(deps, reported)
}

/** One side may be missing, but not both. */
function describe(
  { ids, clock }: ReconcileDeps,
  { method: gateway }: Reconciliation,
  report: CheckoutReport | null,
  payment: Payment | null,
  { kind, outcome, ...differs }: Pick<Discrepancy, 'kind' | 'outcome'> & { readonly differences?: object },
): Discrepancy {
  const namedUser = kind === 'unknown_paid' ? null : (report?.userId ?? null)
  return {
    ...{ id: ids.next('dsc', clock.now()), kind, outcome, gateway },
    user_id: payment?.userId ?? namedUser,
    payment_id: payment?.id ?? report?.paymentId ?? null,
    checkout_id: report?.checkoutId ?? payment?.checkoutId ?? '',
    details: {
      provider_status: report?.status ?? null,
      amount: report ? report.amount : payment?.price.amount,
      currency: report ? report.currency : payment?.price.currency,
      paid_at: timestampOrNull(report?.updatedAt),
      our_status: payment?.status ?? null,
      ...differs,
    },
  }
}
