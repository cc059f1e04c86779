// The payments of a span of time as the accountant reads them, in pages.
import type { Instant } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { type Queryable, statement } from '../database/database.js'
import { at, integer, text } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from '../payments/payments.sql.js'

/** A payment with what the accountant wants beside it. */
export interface TakenPayment {
  readonly payment: Payment
  readonly receipt: { readonly series: string; readonly number: number } | null
}

const selectTaken = statement(
  'operator.taken',
  `select ${PAYMENT_COLUMNS}, r.series, r.number
     from payments p
     left join receipts r on r.user_id = p.user_id and r.payment_id = p.id
    where p.paid_at >= $1::timestamptz and p.paid_at < $2::timestamptz
      and ($3::timestamptz is null or (p.paid_at, p.id) > ($3::timestamptz, $4::text))
    order by p.paid_at, p.id
    limit $5::int`,
)

/** Paid in `[from, to)`, refunded ones as well, oldest first, after the given one. */
export async function takenPayments(
  database: Queryable,
  span: { readonly from: Instant; readonly to: Instant },
  after: Payment | null,
  limit: number,
): Promise<readonly TakenPayment[]> {
  const rows = await database.query(selectTaken, [
    at(span.from),
    at(span.to),
    at(after?.paidAt ?? null),
    after?.id ?? null,
    limit,
  ])
  return rows.map((row) => ({
    payment: parsePayment(row),
    receipt: row.number === null ? null : { series: text(row, 'series'), number: integer(row, 'number') },
  }))
}
