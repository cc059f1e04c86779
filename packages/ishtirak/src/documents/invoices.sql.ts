// Users who may be owed invoices, as rows, and the payments concerned.
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, text } from '../database/rows.js'

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
