// What is on the balances of users, as sums of their ledgers.
import type { EntryKind } from '../core/balance.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instant, integer, integerOrNull, rowOf, text, textOrNull, word } from '../database/rows.js'
import type { Counted, Span } from './figures.sql.js'

const parseEntered = rowOf({
  /** False: of all the time before the month. */
  isOfMonth: (row: Row) => row.is_of_month === true,
  kind: word<EntryKind>,
  /** How the payment of the entries was paid; null: they have none, or it is not known. */
  method: textOrNull,
  payment_method: textOrNull,
  count: integer,
  /** Whole dinars; below zero where they take. */
  amount: integer,
  lateCount: integer,
  lateAmount: integer,
  /** A sum of centimes. */
  stamp_duty: integer,
  fees: integer,
  fees_unknown: integer,
})
/** Entries of a kind, of one direction. */
export type Entered = ReturnType<typeof parseEntered>

// What an operator gave or took, and what a refund brought, has no document of its own.
const selectEntered = statement(
  'figures.entered',
  `select created_at >= $1::timestamptz as is_of_month, kind, method, payment_method, count(*) as count,
          sum(amount)::bigint as amount, count(*) filter (where is_late) as late_count,
          coalesce(sum(amount) filter (where is_late), 0)::bigint as late_amount,
          coalesce(sum(duty_centimes), 0)::bigint as stamp_duty,
          coalesce(sum(fee_centimes), 0)::bigint as fees,
          count(*) filter (where kind = 'top_up' and fee_centimes is null) as fees_unknown
     from (select b.created_at, b.kind, b.amount, p.method, p.instrument as payment_method,
                  date_trunc('month', r.issued_at at time zone $3)
                    > date_trunc('month', b.created_at at time zone $3) as is_late,
                  case when b.kind = 'top_up' then r.duty_centimes end as duty_centimes,
                  case when b.kind = 'top_up' then r.fee_centimes end as fee_centimes
             from balance_entries b
             left join payments p on p.user_id = b.user_id and p.id = b.payment_id
              and b.kind not in ('returned', 'correction', 'paid_out')
             left join documents r on r.user_id = p.user_id and r.payment_id = p.id
              and r.place = p.receipt_place
            where b.created_at < $2::timestamptz
              and ($4::jsonb is null or r.number is null
                   or r.number <= coalesce(($4::jsonb->>r.series)::int, 0))) e
    group by 1, 2, 3, 4, amount > 0`,
)

// Uses the index users_renew.
const countUnbooked = statement(
  'figures.unbooked',
  'select count(*) as users from users where renews_at < $1::timestamptz',
)

/** From the first entry on until the end of the month; `until`: of the closing. */
export async function enteredUntil(
  database: Queryable,
  { from, to, until }: Span & { readonly until: Counted | null },
  timeZone: string,
): Promise<readonly Entered[]> {
  const values = [at(from), at(to), timeZone, until && JSON.stringify(until)]
  return (await database.query(selectEntered, values)).map(parseEntered)
}

/** Users whose balance has bought something before that is not written down. */
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
  /** As it stands on the receipt. */
  name: textOrNull,
  note: textOrNull,
  created_at: instant,
})
/** An entry with the payment that it is of. */
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

/**
 * By user, each ledger in its order, after the given one; `until`: of the closing. A month's are found by
 * reading all once.
 */
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
