// Queries for the documents of a year, for those printed before, and for invoices that are owed.
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, flag, instantOrNull, rowOf, text } from '../database/rows.js'
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

// Uses printed_documents_once.
const note = statement(
  'printed_documents.note',
  `with first as (
     insert into printed_documents (number, printed_at, by_mail) values ($1, $2::timestamptz, $3::boolean)
         on conflict (number) do nothing
     returning by_mail
   )
   select by_mail, true as is_new from first
    union all
   select by_mail, false from printed_documents where number = $1`,
)

const parsePrint = rowOf({ byMail: flag, isNew: flag })

/** How the document was first printed: now, or before. */
export async function notePrint(
  database: Queryable,
  number: string,
  { byMail, now }: { readonly byMail: boolean; readonly now: Instant },
) {
  const [row] = await database.query(note, [number, at(now), byMail])
  // Another print at the same instant was first, and its row is not visible yet.
  return row ? parsePrint(row) : { byMail: false, isNew: false }
}

// Uses the index owed_invoices_due. A user whose invoice fails is due again when the lease ends.
const claim = statement(
  'invoices.claim',
  `update owed_invoices set due_at = $2::timestamptz
    where user_id = any(array(
      select user_id from owed_invoices where due_at <= $1::timestamptz order by due_at limit $3::int
         for update skip locked))
   returning user_id`,
)

/** Users whose payments are to be checked, reserved for this process until `leasedUntil`. */
export async function claimOwed(
  database: Queryable,
  of: { readonly now: Instant; readonly leasedUntil: Instant; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await database.query(claim, [at(of.now), at(of.leasedUntil), of.limit])
  return rows.map((row) => text(row, 'user_id'))
}

const finish = statement(
  'invoices.finish',
  'delete from owed_invoices where user_id = $1 and due_at = $2::timestamptz',
)

/** Ends the claim, unless something new is owed since then. */
export async function finishOwed(database: Queryable, userId: string, leasedUntil: Instant): Promise<void> {
  await database.query(finish, [userId, at(leasedUntil)])
}

// Uses documents_in_order.
const selectOwed = statement(
  'invoices.owed',
  `select d.payment_id
     from documents d join payments p on p.user_id = d.user_id and p.id = d.payment_id
    where d.user_id = $1 and p.status = 'paid' and p.kind <> 'top_up'
      and d.snapshot->'tax'->>'kind' <> 'advance'
      and (d.kind = 'credit_note' or d.kind = 'receipt' and d.issued_at >= $2::timestamptz)
      and not exists (
        select from documents l
         where l.user_id = d.user_id and l.payment_id = d.payment_id and l.place > d.place)
    order by p.paid_at, d.payment_id`,
)

/** Payments that a credit note left without an invoice, and payments since that instant without one. */
export async function paymentsOwed(
  database: Queryable,
  userId: string,
  since: Instant,
): Promise<readonly string[]> {
  return (await database.query(selectOwed, [userId, at(since)])).map((row) => text(row, 'payment_id'))
}
