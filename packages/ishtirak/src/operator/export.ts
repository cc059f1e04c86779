// The payments of one month for the accountant, as CSV. The month is that of the billing time zone; a refund stays in the
// month of its payment, with its status. Columns are added at the end only: spreadsheets count them.
import { BillingError } from '../core/error.js'
import { type Instant, timestampOrNull } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { receiptNumber } from '../core/receipt.js'
import { type AuditDeps, recordAct } from '../payments/audit.js'
import type { WallClock } from '../runtime/calendar.js'
import { csvLine } from '../runtime/csv.js'
import { type TakenPayment, takenPayments } from './export.sql.js'

export const EXPORT_COLUMNS = [
  'receipt_number',
  'payment_id',
  'checkout_id',
  'user_id',
  'plan',
  'amount',
  'currency',
  'payment_method',
  'paid_at_utc',
  'paid_at_local',
  'period_start_utc',
  'period_end_utc',
  'status',
  'second_of',
] as const

export interface ExportDeps extends AuditDeps {
  /** The billing time zone. */
  readonly wallClock: WallClock
}

/** Rows that are held in memory at a time. */
const PAGE_ROWS = 1_000

/**
 * Written to the audit trail, then given in pieces as it is read. Throws `validation_failed` when `month` is not `YYYY-MM`.
 */
export async function exportPayments(
  deps: ExportDeps,
  of: { readonly month: string; readonly operator: string },
): Promise<AsyncIterable<string>> {
  const span = deps.wallClock.monthOf(of.month)
  if (!span) {
    throw new BillingError('validation_failed', {
      problems: [{ pointer: '/query/month', code: 'wrong_format' }],
    })
  }
  const act = { operator: of.operator, act: 'payments.export', reason: null }
  await recordAct(deps, act, { after: { month: of.month } })
  return csvOf(deps, span)
}

async function* csvOf(deps: ExportDeps, span: { from: Instant; to: Instant }): AsyncIterable<string> {
  yield csvLine(EXPORT_COLUMNS)
  let last: Payment | null = null
  for (;;) {
    const page: readonly TakenPayment[] = await takenPayments(deps.database, span, last, PAGE_ROWS)
    if (page.length > 0) yield page.map((taken) => row(deps, taken)).join('')
    if (page.length < PAGE_ROWS) return
    last = page.at(-1)?.payment ?? null
  }
}

function row({ wallClock }: ExportDeps, { payment, receipt }: TakenPayment): string {
  return csvLine([
    receipt === null ? null : receiptNumber(receipt.series, receipt.number),
    payment.id,
    payment.checkoutId,
    payment.userId,
    payment.plan.id,
    payment.price.amount,
    payment.price.currency,
    payment.instrument,
    timestampOrNull(payment.paidAt),
    payment.paidAt === null ? null : wallClock.wallTime(payment.paidAt),
    timestampOrNull(payment.periodStart),
    timestampOrNull(payment.periodEnd),
    payment.status,
    payment.secondOf,
  ])
}
