// What lines of bank statements are compared with, and which line paid which payment. Lines are the first
// cell's; what they pay is of all cells, so there it is read first and handed to the statements.
import { askCellOf, type ClaimDeps } from '../acts/claim-once.js'
import { groupBy, type PayableTransfer } from '../core/bank-match.js'
import { BillingError } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import type { Approval, PayingLine } from '../core/transfer.js'
import { type Database, type Queryable, type Row, statement } from '../database/database.js'
import { at, flag, instant, integer, json, rowOf, text, textOrNull, word } from '../database/rows.js'
import { ofAllCells, readWholeShop } from '../database/whole-shop.js'
import { alone } from './bank-statements.sql.js'

interface OfCells extends Pick<ClaimDeps, 'cells'> {
  readonly database: Database
}

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
  {},
)

const selectPaying = statement(
  'bank_matches.paying',
  `select l.id as line_id, one.payment_id
     from bank_lines l cross join unnest(l.payment_ids) one (payment_id)
    where l.payment_ids && $1::text[]`,
)
const parsePaying = rowOf({ lineId: text, paymentId: text })

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
  of: {
    readonly references: readonly string[]
    readonly orderedSince: Instant
    /** The cell that has a transfer does not know its line. */
    readonly isOfCells: boolean
    dayOf(at: Instant): string
  },
): Promise<readonly PayableTransfer[]> {
  const rows = await database.query(selectPayable, [of.references, at(of.orderedSince)])
  const found = rows.map(parsePayable)
  const lineOf = of.isOfCells ? await linesPaying(database, found) : null
  return found.map(({ createdAt, status, state, approvals, ...transfer }) => ({
    ...transfer,
    lineId: lineOf ? (lineOf.get(transfer.paymentId) ?? null) : transfer.lineId,
    orderedOn: of.dayOf(createdAt),
    state: stateOf(status, state),
    approvedBy: state === 'open' ? approvals.map(({ by }) => by) : [],
  }))
}

