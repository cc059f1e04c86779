// What the provider of cards paid out in months, by the bank statements.
import { type Queryable, statement } from '../database/database.js'
import { integer, text } from '../database/rows.js'

// Uses the index bank_lines_decided.
const selectPaidOut = statement(
  'figures.paid_out',
  `select to_char(day, 'YYYY-MM') as month, count(*)::int as count, sum(amount_centimes)::int8 as amount
     from bank_lines where state = 'payout' and day between $1::date and $2::date group by 1`,
)

/** From the first day to the last, both included; in centimes. Months without a payout are left out. */
export async function paidOutByMonth(
  database: Queryable,
  { first, last }: { readonly first: string; readonly last: string },
) {
  const rows = await database.query(selectPaidOut, [first, last])
  return rows.map((row) => ({
    ...{ month: text(row, 'month'), count: integer(row, 'count'), amount: integer(row, 'amount') },
  }))
}
