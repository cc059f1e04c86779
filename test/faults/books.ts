// The books, read from the database itself, and what must hold of them whatever was broken: everything that was answered
// 200 is there, nothing is there twice, and the numbers of the receipts have no gap.
import { type Queryable, statement } from '../../packages/ishtirak/src/database/database.js'
import type { Sale } from './sales.js'

const readTotals = statement(
  'faults.totals',
  `select (select count(*) from payments where status = 'paid') as paid,
          (select count(distinct checkout_id) from payments where status = 'paid') as checkouts,
          (select count(*) from payments where status not in ('paid', 'pending')) as odd,
          (select count(*) from provider_events where type = 'checkout.paid') as paid_events,
          (select count(*) - count(distinct id) from provider_events) as repeated_events,
          (select count(distinct (series, number)) from receipts) as receipts,
          (select coalesce(sum(last), 0) from (select max(number) as last from receipts group by series) s)
            as highest_receipt,
          (select coalesce(sum(last_number), 0) from receipt_series) as drawn,
          (select coalesce(sum(run_months), 0) from users) as months`,
)
const readPaid = statement('faults.paid', `select checkout_id from payments where status = 'paid'`)

export interface Audit {
  readonly booked: number
  /** Answered 200 and not in the books. */
  readonly lost: number
  /** Bookings beyond one for each checkout, in whatever table they show. */
  readonly doubled: number
  /** Everything else that does not add up, in words. */
  readonly faults: readonly string[]
}

export async function audit(
  database: Queryable,
  mail: { readonly answered: ReadonlySet<Sale>; readonly posted: ReadonlySet<Sale> },
): Promise<Audit> {
  const [totals] = await database.query(readTotals)
  const paid = new Set((await database.query(readPaid)).map((row) => String(row.checkout_id)))
  const of = (name: string) => Number(totals?.[name])
  const posted = new Set([...mail.posted].map((sale) => sale.checkoutId))
  const booked = of('paid')
  const unequal = (what: string, count: number, expected: number) =>
    count === expected ? [] : [`${what}: ${count}, expected ${expected}`]
  return {
    booked,
    lost: [...mail.answered].filter((sale) => !paid.has(sale.checkoutId)).length,
    doubled:
      Math.max(0, booked - of('checkouts')) + Math.max(0, of('months') - booked) + of('repeated_events'),
    faults: [
      ...unequal('booked that nobody sent', [...paid].filter((id) => !posted.has(id)).length, 0),
      ...unequal('payments neither paid nor pending', of('odd'), 0),
      // The emulator adds its own: half an hour later it tells that the checkouts expired, which nobody paid there.
      ...unequal('events that said paid', of('paid_events'), booked),
      ...unequal('months sold', of('months'), booked),
      ...unequal('receipts', of('receipts'), booked),
      ...unequal('highest receipt number', of('highest_receipt'), booked),
      ...unequal('receipt numbers drawn', of('drawn'), booked),
    ],
  }
}
