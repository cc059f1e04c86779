// The documents of a user in a year, and the instants of refunds.
import { type Queryable, statement } from '../database/database.js'
import { flag, instantOrNull, rowOf } from '../database/rows.js'
import { DOCUMENT_COLUMNS, parseDocument, type StoredDocument } from '../ledger/documents.sql.js'

// Uses documents_in_order, which begins with the user; the payment and its refund by their keys.
const selectOfYear = statement(
  'documents.year',
  `select ${DOCUMENT_COLUMNS}, d.place > 1 or d.kind = 'credit_note' as is_later,
          d.place = 0 and exists (
            select from documents f
             where f.user_id = d.user_id and f.payment_id = d.payment_id and f.place = 1
               and f.kind = 'invoice'
          ) as is_replaced,
          case when p.status = 'refunded' then (
            select max(a.acted_at) from audit a
             where a.user_id = d.user_id and a.payment_id = d.payment_id and a.act = 'payment.refund'
          ) end as refunded_at
     from documents d
     join seller_versions v on v.hash = d.seller
     join payments p on p.user_id = d.user_id and p.id = d.payment_id
    where d.user_id = $1 and extract(year from d.issued_on) = $2::int
    order by d.issued_at desc, d.place desc, d.series desc, d.number desc limit $3`,
)

/** The last documents that were issued in the year, in order of issue. */
export async function listReceiptsOfYear(
  database: Queryable,
  of: { readonly userId: string; readonly year: number; readonly limit: number },
) {
  const rows = await database.query(selectOfYear, [of.userId, of.year, of.limit])
  return rows.map((row) => ({ ...parseDocument(row), ...parseOfYear(row) })).reverse()
}

export type DocumentOfYear = StoredDocument & ReturnType<typeof parseOfYear>

const parseOfYear = rowOf({
  /** An earlier document already has its money. */
  is_later: flag,
  /** A receipt that an invoice replaced, perhaps in another year, which has its money. */
  is_replaced: flag,
  refunded_at: instantOrNull,
})
