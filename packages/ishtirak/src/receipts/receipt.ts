// A receipt for who paid it: the snapshot that was kept at booking, printed in the language asked for.
import { BillingError } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { receiptNumber } from '../core/receipt.js'
import { findRefundInstant } from '../payments/audit.sql.js'
import type { Parts } from '../payments/parts.js'
import { findPayment } from '../payments/payments.sql.js'
import { singleFlight } from '../runtime/async.js'
import { findReceipt } from './receipt.sql.js'
import { renderReceipt } from './render-receipt.js'

export interface PrintedReceipt {
  /** `2026-000042` */
  readonly number: string
  readonly pdf: Uint8Array
  readonly amount: number
  readonly planName: string
  /** What it bought; null where a refund took it away. */
  readonly periodEnd: Instant | null
}

/** Two seconds of work at most: who comes later is better served by coming again. */
const WAITING_MAX = 100
const RETRY_SECONDS = 2

/** For somebody who waits for it: throws `busy` besides, when too many wait already. One receipt asked for twice is printed once. */
export function createAskForReceipt(parts: Parts): (of: ReceiptWish) => Promise<PrintedReceipt> {
  const share = singleFlight<PrintedReceipt>()
  return (of) =>
    share(JSON.stringify([of.userId, of.paymentId, of.locale]), () =>
      readReceipt(parts, of, { waitingMax: WAITING_MAX }),
    )
}

export interface ReceiptWish {
  readonly userId: string
  readonly paymentId: string
  readonly locale: Locale
}

/** Throws `not_found`, for somebody else's payment too, and `payment_not_paid`. */
export async function readReceipt(
  { database, receipts }: Parts,
  of: ReceiptWish,
  { waitingMax = Number.POSITIVE_INFINITY } = {},
): Promise<PrintedReceipt> {
  const payment = await findPayment(database, of.userId, of.paymentId)
  if (!payment) throw new BillingError('not_found')
  const issued = await findReceipt(database, of.userId, of.paymentId)
  if (!issued) throw new BillingError('payment_not_paid')
  const { snapshot } = issued
  const refundedAt = payment.status === 'refunded' ? await findRefundInstant(database, of) : null
  const refundedOn = refundedAt === null ? null : receipts.dayOf(refundedAt)
  const number = receiptNumber(issued.series, issued.number)
  const { press, typesetter } = receipts
  if (press.waiting >= waitingMax) throw new BillingError('busy', { retryAfterSeconds: RETRY_SECONDS })
  return {
    number,
    pdf: await press.run(() => renderReceipt(typesetter, { snapshot, number, refundedOn }, of.locale)),
    amount: snapshot.amount,
    planName: snapshot.planName,
    periodEnd: payment.periodEnd,
  }
}
