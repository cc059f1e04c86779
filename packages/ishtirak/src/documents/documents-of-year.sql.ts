// The documents of a user in a year, and when the money of those that were refunded went back.
import type { ReceiptSnapshot } from '../core/receipt.js'
import { type Queryable, statement } from '../database/database.js'
import { flag, instantOrNull, integer, json, rowOf, text } from '../database/rows.js'

// The mark of a restore may follow.
const OF_SERIES = `series like any(
         select one || more from unnest($2::text[]) one, unnest(array['', '-R%']) more)`

// Uses the primary keys, which begin with the user; the payment and its refund by theirs.
const selectOfYear = statement(
  'receipts.year',
  `select r.series, r.number, r.snapshot, r.place > 1 or r.kind = 'credit_note' as is_later,
          r.place = 0 and exists (
            select from documents f
             where f.user_id = r.user_id and f.payment_id = r.payment_id and f.place = 1
               and f.kind = 'invoice'
          ) as is_replaced,
          case when p.status = 'refunded' then (
            select max(a.acted_at) from audit a
             where a.user_id = r.user_id and a.payment_id = r.payment_id and a.act = 'payment.refund'
          ) end as refunded_at
     from (
       select user_id, payment_id, series, number, issued_at, snapshot, 0 as place, 'first' as kind
         from receipts where user_id = $1 and ${OF_SERIES}
        union all
       select user_id, payment_id, series, number, issued_at, snapshot, place, kind
         from documents where user_id = $1 and ${OF_SERIES}
     ) r join payments p on p.user_id = r.user_id and p.id = r.payment_id
    order by r.issued_at desc, r.place desc, r.series desc, r.number desc limit $3`,
)

/** The last of them, in the order in which they were issued; `series` as `documentSeries` has it. */
export async function listReceiptsOfYear(
  database: Queryable,
  of: { readonly userId: string; readonly series: readonly string[]; readonly limit: number },
) {
  const rows = await database.query(selectOfYear, [of.userId, of.series, of.limit])
  return rows.map(parseDocument).reverse()
}

export type DocumentOfYear = ReturnType<typeof parseDocument>

const parseDocument = rowOf({
  series: text,
  number: integer,
  snapshot: json<ReceiptSnapshot>,
  /** Its money stands with an earlier document. */
  is_later: flag,
  /** A receipt in whose place an invoice was asked for, perhaps in another year: its money stands there. */
  is_replaced: flag,
  refunded_at: instantOrNull,
})