/** The line that says it pays it, by the payment. */
export async function linesPaying(
  database: Queryable,
  transfers: readonly Pick<PayableTransfer, 'paymentId'>[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.query(selectPaying, [transfers.map(({ paymentId }) => paymentId)])
  return new Map(rows.map(parsePaying).map(({ paymentId, lineId }) => [paymentId, lineId]))
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

const FACTS = `t.payment_id, t.reference, t.state, t.approvals->-1->>'by' as approved_by, p.status, p.amount`
const OF_PAYMENT = 'from transfers t join payments p on p.user_id = t.user_id and p.id = t.payment_id'

interface Facts {
  readonly ofReference: (reference: string) => string
  readonly ofPayment: (id: string) => string
}

// A line that names a transfer which still waits has money left for it. Each line reads the facts of its
// own, and the update takes the state from `paid`: as a constant it seems to leave few lines where a new
// file has no statistics yet, and each is compared with all.
const settling = (name: string, { ofReference, ofPayment }: Facts) =>
  statement(
    name,
    `with by_hand as (
     select min(l.id) as line_id, k.payment_id, max(k.approved_by) as approved_by
       from bank_lines l
      cross join lateral ${ofReference('l.refs[1]')}
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
      cross join lateral ${ofPayment('one.payment_id')}
      where l.state = 'open' and l.payment_ids <> '{}'
      group by l.id
     having count(*) = cardinality(l.payment_ids) and bool_and(k.status in ('paid', 'refunded'))
        and (sum(k.amount) * 100 >= l.amount_centimes
             or not exists (select from unnest(l.refs) named (reference)
                              cross join lateral ${ofReference('named.reference')}
                             where k.state = 'open' and not l.payment_ids @> array[k.payment_id]))
   )
   update bank_lines l
      set state = 'approved', payment_ids = p.payment_ids, decided_at = $1::timestamptz,
          decided_by = p.approved_by
     from paid p where l.id = p.line_id and l.state = p.was and l.payment_ids = p.said
   returning l.id`,
  )
const settle = settling('bank_matches.settle', {
  ofReference: (reference) => `(select ${FACTS} ${OF_PAYMENT} where t.reference = ${reference}) k`,
  ofPayment: (id) => `(select ${FACTS} ${OF_PAYMENT} where p.id = ${id}) k`,
})
const RECORD = 'k (payment_id text, reference text, state text, approved_by text, status text, amount int)'
const settleGiven = settling('bank_matches.settle_given', {
  ofReference: (reference) => `jsonb_to_recordset($2::jsonb -> ${reference}) ${RECORD}`,
  ofPayment: (id) => `jsonb_to_recordset($3::jsonb -> ${id}) ${RECORD}`,
})

const selectNamed = statement(
  'bank_matches.named',
  `select array(select distinct ref from bank_lines l, unnest(l.refs) ref where l.state = 'open') as refs,
          array(select distinct paid from bank_lines l, unnest(l.payment_ids) paid where l.state = 'open')
            as paid`,
)
const parseNamed = rowOf({ refs: json<readonly string[]>, paid: json<readonly string[]> })

const selectFacts = statement(
  'bank_matches.facts',
  `select ${FACTS} ${OF_PAYMENT} where t.reference = any($1::text[])
    union
   select ${FACTS} from unnest($2::text[]) one (payment_id) join payments p on p.id = one.payment_id
     join transfers t on t.user_id = p.user_id and t.payment_id = p.id`,
  {},
)

/**
 * Lines whose payments are all booked are approved, also those that were booked by hand; none where a cell
 * does not answer.
 */
export async function settleLines(deps: OfCells, now: Instant): Promise<number> {
  const { database, cells } = deps
  if (!cells) return alone(database, async (held) => (await held.query(settle, [at(now)])).length)
  const [row = {}] = await database.query(selectNamed)
  const { refs, paid } = parseNamed(row)
  const facts = await readWholeShop({ isWhole: true }, () => database.query(selectFacts, [refs, paid])).catch(
    (error: unknown) => {
      if (error instanceof BillingError && error.extra.cell !== undefined) return null
      throw error
    },
  )
  return facts ? settleBy(database, facts, now) : 0
}

/** By the rows of `bank_matches.facts` of all cells. One that has just moved may be in those of two. */
export async function settleBy(database: Database, rows: readonly Row[], now: Instant): Promise<number> {
  const facts = [...new Map(rows.map((row) => [row.payment_id, row])).values()]
  const by = (key: 'reference' | 'payment_id') =>
    JSON.stringify(Object.fromEntries(groupBy(facts, (fact) => [String(fact[key])])))
  const asked = [at(now), by('reference'), by('payment_id')]
  return alone(database, async (held) => (await held.query(settleGiven, asked)).length)
}

const selectOutcomes = statement(
  'bank_matches.outcomes',
  `select p.id as payment_id, p.status from payments p
     join unnest($1::text[], $2::text[]) one (user_id, payment_id)
       on one.user_id = p.user_id and one.payment_id = p.id`,
  {},
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

const WAITS = `p.method = 'transfer' and p.status = 'pending'`
const OVERDUE = `select p.id as payment_id, p.user_id, u.name, t.reference,
          coalesce(p.amount_asked, p.amount) as amount, p.created_at
     from payments p
     join transfers t on t.user_id = p.user_id and t.payment_id = p.id and t.state = 'open'
     join users u on u.user_id = p.user_id
    where ${WAITS} and p.created_at < $1::timestamptz`

// Each account was looked at from the order to `days` after it, and no line names the transfer.
const awaiting = (name: string, overdue: string) =>
  statement(
    name,
    `with overdue as not materialized (${overdue})
   select o.*
     from overdue o
    where (select count(*) from (
             select s.account from bank_statements s where s.account = any($2::text[])
              group by s.account
             having min(s.first_day) <= (o.created_at at time zone $3)::date
                and max(s.last_day) >= (o.created_at at time zone $3)::date + $4::int
           ) looked_at) = cardinality($2::text[])
      and not exists (select from bank_lines l where l.payment_ids @> array[o.payment_id])
      and o.reference not in (select ref from bank_lines l, unnest(l.refs) ref where l.state = 'open')
    order by o.created_at, o.payment_id limit 100`,
  )
const selectAwaited = awaiting('bank_matches.awaited', OVERDUE)
const selectAwaitedGiven = awaiting(
  'bank_matches.awaited_given',
  `select o.payment_id, o.user_id, o.name, o.reference, o.amount,
          to_timestamp(o.created_at / 1000.0) as created_at
     from jsonb_to_recordset($5::jsonb) o (payment_id text, user_id text, name text, reference text,
                 amount int, created_at bigint)
    where to_timestamp(o.created_at / 1000.0) < $1::timestamptz`,
)
const selectOverdue = statement('bank_matches.overdue', OVERDUE, {})

export async function awaitedTransfers(
  { database, cells }: OfCells,
  of: {
    readonly orderedBefore: Instant
    readonly accounts: readonly string[]
    readonly timeZone: string
    readonly days: number
  },
) {
  const given = [at(of.orderedBefore), of.accounts, of.timeZone, of.days]
  if (!cells) return database.query(selectAwaited, given)
  const overdue = await ofAllCells(() => database.query(selectOverdue, [at(of.orderedBefore)]))
  return database.query(selectAwaitedGiven, [...given, JSON.stringify(overdue)])
}

const selectUsed = statement(
  'bank_matches.is_used',
  `select p.status in ('paid', 'refunded') or (t.state <> 'refused' and t.approvals <> '[]') as is_used
     ${OF_PAYMENT} where t.user_id = $1 and t.payment_id = $2`,
  {},
)
const parseUsed = rowOf({ isUsed: flag })

/** Whether an operator has said of the transfer, in whichever cell, that its money came. */
export async function isApproved(
  deps: ClaimDeps,
  { userId, paymentId }: Pick<PayableTransfer, 'userId' | 'paymentId'>,
): Promise<boolean> {
  const [row] = await askCellOf(deps, userId, selectUsed, [userId, paymentId])
  return row !== undefined && parseUsed(row).isUsed
}

// As `transfers.decide` asks where both are in one database.
const MAY_PAY = `l.id = $1 and l.state = 'open' and l.payment_ids <@ $3::text[]
      and not exists (select from bank_lines o where o.payment_ids @> array[$2] and o.id <> l.id)`
const selectMayPay = statement('bank_matches.may_pay', `select from bank_lines l where ${MAY_PAY}`)
const updatePays = statement(
  'bank_matches.pays',
  `update bank_lines l set payment_ids = array_append(l.payment_ids, $2)
    where ${MAY_PAY} and not l.payment_ids @> array[$2]`,
)

export async function mayPay(database: Queryable, line: PayingLine, paymentId: string): Promise<boolean> {
  return (await database.query(selectMayPay, [line.id, paymentId, line.paymentIds])).length > 0
}

/** For a payment of another cell. */
export async function sayPays(database: Queryable, line: PayingLine, paymentId: string): Promise<void> {
  await database.query(updatePays, [line.id, paymentId, line.paymentIds])
}
