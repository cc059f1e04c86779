// The entries of users' balances as rows. The query of the act that makes an entry writes it.
import type { EntryKind } from '../core/balance.js'
import { type Queryable, statement } from '../database/database.js'
import { columnsOf, instant, integer, rowOf, text, textOrNull, word, writerOf } from '../database/rows.js'

const parseEntry = rowOf({
  sequence: integer,
  id: text,
  kind: word<EntryKind>,
  amount: integer,
  balanceBefore: integer,
  balanceAfter: integer,
  paymentId: textOrNull,
  note: textOrNull,
  createdAt: instant,
})
export type BalanceEntry = ReturnType<typeof parseEntry>

export const entryToColumns = writerOf(parseEntry)

const sumGiven = statement(
  'balance.given_by',
  `select coalesce(sum(amount), 0)::int as given from balance_entries
    where user_id = $1 and payment_id = $2 and kind in ('top_up', 'surplus')`,
)

/** The part of a payment that went to its user's balance, in whole dinars. */
export async function givenToBalance(
  database: Queryable,
  { userId, id }: { readonly userId: string; readonly id: string },
): Promise<number> {
  const [row] = await database.query(sumGiven, [userId, id])
  return row ? integer(row, 'given') : 0
}

const selectPage = statement(
  'balance.entries',
  `select ${columnsOf(parseEntry, 'b')} from balance_entries b
    where b.user_id = $1 and b.sequence < coalesce($2::bigint, 2147483648)
    order by b.sequence desc limit $3::int`,
)

/** Newest first, before this place in the ledger; null: from the newest on. */
export async function entriesOfUser(
  database: Queryable,
  userId: string,
  page: { readonly before: number | null; readonly limit: number },
): Promise<readonly BalanceEntry[]> {
  const { before, limit } = page
  return (await database.query(selectPage, [userId, before, limit])).map(parseEntry)
}
