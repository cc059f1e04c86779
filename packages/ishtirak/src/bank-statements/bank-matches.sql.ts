// Queries that say which line of a bank statement paid which payment.

import type { Instant } from '../core/instant.js'
import { type Database, type Queryable, statement } from '../database/database.js'
import { at, rowOf, text } from '../database/rows.js'
import type { PayableTransfer } from './bank-match.js'
import { alone } from './bank-statements.sql.js'

const FACTS = `select t.payment_id, t.state, t.approvals->-1->>'by' as approved_by, p.status, p.amount
             from transfers t join payments p on p.user_id = t.user_id and p.id = t.payment_id`

// `by_hand`: open lines whose transfer an operator approved without naming the line. `paid`: these, and lines
// whose payments are all booked and that leave no money for another transfer they name. Each line reads the
// facts of its own transfers. The update takes the state from `paid`: with a constant the planner
// underestimates the rows of a new file that has no statistics yet, and compares each line with all.
const settle = statement(
  'bank_matches.settle',
  `with by_hand as (
     select min(l.id) as line_id, k.payment_id, max(k.approved_by) as approved_by
       from bank_lines l
      cross join lateral (${FACTS} where t.reference = l.refs[1]) k
      where l.state = 'open' and l.payment_ids = '{}' and cardinality(l.refs) = 1
        and k.status in ('paid', 'refunded') and k.state = 'approved'
        and k.amount::bigint * 100 = l.amount_centimes
        and not exists (select from bank_lines o where o.payment_ids @> array[k.payment_id])
      group by k.payment_id
   ), paid as materialized (
     select line_id, 'open' as was, '{}'::text[] as said, array[payment_id] as payment_ids, approved_by
       from by_hand
     union all
     select l.id, l.state, l.payment_ids, l.payment_ids, max(k.approved_by)
       from bank_lines l
      cross join unnest(l.payment_ids) one (payment_id)
      cross join lateral (${FACTS} where p.id = one.payment_id) k
      where l.state = 'open' and l.payment_ids <> '{}'
      group by l.id
     having count(*) = cardinality(l.payment_ids) and bool_and(k.status in ('paid', 'refunded'))
        and (sum(k.amount) * 100 >= l.amount_centimes
             or not exists (select from unnest(l.refs) named (reference)
                              cross join lateral (${FACTS} where t.reference = named.reference) k
                             where k.state = 'open' and not l.payment_ids @> array[k.payment_id]))
   )
   update bank_lines l
      set state = 'approved', payment_ids = p.payment_ids, decided_at = $1::timestamptz,
          decided_by = p.approved_by
     from paid p where l.id = p.line_id and l.state = p.was and l.payment_ids = p.said
   returning l.id`,
)

/** Approves the lines whose payments are all booked, also those that an operator approved by hand. */
export async function settleLines(database: Database, now: Instant): Promise<number> {
  return alone(database, async (held) => (await held.query(settle, [at(now)])).length)
}

const selectOutcomes = statement(
  'bank_matches.outcomes',
  `select p.id as payment_id, p.status from payments p
     join unnest($1::text[], $2::text[]) one (user_id, payment_id)
       on one.user_id = p.user_id and one.payment_id = p.id`,
)
const parseOutcome = rowOf({ paymentId: text, status: text })

/** The status of each payment. */
export async function outcomesOf(
  database: Queryable,
  transfers: readonly Pick<PayableTransfer, 'userId' | 'paymentId'>[],
): Promise<ReadonlyMap<string, string>> {
  const key = [transfers.map(({ userId }) => userId), transfers.map(({ paymentId }) => paymentId)]
  const rows = await database.query(selectOutcomes, key)
  return new Map(rows.map(parseOutcome).map(({ paymentId, status }) => [paymentId, status]))
}

// Open transfers whose money should have come: the statements of each account reach from the day of the order
// to `days` after it, and no line pays or names the transfer.
const selectAwaited = statement(
  'bank_matches.awaited',
  `with overdue as not materialized (
     select p.id as payment_id, p.user_id, u.name, t.reference,
            coalesce(p.amount_asked, p.amount) as amount, p.created_at
       from payments p
       join transfers t on t.user_id = p.user_id and t.payment_id = p.id and t.state = 'open'
       join users u on u.user_id = p.user_id
      where p.method = 'transfer' and p.status = 'pending' and p.created_at < $1::timestamptz
   )
   select o.*
     from overdue o
    where (select count(*) from (
             select s.account from bank_statements s where s.account = any($2::text[])
              group by s.account
             having min(s.first_day) <= (o.created_at at time zone $3)::date
                and max(s.last_day) >= (o.created_at at time zone $3)::date + $4::int
           ) looked_at) = cardinality($2::text[])
      and not exists (select from bank_lines l where l.payment_ids @> array[o.payment_id])
      and o.reference not in (select ref from bank_lines l, unnest(l.refs) ref
                               where l.state = 'open' and l.refs <> '{}')
    order by o.created_at, o.payment_id limit 100`,
)

export async function awaitedTransfers(
  database: Queryable,
  of: {
    readonly orderedBefore: Instant
    readonly accounts: readonly string[]
    readonly timeZone: string
    readonly days: number
  },
) {
  return database.query(selectAwaited, [at(of.orderedBefore), of.accounts, of.timeZone, of.days])
}
