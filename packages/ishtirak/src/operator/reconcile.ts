// The provider's list against our books: every day, and when the operator asks. What was paid there and not booked here is
// entered like any other report; what only we have, or what differs, is written down for a person. It corrects nothing else.
import type { CheckoutReport } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import { paymentBehind } from '../core/found-payment.js'
import { CLOCK_SKEW_MAX, DAY, type Instant, SECOND, timestampOrNull, toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import type { Catalogue } from '../core/plan.js'
import type { Queryable } from '../database/database.js'
import { type By, recordAct } from '../payments/audit.js'
import { insertFoundPayment } from '../payments/found-payments.sql.js'
import { isAllBefore, type PaymentMethod, type ProviderFailure } from '../payments/method.js'
import { type SettleDeps, settlePayment } from '../payments/settle.js'
import { compareCheckout } from './comparison.js'
import {
  type Comparison,
  claimComparison,
  type Finding,
  findComparison,
  listFindings,
  newestComparisons,
  oldestPaymentAt,
  paymentsOfCheckouts,
  type RecordedFinding,
  saveComparisonStep,
  startComparison,
  unfinishedComparison,
  unmatchedPayments,
} from './reconcile.sql.js'

/** 5 calls every 30 s are 10 a minute: with the sweep's 30 a third of the provider's 60 stays free for people who wait. */
const CALLS_A_ROUND = 5
export const ROUND_MS = 30 * SECOND
/** A checkout is decided within 30 minutes and looked at for a day: two days back miss nothing the last walk could see. */
const OVERLAP_MS = 2 * DAY

export interface ReconcileDeps extends SettleDeps {
  readonly catalogue: Catalogue
}

export interface ComparisonReport {
  readonly comparison: Comparison
  readonly findings: readonly RecordedFinding[]
}

/**
 * The daily job. For each payment method it begins a comparison a day after the last began (the first: a day after our
 * first payment), and does one round of an unfinished one. Gives the calls made so far.
 */
export async function reconcileDaily(deps: ReconcileDeps): Promise<number> {
  let calls = 0
  for (const method of deps.methods.all) calls += await reconcileMethod(deps, method)
  return calls
}

async function reconcileMethod(deps: ReconcileDeps, method: PaymentMethod): Promise<number> {
  const now = deps.clock.now()
  const unfinished = await unfinishedComparison(deps.database, method.name)
  if (unfinished) return (await continueComparison(deps, unfinished.id)).comparison.calls
  const [last] = await newestComparisons(deps.database, 1, method.name)
  const lastAt = last?.startedAt ?? (await oldestPaymentAt(deps.database))
  if (lastAt === null || now < lastAt + DAY) return 0
  const sinceAt = lastAt - OVERLAP_MS
  const begun = await begin(deps, method, { sinceAt, startedBy: 'schedule', booksUnknown: false, now })
  return (await continueComparison(deps, begun.id)).comparison.calls
}

/** The operator's comparison: written to the audit trail, then the first round at once. */
export async function startReconciliation(
  deps: ReconcileDeps,
  request: {
    readonly sinceAt: Instant
    /** Only an operator can say that no other deployment takes money through this account of the provider. */
    readonly booksUnknown: boolean
  },
  by: By,
): Promise<ComparisonReport> {
  const now = deps.clock.now()
  const { sinceAt, booksUnknown } = request
  const asked = { sinceAt, booksUnknown, startedBy: by.operator, now }
  const begun = await begin(deps, deps.methods.primary, asked)
  const after = {
    comparison_id: begun.id,
    since: toTimestamp(sinceAt),
    unknown: booksUnknown ? 'book' : 'report',
  }
  await recordAct(deps, { ...by, act: 'reconcile' }, { after })
  return continueComparison(deps, begun.id)
}

/** One round, if it is time for one and no other process is at it; then how far it is. Throws `not_found`. */
export async function continueComparison(deps: ReconcileDeps, id: string): Promise<ComparisonReport> {
  const now = deps.clock.now()
  const claimed = await claimComparison(deps.database, id, { now, nextRoundAt: now + ROUND_MS })
  if (claimed) await walk(deps, claimed)
  return showComparison(deps.database, id)
}

async function showComparison(database: Queryable, id: string): Promise<ComparisonReport> {
  const comparison = await findComparison(database, id)
  if (!comparison) throw new BillingError('not_found')
  return { comparison, findings: await listFindings(database, id, 1_000) }
}

/** The last comparisons, and what was found last, newest first. */
export async function listReconciliations({ database }: { readonly database: Queryable }) {
  return {
    comparisons: await newestComparisons(database, 10),
    findings: await listFindings(database, null, 100),
  }
}

function begin(
  deps: ReconcileDeps,
  { name: method, list }: PaymentMethod,
  { now, ...of }: Pick<Comparison, 'sinceAt' | 'startedBy' | 'booksUnknown'> & { now: Instant },
): Promise<Comparison> {
  const id = deps.ids.next('cmp', now)
  return startComparison(deps.database, { ...of, id, method, startedAt: now, nextPage: list ? 1 : null })
}

async function walk(deps: ReconcileDeps, comparison: Comparison): Promise<void> {
  let nextPage = comparison.nextPage
  let calls = 0
  while (nextPage !== null && calls < CALLS_A_ROUND) {
    calls += 1
    const page = await comparePage(deps, comparison, nextPage)
    if (page === 'failed') return
    nextPage = page.nextPage
  }
  if (nextPage === null && calls < CALLS_A_ROUND) {
    await compareUnmatched(deps, comparison, CALLS_A_ROUND - calls)
  }
}

async function comparePage(
  deps: ReconcileDeps,
  comparison: Comparison,
  page: number,
): Promise<{ readonly nextPage: number | null } | 'failed'> {
  const { list } = deps.methods.of(comparison.method)
  if (!list) return 'failed'
  const answer = await list.page(page)
  if (!answer.ok) return giveUp(deps, answer.failure)
  const { checkouts } = answer.value
  const wanted = checkouts.filter((one) => one.createdAt === null || one.createdAt >= comparison.sinceAt)
  const compared = await compareAll(deps, comparison, wanted)
  const isOver = isAllBefore(checkouts, comparison.sinceAt - CLOCK_SKEW_MAX)
  const nextPage = isOver ? null : answer.value.nextPage
  await saveComparisonStep(deps.database, comparison.id, {
    ...compared,
    nextPage,
    calls: 1,
    checkouts: wanted.length,
    finishedAt: null,
    now: deps.clock.now(),
  })
  return { nextPage }
}

/** Our paid payments that the list did not show: each is asked for by name before it is called missing. */
async function compareUnmatched(deps: ReconcileDeps, comparison: Comparison, limit: number): Promise<void> {
  const unmatched = await unmatchedPayments(deps.database, comparison, limit)
  const findings: Finding[] = []
  const matched: Payment[] = []
  for (const payment of unmatched) {
    const answer = await deps.methods.of(payment.method).getCheckout(payment.checkoutId ?? '')
    if (!answer.ok) return void giveUp(deps, answer.failure)
    const found = answer.value ? await compareAll(deps, comparison, [answer.value]) : missing(payment)
    findings.push(...found.findings)
    matched.push(...found.matched)
  }
  const now = deps.clock.now()
  const isFinished = unmatched.length < limit
  await saveComparisonStep(deps.database, comparison.id, {
    findings,
    matched,
    nextPage: null,
    calls: unmatched.length,
    checkouts: 0,
    finishedAt: isFinished ? now : null,
    now,
  })
  if (isFinished) deps.log.info({ comparison_id: comparison.id }, 'books compared with the provider')
}

interface Compared {
  readonly findings: readonly Finding[]
  readonly matched: readonly Payment[]
}

async function compareAll(
  deps: ReconcileDeps,
  { method, booksUnknown }: Comparison,
  reports: readonly CheckoutReport[],
): Promise<Compared> {
  const ours = await paymentsOfCheckouts(
    deps.database,
    method,
    reports.map((report) => report.checkoutId),
  )
  const findings: Finding[] = []
  const matched: Payment[] = []
  for (const report of reports) {
    const payment = ours.find((one) => one.checkoutId === report.checkoutId) ?? null
    const verdict = compareCheckout(report, payment)
    if (verdict.kind === 'matched' && payment) matched.push(payment)
    if (verdict.kind === 'nothing' || verdict.kind === 'matched') continue
    const differences = verdict.kind === 'differs' ? { differences: verdict.differences } : {}
    const outcome = verdict.kind === 'paid_not_booked' ? await enter(deps, report, booksUnknown) : 'reported'
    const kind = outcome === 'unknown_checkout' ? 'unknown_paid' : verdict.kind
    findings.push(describe(report, payment, { kind, outcome, differences }))
  }
  for (const { kind, outcome } of findings) deps.count({ name: 'finding', kind, outcome })
  return { findings, matched }
}

/** Money that we did not know of goes the way of all money. */
async function enter(deps: ReconcileDeps, report: CheckoutReport, booksUnknown: boolean): Promise<string> {
  const reported = { report, event: null, source: 'reconcile' } as const
  const outcome = await settlePayment(deps, reported)
  if (outcome !== 'unknown_checkout' || !booksUnknown) return outcome
  const { catalogue, clock } = deps
  const payment = paymentBehind(report, {
    catalogue,
    method: deps.methods.of(report.method),
    now: clock.now(),
  })
  if (!payment) return outcome
  // Should the process end here, the sweep finds the payment due and asks for its checkout.
  await insertFoundPayment(deps.database, payment)
  return settlePayment(deps, reported)
}

function describe(
  report: CheckoutReport,
  payment: Payment | null,
  of: { kind: Finding['kind']; outcome: string; differences: object },
): Finding {
  const isOurs = payment !== null || of.kind !== 'unknown_paid'
  return {
    userId: payment?.userId ?? (isOurs ? report.userId : null) ?? '',
    checkoutId: report.checkoutId,
    kind: of.kind,
    paymentId: payment?.id ?? report.paymentId,
    outcome: of.outcome,
    details: {
      provider_status: report.status,
      amount: report.amount,
      currency: report.currency,
      paid_at: timestampOrNull(report.updatedAt),
      our_status: payment?.status ?? null,
      ...of.differences,
    },
  }
}

function missing(payment: Payment): Compared {
  const details = { provider_status: null, amount: payment.price.amount, our_status: payment.status }
  const { userId, id: paymentId, checkoutId } = payment
  const finding = { userId, paymentId, checkoutId: checkoutId ?? '', details, outcome: 'reported' }
  return { findings: [{ ...finding, kind: 'booked_not_paid' }], matched: [] }
}

function giveUp(deps: ReconcileDeps, failure: ProviderFailure): 'failed' {
  // The walk has lost nothing: the next round asks for the same page.
  deps.log.warn({ failure }, 'the comparison with the provider has to wait')
  return 'failed'
}
