// The receipts of a user in a year, and when the money of those that were refunded went back.
import type { ReceiptSnapshot } from '../core/receipt.js'
import { type Queryable, statement } from '../database/database.js'
import { instantOrNull, integer, json, rowOf, text } from '../database/rows.js'

// Uses the primary key, which begins with the user; the payment and its refund by theirs.
const selectOfYear = statement(
  'receipts.year',
  `select r.series, r.number, r.snapshot,
          case when p.status = 'refunded' then (
            select max(a.acted_at) from audit a
             where a.user_id = r.user_id and a.payment_id = r.payment_id and a.act = 'payment.refund'
          ) end as refunded_at
     from receipts r join payments p on p.user_id = r.user_id and p.id = r.payment_id
    where r.user_id = $1 and r.series = any($2::text[])
    order by r.series desc, r.number desc limit $3`,
)

/** The last of them, in the order of their numbers; `series` as receipts have it. */
export async function listReceiptsOfYear(
  database: Queryable,
  of: { readonly userId: string; readonly series: readonly string[]; readonly limit: number },
) {
  const rows = await database.query(selectOfYear, [of.userId, of.series, of.limit])
  return rows.map(parsePaper).reverse()
}

export type PaperOfYear = ReturnType<typeof parsePaper>

const parsePaper = rowOf({
  series: text,
  number: integer,
  snapshot: json<ReceiptSnapshot>,
  refunded_at: instantOrNull,
})
