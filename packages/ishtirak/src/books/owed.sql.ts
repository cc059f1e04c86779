// What is on the balances of users, as sums of their entries, and the entries of a month one by one.
import type { EntryKind } from '../core/balance.js'
import { type Queryable, statement } from '../database/database.js'
import { at, instant, integer, integerOrNull, rowOf, text, textOrNull, word } from '../database/rows.js'
import type { Clock } from '../runtime/clock.js'
import { sumUp } from './figures.js'
import type { ClosedSpan } from './figures.sql.js'

type Month = Pick<ClosedSpan, 'from' | 'to' | 'until'>

// An entry without a document, as an operator's correction is, counts in the month of its date.
// Uses the index users_renew.
const selectOwed = statement(
  'figures.owed',
  `select case when b.created_at < $1::timestamptz then 'before'
               else case when b.amount > 0 then 'in_' else 'out_' end || b.kind end as part,
          sum(b.amount)::bigint as amount
     from balance_entries b
     left join payments p on p.user_id = b.user_id and p.id = b.payment_id
      and b.kind not in ('returned', 'correction', 'paid_out')
     left join documents r on r.user_id = p.user_id and r.payment_id = p.id and r.place = p.receipt_place
    where b.created_at < $2::timestamptz
      and ($3::jsonb is null or r.number is null
           or r.number <= coalesce(($3::jsonb->>r.series)::int, 0))
    group by 1
    union all
   select 'unbooked', count(*) from users where renews_at < least($2::timestamptz, $4::timestamptz)`,
)

/**
 * Reads what is owed to users, in whole dinars: what came to their balances in a month, what was earned of
 * it, and what else left. The three agree, because they are sums of one chain of entries. An entry belongs to
 * the month of its date: a renewal to the month in which it was due, as its sale does, even if the job booked
 * it later. Null: nothing was on a balance by the end of the month.
 */
export async function readOwed(
  { database, clock }: { readonly database: Queryable; readonly clock: Clock },
  { from, to, until }: Month,
) {
  const values = [at(from), at(to), until && JSON.stringify(until), at(clock.now())]
  const rows = (await database.query(selectOwed, values)).map(readPart)
  // The row `unbooked` is always there.
  if (rows.length === 1) return null
  const sumOf = (...parts: readonly string[]) =>
    sumUp(rows.filter(({ part }) => parts.includes(part)).map(({ amount }) => amount))
  const owed_before = sumOf('before')
  const total = sumUp(rows.filter(({ part }) => part.startsWith('in_')).map(({ amount }) => amount))
  const [earned, corrected] = [-sumOf('out_purchase', 'out_renewal'), -sumOf('out_correction')]
  const paid_out = -sumOf('out_paid_out')
  return {
    owed_before,
    came_in: {
      top_ups: sumOf('in_top_up'),
      surplus: sumOf('in_surplus'),
      returned: sumOf('in_returned'),
      corrected: sumOf('in_correction'),
      total,
    },
    ...{ earned, corrected, paid_out, owed: owed_before + total - earned - corrected - paid_out },
    /** Users with a renewal that was due by the end of the month, or by now, and is not booked yet. */
    unbooked: sumOf('unbooked'),
  }
}

const readPart = rowOf({ part: text, amount: integer })

const readLine = rowOf({
  user_id: text,
  sequence: integer,
  kind: word<EntryKind>,
  /** Whole dinars, negative if the entry takes money off. */
  amount: integer,
  balance_after: integer,
  payment_id: textOrNull,
  /** The method and instrument of the payment, if there is one. */
  method: textOrNull,
  payment_method: textOrNull,
  series: textOrNull,
  number: integerOrNull,
  /** The name on the receipt. */
  name: textOrNull,
  note: textOrNull,
  created_at: instant,
})
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
  { from, to, until }: Month,
  after: Pick<LedgerLine, 'user_id' | 'sequence'> | null,
  limit: number,
): Promise<readonly LedgerLine[]> {
  const { user_id, sequence } = after ?? { user_id: '', sequence: 0 }
  const range = [user_id, sequence, at(from), at(to), limit, until && JSON.stringify(until)]
  return (await database.query(selectLines, range)).map(readLine)
}
