// What is on the balances of users, as sums of their ledgers.
import type { EntryKind } from '../core/balance.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instant, integer, integerOrNull, rowOf, text, textOrNull, word } from '../database/rows.js'
import type { Counted, Span } from './figures.sql.js'

const parseEntered = rowOf({
  /** False: the entries are older than the month. */
  isOfMonth: (row: Row) => row.is_of_month === true,
  kind: word<EntryKind>,
  /** Whole dinars; below zero where they take. */
  amount: integer,
})
/** The sum of the entries of a kind that add money, or of those that take some. */
export type Entered = ReturnType<typeof parseEntered>

// An entry without a document, as an operator's correction is, counts in the month of its date.
const selectEntered = statement(
  'figures.entered',
  `select b.created_at >= $1::timestamptz as is_of_month, b.kind, sum(b.amount)::bigint as amount
     from balance_entries b
     left join payments p on p.user_id = b.user_id and p.id = b.payment_id
      and b.kind not in ('returned', 'correction', 'paid_out')
     left join documents r on r.user_id = p.user_id and r.payment_id = p.id and r.place = p.receipt_place
    where b.created_at < $2::timestamptz
      and ($3::jsonb is null or r.number is null
           or r.number <= coalesce(($3::jsonb->>r.series)::int, 0))
    group by 1, 2, b.amount > 0`,
)

// Uses the index users_renew.
const countUnbooked = statement(
  'figures.unbooked',
  'select count(*) as users from users where renews_at < $1::timestamptz',
)

/** Sums of all entries up to the end of the month. */
export async function enteredUntil(
  database: Queryable,
  { from, to, until }: Span & { readonly until: Counted | null },
): Promise<readonly Entered[]> {
  const values = [at(from), at(to), until && JSON.stringify(until)]
  return (await database.query(selectEntered, values)).map(parseEntered)
}

/** Users with a renewal from the balance that was due before `end` and is not booked yet. */
export async function unbookedBefore(database: Queryable, end: Instant): Promise<number> {
  const [row = {}] = await database.query(countUnbooked, [at(end)])
  return integer(row, 'users')
}

const readLine = rowOf({
  user_id: text,
  sequence: integer,
  kind: word<EntryKind>,
  /** Whole dinars; below zero where it takes. */
  amount: integer,
  balance_after: integer,
  payment_id: textOrNull,
  /** Of the payment, where there is one. */
  method: textOrNull,
  payment_method: textOrNull,
  series: textOrNull,
  number: integerOrNull,
  /** The name on the receipt. */
  name: textOrNull,
  note: textOrNull,
  created_at: instant,
})
/** A balance entry with its payment. */
export type LedgerLine = ReturnType<typeof readLine>

const selectLines = statement(
  'figures.ledger_lines',
  `select b.user_id, b.sequence, b.kind, b.amount, b.balance_after, b.payment_id, p.method,
          p.instrument as payment_method, r.series, r.number, r.snapshot->'buyer'->>'name' as name, b.note,
          b.created_at
     from balance_entries b
     left join payments p on p.user_id = b.user_id and p.id = b.payment_id
     left join documents r on r.user_id = b.user_id
      and r.payment_id = b.payment_id and r.place = p.receipt_place
    where (b.user_id, b.sequence) > ($1, $2::int)
      and b.created_at >= $3::timestamptz and b.created_at < $4::timestamptz
      and ($6::jsonb is null or r.number is null or r.number <= coalesce(($6::jsonb->>r.series)::int, 0))
    order by b.user_id, b.sequence limit $5::int`,
)

/** Sorted by user and sequence, after the given entry. Reads the whole table: few months are exported. */
export async function ledgerLines(
  database: Queryable,
  { from, to, until }: Span & { readonly until: Counted | null },
  after: Pick<LedgerLine, 'user_id' | 'sequence'> | null,
  limit: number,
): Promise<readonly LedgerLine[]> {
  const { user_id, sequence } = after ?? { user_id: '', sequence: 0 }
  const rows = await database.query(selectLines, [
    ...[user_id, sequence, at(from), at(to), limit],
    until && JSON.stringify(until),
  ])
  return rows.map(readLine)
}
