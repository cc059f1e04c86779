// Checks the database itself after a fault: everything that was answered 200 is there, nothing is there
// twice, and receipt numbers have no gap.
import { type Queryable, statement } from '../../packages/ishtirak/src/database/database.js'
import type { Sale } from './sales.js'

const readTotals = statement(
  'faults.totals',
  `select (select count(*) from payments where status = 'paid' and method <> 'balance') as paid,
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
          (select coalesce(sum(last_number), 0) from receipt_series) as drawn,
          (select coalesce(sum(run_months), 0) from users) as months`,
)
const readPaid = statement(
  'faults.paid',
  `select method_reference from payments where status = 'paid' and method <> 'balance'`,
)

const readReceipts = statement('faults.receipts', 'select series, number from receipts')

export interface Audit {
  readonly booked: number
  /** Answered 200 and not in the database. */
  readonly lost: number
  /** Bookings beyond one for each checkout, in any table. */
  readonly doubled: number
  /** Other inconsistencies, as text. */
  readonly faults: readonly string[]
}

/** Of the databases of one shop together. */
export async function audit(
  databases: readonly Queryable[],
  deliveries: { readonly answered: ReadonlySet<Sale>; readonly sent: ReadonlySet<Sale> },
): Promise<Audit> {
  const rows = async (read: typeof readTotals) =>
    (await Promise.all(databases.map((database) => database.query(read)))).flat()
  const totals = await rows(readTotals)
  const paid = new Set((await rows(readPaid)).map((row) => String(row.method_reference)))
  const { receipts, highest } = countReceipts(await rows(readReceipts))
  const of = (name: string) => totals.reduce((sum, row) => sum + Number(row[name]), 0)
  const sent = new Set([...deliveries.sent].map((sale) => sale.checkoutId))
  const booked = of('paid')
  const unequal = (what: string, count: number, expected: number) =>
    count === expected ? [] : [`${what}: ${count}, expected ${expected}`]
  return {
    booked,
    lost: [...deliveries.answered].filter((sale) => !paid.has(sale.checkoutId)).length,
    doubled:
      Math.max(0, booked - paid.size) +
      Math.max(0, of('months') - of('purchases')) +
      Math.max(0, of('renewals') - of('renewed_users')) +
      of('repeated_events'),
    faults: [
      ...unequal('booked but never sent', [...paid].filter((id) => !sent.has(id)).length, 0),
      ...unequal('payments neither paid nor pending', of('odd'), 0),
      // The emulator adds events of its own: after half an hour it reports the checkouts as expired, unpaid
      // as it knows them.
      ...unequal('events that said paid', of('paid_events'), booked),
      ...unequal('months sold', of('months'), of('purchases')),
      ...unequal('receipts', receipts, booked + of('renewals')),
      ...unequal('highest receipt number', highest, booked + of('renewals')),
      ...unequal('receipt numbers drawn', of('drawn'), booked + of('renewals')),
      ...unequal('dinars on balances', of('balances'), of('not_spent')),
      ...unequal('dinars in the ledgers', of('entries'), of('not_spent')),
    ],
  }
}

/** How many different ones there are, and how many the highest numbers of the series say. */
function countReceipts(rows: readonly Readonly<Record<string, unknown>>[]) {
  const highest = new Map<string, number>()
  for (const { series, number } of rows) {
    const name = String(series)
    highest.set(name, Math.max(highest.get(name) ?? 0, Number(number)))
  }
  return {
    receipts: new Set(rows.map(({ series, number }) => `${series} ${number}`)).size,
    highest: [...highest.values()].reduce((sum, last) => sum + last, 0),
  }
}
