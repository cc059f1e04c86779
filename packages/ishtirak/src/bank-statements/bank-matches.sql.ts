// Queries that match lines of bank statements with transfers: the transfers that lines may be for, what is
// known of the references in their texts, and which line paid which payment.
import type { Instant } from '../core/instant.js'
import { type Database, type Queryable, statement } from '../database/database.js'
import { at, instant, integer, json, rowOf, text, textOrNull, word } from '../database/rows.js'
import type { MatchFacts, PayableTransfer } from './bank-match.js'
import { withStatementsLocked } from './bank-statements.sql.js'

const PAYABLE = `t.payment_id, t.user_id, u.name, t.reference,
          coalesce(p.amount_asked, p.amount) as amount, p.created_at as ordered_at,
          case when t.state = 'approved' or p.status in ('paid', 'refunded') then 'booked'
               when t.state = 'open' and p.status in ('pending', 'expired') then 'waiting'
               else 'given_up' end as state,
          case when t.state = 'open' then jsonb_path_query_array(t.approvals, '$[*].by')
               else '[]' end as approved_by,
          (select l.id from bank_lines l where l.payment_id = t.payment_id) as line_id
     from transfers t
     join payments p on p.user_id = t.user_id and p.id = t.payment_id
     join users u on u.user_id = t.user_id`

// Uses the indexes payments_transfers_open, payments_transfers_expired and transfers_by_reference.
const selectPayable = statement(
  'bank_references.payable',
  `select ${PAYABLE}
    where p.method = 'transfer' and p.status = 'pending' and t.state = 'open'
    union all
   select ${PAYABLE}
    where p.method = 'transfer' and p.status = 'expired' and p.created_at > $1::timestamptz
      and t.state = 'open'
    union all
   select ${PAYABLE} where t.reference = any($2::text[])`,
)

const parsePayable = rowOf({
  payment_id: text,
  user_id: text,
  name: textOrNull,
  reference: text,
  amount: integer,
  ordered_at: instant,
  state: word<PayableTransfer['state']>,
  approved_by: json<readonly string[]>,
  line_id: textOrNull,
})

/**
 * Transfers that are waited for, also past their end if they were ordered since then; and the transfers of
 * `references`, whatever became of them. One may come twice.
 */
export async function payableTransfers(
  database: Queryable,
  of: {
    readonly orderedSince: Instant
    readonly references: readonly string[]
    readonly dayOf: (at: Instant) => string
  },
): Promise<readonly PayableTransfer[]> {
  const rows = await database.query(selectPayable, [at(of.orderedSince), of.references])
  return rows.map(parsePayable).map((row) => ({ ...row, ordered_on: of.dayOf(row.ordered_at) }))
}

// Uses the index bank_lines_named.
const selectKnown = statement(
  'bank_references.lines',
  `select ref as reference, count(*) filter (where l.state = 'open') as lines,
          max(l.day) filter (where l.amount_centimes < 0)::text as returned_on
     from bank_lines l
    cross join unnest(l.refs) ref
    where l.refs <> '{}' and l.refs && $1::text[] and l.state in ('open', 'returned', 'set_aside')
    group by ref`,
)
const parseKnown = rowOf({ reference: text, lines: integer, returnedOn: textOrNull })

/**
 * Counts the open lines that name each reference, and finds the last day on which money went out under it.
 */
export async function linesNaming(
  database: Queryable,
  references: readonly string[],
): Promise<Pick<MatchFacts, 'linesOf' | 'returnedOn'>> {
  const rows = references.length === 0 ? [] : await database.query(selectKnown, [references])
  const known = rows.map(parseKnown)
  return {
    linesOf: new Map(known.map(({ reference, lines }) => [reference, lines])),
    returnedOn: new Map(known.map(({ reference, returnedOn }) => [reference, returnedOn ?? ''])),
  }
}

const selectReferences = statement(
  'bank_references.known',
  'select reference from transfers where reference = any($1::text[])',
)

/** Returns those of `references` that belong to a transfer. */
export async function knownReferences(
  database: Queryable,
  references: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set((await database.query(selectReferences, [references])).map((row) => text(row, 'reference')))
}

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
