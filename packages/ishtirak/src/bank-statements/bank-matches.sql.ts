// The transfers that lines of bank statements may be for, and what is known of the references in their texts.
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, instant, integer, json, rowOf, text, textOrNull, word } from '../database/rows.js'

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
  /** `waiting`: also past its end. `given_up`: ended or refused; money counts still. */
  state: word<'waiting' | 'given_up' | 'booked'>,
  approved_by: json<readonly string[]>,
  /** The line that was said to pay it. */
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
) {
  const rows = await database.query(selectPayable, [at(of.orderedSince), of.references])
  return rows
    .map(parsePayable)
    .map(({ ordered_at, ...row }) => ({ ...row, ordered_on: of.dayOf(ordered_at) }))
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

export async function linesNaming(database: Queryable, references: readonly string[]) {
  const rows = references.length === 0 ? [] : await database.query(selectKnown, [references])
  const known = rows.map(parseKnown)
  return {
    /** The number of open lines that name a reference. */
    linesOf: new Map(known.map(({ reference, lines }) => [reference, lines])),
    /** The last day (`YYYY-MM-DD`) on which money went out under a reference. */
    returnedOn: new Map(known.map(({ reference, returnedOn }) => [reference, returnedOn ?? ''])),
  }
}

const selectReferences = statement(
  'bank_references.known',
  'select reference from transfers where reference = any($1::text[])',
)

export async function knownReferences(database: Queryable, references: readonly string[]) {
  return new Set((await database.query(selectReferences, [references])).map((row) => text(row, 'reference')))
}
