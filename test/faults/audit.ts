// Everything that was answered 200 is there, nothing is there twice, and receipt numbers have no gap.
import { type Queryable, statement } from '../../packages/ishtirak/src/database/database.js'
import type { Sale } from './sales.js'

const readTotals = statement(
  'faults.totals',
  `select (select count(*) from payments where status = 'paid' and method <> 'balance') as paid,
          (select count(distinct method_reference) from payments
            where status = 'paid' and method <> 'balance') as checkouts,
          (select count(*) from payments where status not in ('paid', 'pending')) as odd,
          (select count(*) from payments where status = 'paid' and kind = 'purchase') as purchases,
          (select count(*) from payments where status = 'paid' and method = 'balance') as renewals,
          (select count(distinct user_id) from payments where status = 'paid' and method = 'balance')
            as renewed_users,
          (select coalesce(sum(amount), 0) from payments where status = 'paid' and kind = 'top_up')
            - (select coalesce(sum(amount), 0) from payments where status = 'paid' and method = 'balance')
            as not_spent,
          (select coalesce(sum(balance), 0) from users) as balances,
          (select coalesce(sum(amount), 0) from balance_entries) as entries,
          (select count(*) from provider_events where type = 'checkout.paid') as paid_events,
          (select count(*) - count(distinct id) from (
            select id from provider_events union all select id from unmatched_events) e) as repeated_events,
          (select count(distinct (series, number)) from documents) as receipts,
          (select coalesce(sum(last), 0) from (select max(number) as last from documents group by series) s)
            as highest_receipt,
          (select coalesce(sum(last_number), 0) from document_series) as drawn,
          (select coalesce(sum(run_months), 0) from users) as months`,
)
const readPaid = statement(
  'faults.paid',
  `select method_reference from payments where status = 'paid' and method <> 'balance'`,
)

export interface Audit {
  readonly booked: number
  readonly lost: number
  /** Bookings beyond one for each checkout, in any table. */
  readonly doubled: number
  readonly faults: readonly string[]
}

export async function audit(
  database: Queryable,
  deliveries: { readonly answered: ReadonlySet<Sale>; readonly sent: ReadonlySet<Sale> },
): Promise<Audit> {
  const [totals] = await database.query(readTotals)
  const paid = new Set((await database.query(readPaid)).map((row) => String(row.method_reference)))
  const of = (name: string) => Number(totals?.[name])
  const sent = new Set([...deliveries.sent].map((sale) => sale.checkoutId))
  const booked = of('paid')
  const unequal = (what: string, count: number, expected: number) =>
    count === expected ? [] : [`${what}: ${count}, expected ${expected}`]
  return {
    booked,
    lost: [...deliveries.answered].filter((sale) => !paid.has(sale.checkoutId)).length,
    doubled:
      Math.max(0, booked - of('checkouts')) +
      Math.max(0, of('months') - of('purchases')) +
      Math.max(0, of('renewals') - of('renewed_users')) +
      of('repeated_events'),
    faults: [
      ...unequal('booked but never sent', [...paid].filter((id) => !sent.has(id)).length, 0),
      ...unequal('payments neither paid nor pending', of('odd'), 0),
      // After half an hour the emulator reports the checkouts as expired, unpaid as it knows them.
      ...unequal('events that said paid', of('paid_events'), booked),
      ...unequal('months sold', of('months'), of('purchases')),
      ...unequal('receipts', of('receipts'), booked + of('renewals')),
      ...unequal('highest receipt number', of('highest_receipt'), booked + of('renewals')),
      ...unequal('receipt numbers drawn', of('drawn'), booked + of('renewals')),
      ...unequal('dinars on balances', of('balances'), of('not_spent')),
      ...unequal('dinars in the ledgers', of('entries'), of('not_spent')),
    ],
  }
}
