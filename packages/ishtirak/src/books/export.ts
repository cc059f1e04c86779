// The payments of one month for the accountant, as CSV. The month is that of the billing time zone; a refund stays in the
// month of its payment, with its status. Columns are added at the end only: spreadsheets count them.

import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import { type Cell, csvLine } from '../acts/csv.js'
import { type Instant, timestampOrNull } from '../core/instant.js'
import type { Payment, PaymentWay } from '../core/payment.js'
import { receiptNumber } from '../core/receipt.js'
import { type Operator, requireRole } from '../core/role.js'
import { type TakenPayment, takenPayments } from '../overview/operator.sql.js'
import type { WallClock } from '../runtime/calendar.js'
import { readMonth } from './months.js'

/** By the name in the first line. */
const COLUMNS: Readonly<Record<string, (taken: TakenPayment, wallClock: WallClock) => Cell>> = {
  receipt_number: ({ receipt }) => receipt && receiptNumber(receipt.series, receipt.number),
  payment_id: ({ payment }) => payment.id,
  checkout_id: ({ payment }) => payment.checkoutId,
  user_id: ({ payment }) => payment.userId,
  plan: ({ payment }) => payment.plan.id,
  amount: ({ payment }) => payment.price.amount,
  currency: ({ payment }) => payment.price.currency,
  payment_method: ({ payment }) => payment.instrument,
  paid_at_utc: ({ payment }) => timestampOrNull(payment.paidAt),
  paid_at_local: ({ payment: { paidAt } }, { wallTime }) => (paidAt === null ? null : wallTime(paidAt)),
  period_start_utc: ({ payment }) => timestampOrNull(payment.periodStart),
  period_end_utc: ({ payment }) => timestampOrNull(payment.periodEnd),
  status: ({ payment }) => payment.status,
  second_of: ({ payment }) => payment.secondOf,
  months: ({ payment }) => payment.months,
  method: ({ payment }) => payment.method,
  // In dinars; it comes on top of the amount.
  stamp_duty: ({ stampDutyCentimes: duty }) => duty && duty / 100,
  received_at_local: ({ receivedAt }, { wallTime }) => (receivedAt === null ? null : wallTime(receivedAt)),
  // Where another amount came.
  amount_asked: ({ payment }) => payment.amountAsked,
}

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
  of: { readonly month: string; readonly way: PaymentWay | null; readonly operator: Operator },
): Promise<AsyncIterable<string>> {
  requireRole(of.operator, 'payments.export')
  const { from, to } = readMonth(deps, of.month, '/query/month')
  const act = { operator: of.operator, act: 'payments.export' as const, reason: null }
  await recordAct(deps, act, { after: { month: of.month, ...(of.way && { method: of.way }) } })
  return csvOf(deps, { from, to, way: of.way })
}

async function* csvOf(
  deps: ExportDeps,
  span: { from: Instant; to: Instant; way: PaymentWay | null },
): AsyncIterable<string> {
  yield csvLine(Object.keys(COLUMNS))
  const cells = Object.values(COLUMNS)
  const line = (taken: TakenPayment) => csvLine(cells.map((cell) => cell(taken, deps.wallClock)))
  let last: Payment | null = null
  for (;;) {
    const page: readonly TakenPayment[] = await takenPayments(deps.database, span, last, PAGE_ROWS)
    if (page.length > 0) yield page.map(line).join('')
    if (page.length < PAGE_ROWS) return
    last = page.at(-1)?.payment ?? null
  }
}
