// The provider's list against our books: every day, and when the operator asks. What was paid there and not booked here is
// entered like any other report; what only we have, or what differs, is written down for a person. It corrects nothing else.
import type { CheckoutReport } from '../core/checkout.js'
import { BillingError } from '../core/error.js'
import { paymentBehind } from '../core/found-payment.js'
import { CLOCK_SKEW_MAX, DAY, type Instant, SECOND, toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { recordAct } from '../payments/audit.sql.js'
import { insertFoundPayment } from '../payments/found-payments.sql.js'
import type { Parts } from '../payments/parts.js'
import type { ProviderFailure } from '../payments/provider.js'
import { settlePayment } from '../payments/settle.js'
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

export interface ComparisonReport {
  readonly comparison: Comparison
  readonly findings: readonly RecordedFinding[]
}

/**
 * The daily job: begins a comparison a day after the last began (the first: a day after our first payment), and does one
 * round of an unfinished one. Gives the calls made so far.
 */
export async function reconcileDaily(parts: Parts): Promise<number> {
  const now = parts.clock.now()
  const unfinished = await unfinishedComparison(parts.database)
  if (unfinished) return (await continueComparison(parts, unfinished.id)).comparison.calls
  const [last] = await newestComparisons(parts.database, 1)
  const lastAt = last?.startedAt ?? (await oldestPaymentAt(parts.database))
  if (lastAt === null || now < lastAt + DAY) return 0
  const sinceAt = lastAt - OVERLAP_MS
  const begun = await begin(parts, { sinceAt, startedBy: 'schedule', booksUnknown: false, now })
  return (await continueComparison(parts, begun.id)).comparison.calls
}

/** The operator's comparison: written to the audit trail, then the first round at once. */
export async function startReconciliation(
  parts: Parts,
  request: {
    readonly sinceAt: Instant
    /** Only an operator can say that no other deployment takes money through this account of the provider. */
    readonly booksUnknown: boolean
    readonly operator: string
    readonly reason: string | null
  },
): Promise<ComparisonReport> {
  const now = parts.clock.now()
  const { sinceAt, booksUnknown, operator } = request
  const begun = await begin(parts, { sinceAt, booksUnknown, startedBy: operator, now })
  await recordAct(parts.database, {
    id: parts.ids.next('act', now),
    userId: '',
    actor: operator,
    act: 'reconcile',
    reason: request.reason,
    paymentId: null,
    before: {},
    after: {
      comparison_id: begun.id,
      since: toTimestamp(sinceAt),
      unknown: booksUnknown ? 'book' : 'report',
    },
    now,
  })
  return continueComparison(parts, begun.id)
}

/** One round, if it is time for one and nobody else is at it; then how far it is. Throws `not_found`. */
export async function continueComparison(parts: Parts, id: string): Promise<ComparisonReport> {
  const now = parts.clock.now()
  const claimed = await claimComparison(parts.database, id, { now, nextRoundAt: now + ROUND_MS })
  if (claimed) await walk(parts, claimed)
  return showComparison(parts, id)
}

export async function showComparison(parts: Parts, id: string): Promise<ComparisonReport> {
  const comparison = await findComparison(parts.database, id)
  if (!comparison) throw new BillingError('not_found')
  return { comparison, findings: await listFindings(parts.database, id, 1_000) }
}

/** The last comparisons, and what was found last, newest first. */
export async function listReconciliations(parts: Parts) {
  return {
    comparisons: await newestComparisons(parts.database, 10),
    findings: await listFindings(parts.database, null, 100),
  }
}

function begin(
  parts: Parts,
  { now, ...of }: Pick<Comparison, 'sinceAt' | 'startedBy' | 'booksUnknown'> & { now: Instant },
): Promise<Comparison> {
  return startComparison(parts.database, { ...of, id: parts.ids.next('cmp', now), startedAt: now })
}

async function walk(parts: Parts, comparison: Comparison): Promise<void> {
  let nextPage = comparison.nextPage
  let calls = 0
  while (nextPage !== null && calls < CALLS_A_ROUND) {
    calls += 1
    const page = await comparePage(parts, comparison, nextPage)
    if (page === 'failed') return
    nextPage = page.nextPage
  }
  if (nextPage === null && calls < CALLS_A_ROUND) {
    await compareUnmatched(parts, comparison, CALLS_A_ROUND - calls)
  }
}

async function comparePage(
  parts: Parts,
  comparison: Comparison,
  page: number,
): Promise<{ readonly nextPage: number | null } | 'failed'> {
  const answer = await parts.provider.listCheckouts(page)
  if (!answer.ok) return giveUp(parts, answer.failure)
  const { checkouts } = answer.value
  const wanted = checkouts.filter((one) => one.createdAt === null || one.createdAt >= comparison.sinceAt)
  const compared = await compareAll(parts, comparison, wanted)
  const isOver = isAllBefore(checkouts, comparison.sinceAt - CLOCK_SKEW_MAX)
  const nextPage = isOver ? null : answer.value.nextPage
  await saveComparisonStep(parts.database, comparison.id, {
    ...compared,
    nextPage,
    calls: 1,
    checkouts: wanted.length,
    finishedAt: null,
    now: parts.clock.now(),
  })
  return { nextPage }
}

/** Our paid payments that the list did not show: each is asked for by name before it is called missing. */
async function compareUnmatched(parts: Parts, comparison: Comparison, limit: number): Promise<void> {
  const unmatched = await unmatchedPayments(parts.database, comparison, limit)
  const findings: Finding[] = []
  const matched: Payment[] = []
  for (const payment of unmatched) {
    const answer = await parts.provider.getCheckout(payment.checkoutId ?? '')
    if (!answer.ok) return void giveUp(parts, answer.failure)
    const found = answer.value ? await compareAll(parts, comparison, [answer.value]) : missing(payment)
    findings.push(...found.findings)
    matched.push(...found.matched)
  }
  const now = parts.clock.now()
  const isFinished = unmatched.length < limit
  await saveComparisonStep(parts.database, comparison.id, {
    findings,
    matched,
    nextPage: null,
    calls: unmatched.length,
    checkouts: 0,
    finishedAt: isFinished ? now : null,
    now,
  })
  if (isFinished) parts.log.info({ comparison_id: comparison.id }, 'books compared with the provider')
}

interface Compared {
  readonly findings: readonly Finding[]
  readonly matched: readonly Payment[]
}

async function compareAll(
  parts: Parts,
  { booksUnknown }: Comparison,
  reports: readonly CheckoutReport[],
): Promise<Compared> {
  const ours = await paymentsOfCheckouts(
    parts.database,
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
    const outcome = verdict.kind === 'paid_not_booked' ? await enter(parts, report, booksUnknown) : 'reported'
    const kind = outcome === 'unknown_checkout' ? 'unknown_paid' : verdict.kind
    findings.push(describe(report, payment, { kind, outcome, differences }))
  }
  for (const { kind, outcome } of findings) parts.count({ name: 'finding', kind, outcome })
  return { findings, matched }
}

/** Money that we did not know of goes the way of all money. */
async function enter(parts: Parts, report: CheckoutReport, booksUnknown: boolean): Promise<string> {
  const reported = { report, event: null, source: 'reconcile' } as const
  const outcome = await settlePayment(parts, reported)
  if (outcome !== 'unknown_checkout' || !booksUnknown) return outcome
  const payment = paymentBehind(report, {
    catalogue: parts.catalogue,
    live: parts.provider.live,
    lifetimeMs: parts.provider.checkoutLifetimeMs,
    now: parts.clock.now(),
  })
  if (!payment) return outcome
  // Should the process end here, the sweep finds the payment due and asks for its checkout.
  await insertFoundPayment(parts.database, payment)
  return settlePayment(parts, reported)
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
      paid_at: report.updatedAt === null ? null : toTimestamp(report.updatedAt),
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

function giveUp(parts: Parts, failure: ProviderFailure): 'failed' {
  // The walk has lost nothing: the next round asks for the same page.
  parts.log.warn({ failure }, 'the comparison with the provider has to wait')
  return 'failed'
}

/** Whether everything that follows this page is older still: known only while the list runs from new to old. */
function isAllBefore(checkouts: readonly CheckoutReport[], instant: Instant): boolean {
  let previous = Number.POSITIVE_INFINITY
  for (const { createdAt } of checkouts) {
    if (createdAt === null || createdAt >= instant || createdAt > previous) return false
    previous = createdAt
  }
  return checkouts.length > 0
}
