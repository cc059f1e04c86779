// The query that finds which line of a bank statement paid which payment.
import type { Instant } from '../core/instant.js'
import { type Database, statement } from '../database/database.js'
import { at } from '../database/rows.js'
import { withStatementsLocked } from './bank-statements.sql.js'

const FACTS = `select t.payment_id, t.state, t.approvals->-1->>'by' as approved_by, p.status, p.amount
             from transfers t join payments p on p.user_id = t.user_id and p.id = t.payment_id`

// A line pays the payment that an operator chose for it, or the one that was approved by hand and that the
// line alone names. The update takes the state from `paid`: with a constant the planner underestimates the
// rows of a new file that has no statistics yet, and compares each line with all.
const settle = statement(
  'bank_matches.settle',
  `with by_hand as (
     select min(l.id) as line_id, k.payment_id, max(k.approved_by) as approved_by
       from bank_lines l
      cross join lateral (${FACTS} where t.reference = l.refs[1]) k
      where l.state = 'open' and l.payment_id is null and cardinality(l.refs) = 1
        and k.status in ('paid', 'refunded') and k.state = 'approved'
        and k.amount::bigint * 100 = l.amount_centimes
        and not exists (select from bank_lines o where o.payment_id = k.payment_id)
      group by k.payment_id
   ), paid as materialized (
     select line_id, 'open' as was, payment_id, approved_by from by_hand
     union all
     select l.id, l.state, l.payment_id, k.approved_by
       from bank_lines l
      cross join lateral (${FACTS} where p.id = l.payment_id) k
      where l.state = 'open' and l.payment_id is not null and k.status in ('paid', 'refunded')
   )
   update bank_lines l
      set state = 'approved', payment_id = p.payment_id, decided_at = $1::timestamptz,
          decided_by = p.approved_by
     from paid p
    where l.id = p.line_id and l.state = p.was and (l.payment_id is null or l.payment_id = p.payment_id)
   returning l.id`,
)

/** Approves the lines whose payment is booked, also if an operator approved it by hand. */
export async function settleLines(database: Database, now: Instant): Promise<number> {
  return withStatementsLocked(database, async (held) => (await held.query(settle, [at(now)])).length)
}
