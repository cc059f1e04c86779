// What lines of bank statements are compared with, and which line paid which payment.
import type { PayableTransfer } from '../core/bank-match.js'
import type { Instant } from '../core/instant.js'
import type { Approval } from '../core/transfer.js'
import { type Queryable, statement } from '../database/database.js'
import { at, instant, integer, json, rowOf, text, textOrNull, word } from '../database/rows.js'

const PAYABLE = `t.payment_id, t.user_id, u.name, t.reference,
          coalesce(p.amount_asked, p.amount) as amount_asked, p.created_at, p.status, t.state, t.approvals,
          (select l.id from bank_lines l where l.payment_ids @> array[t.payment_id]) as line_id`
const FROM = `from transfers t
          join payments p on p.user_id = t.user_id and p.id = t.payment_id
          join users u on u.user_id = t.user_id`

// Uses the indexes payments_transfers_open and payments_transfers_expired.
const selectPayable = statement(
  'bank_matches.transfers',
  `select ${PAYABLE} ${FROM}
    where p.method = 'transfer' and p.status = 'pending' and t.state = 'open'
    union all
   select ${PAYABLE} ${FROM}
    where p.method = 'transfer' and p.status = 'expired' and p.created_at > $2::timestamptz
      and t.state = 'open'
    union all
   select ${PAYABLE} ${FROM}
    where t.reference = any($1::text[])
      and not (t.state = 'open' and (p.status = 'pending'
               or (p.status = 'expired' and p.created_at > $2::timestamptz)))`,
)

const parsePayable = rowOf({
  paymentId: text,
  userId: text,
  name: textOrNull,
  reference: text,
  amountAsked: integer,
  createdAt: instant,
  status: text,
  state: word<'open' | 'ended' | 'approved' | 'refused'>,
  approvals: json<readonly Approval[]>,
  lineId: textOrNull,
})

/** Those that are waited for, also past their end, and those of `references` whatever became of them. */
export async function payableTransfers(
  database: Queryable,
  of: { readonly references: readonly string[]; readonly orderedSince: Instant; dayOf(at: Instant): string },
): Promise<readonly PayableTransfer[]> {
  const rows = await database.query(selectPayable, [of.references, at(of.orderedSince)])
  return rows.map(parsePayable).map(({ createdAt, status, state, approvals, ...transfer }) => ({
    ...transfer,
    orderedOn: of.dayOf(createdAt),
    state: stateOf(status, state),
    approvedBy: state === 'open' ? approvals.map(({ by }) => by) : [],
  }))
}

function stateOf(status: string, state: string): PayableTransfer['state'] {
  if (state === 'approved' || status === 'paid' || status === 'refunded') return 'booked'
  return state === 'open' && ['pending', 'expired'].includes(status) ? 'waiting' : 'given_up'
}

// Not by a join, which before the first statistics compares each line with each reference.
const countReferences = statement(
  'bank_matches.references',
  `select ref as reference, count(*) as lines
     from bank_lines l
    cross join unnest(l.refs) ref
    where l.state = 'open'
    group by ref
   having ref in (select unnest($1::text[]))`,
)
const parseCount = rowOf({ reference: text, lines: integer })

/** In how many lines that are not decided each stands. */
export async function linesByReference(
  database: Queryable,
  references: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query(countReferences, [references])
  return new Map(rows.map(parseCount).map(({ reference, lines }) => [reference, lines]))
}

// A line that names a transfer which still waits has money left for it.
const settle = statement(
  'bank_matches.settle',
  `with by_hand as (
     select min(l.id) as line_id, p.id as payment_id, max(t.approvals->-1->>'by') as approved_by
       from bank_lines l
       join transfers t on t.reference = l.refs[1]
       join payments p on p.user_id = t.user_id and p.id = t.payment_id
      where l.state = 'open' and l.payment_ids = '{}' and cardinality(l.refs) = 1
        and p.status in ('paid', 'refunded') and t.state = 'approved'
        and p.amount::bigint * 100 = l.amount_centimes
        and not exists (select from bank_lines o where o.payment_ids @> array[p.id])
      group by p.id
   ), paid as (
     select line_id, '{}'::text[] as said, array[payment_id] as payment_ids, approved_by from by_hand
     union all
     select l.id, l.payment_ids, l.payment_ids, max(t.approvals->-1->>'by')
       from bank_lines l
      cross join unnest(l.payment_ids) one (payment_id)
       join payments p on p.id = one.payment_id
       join transfers t on t.user_id = p.user_id and t.payment_id = p.id
      where l.state = 'open' and l.payment_ids <> '{}'
      group by l.id
     having bool_and(p.status in ('paid', 'refunded'))
        and (sum(p.amount) * 100 >= l.amount_centimes
             or not exists (select from transfers o where o.reference = any(l.refs) and o.state = 'open'
                               and not l.payment_ids @> array[o.payment_id]))
   )
   update bank_lines l
      set state = 'approved', payment_ids = p.payment_ids, decided_at = $1::timestamptz,
          decided_by = p.approved_by
     from paid p where l.id = p.line_id and l.state = 'open' and l.payment_ids = p.said
   returning l.id`,
)

/** Lines whose payments are all booked are approved, also those that were booked by hand. */
export async function settleLines(database: Queryable, now: Instant): Promise<number> {
  return (await database.query(settle, [at(now)])).length
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

// Each account was looked at from the order to `days` after it, and no line names the transfer.
const selectAwaited = statement(
  'bank_matches.awaited',
  `select p.id as payment_id, p.user_id, u.name, t.reference, coalesce(p.amount_asked, p.amount) as amount,
          p.created_at
     from payments p
     join transfers t on t.user_id = p.user_id and t.payment_id = p.id and t.state = 'open'
     join users u on u.user_id = p.user_id
    where p.method = 'transfer' and p.status = 'pending' and p.created_at < $1::timestamptz
      and (select count(*) from (
             select s.account from bank_statements s where s.account = any($2::text[])
              group by s.account
             having min(s.first_day) <= (p.created_at at time zone $3)::date
                and max(s.last_day) >= (p.created_at at time zone $3)::date + $4::int
           ) looked_at) = cardinality($2::text[])
      and not exists (select from bank_lines l where l.payment_ids @> array[p.id])
      and t.reference not in (select ref from bank_lines l, unnest(l.refs) ref where l.state = 'open')
    order by p.created_at, p.id limit 100`,
)

export function awaitedTransfers(
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
