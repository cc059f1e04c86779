// Transfers as rows: one for each payment by this method. One query saves a decision with its entry in the
// audit trail. It makes the payment due, so that the sweep settles it if the process dies before it has. It
// raises the user's version, so that a settlement that was decided on the earlier transfer is stale. It also
// writes which line of a bank statement pays the transfer. It locks one line, after the user and the payment,
// so it cannot deadlock.
import { type AuditEntry, insertAudit } from '../acts/audit.sql.js'
import type { AccountKind, TransferInstrument } from '../core/account.js'
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, firstOf, instantOrNull, integer, json, rowOf, text, textOrNull, word } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from '../ledger/payments.sql.js'

const COLUMNS = 't.reference, t.state, t.version, t.approvals, t.refusal, t.proof_at'

export interface Approval {
  /** The operator's name in the audit trail. */
  readonly by: string
  readonly at: Instant
  /** Whole dinars. */
  readonly amount: number
  /** When it came to the account, as the operator reads it there: often a day without a time. */
  readonly receivedAt: Instant
  readonly instrument: TransferInstrument
}

const parseTransfer = rowOf({
  reference: text,
  transfer: rowOf({
    /** `open`: waited for until the payment expires. `ended`: the user chose something else. */
    state: word<'open' | 'ended' | 'approved' | 'refused'>,
    /** Approvals with the same figures. Earlier ones with other figures are in the audit trail. */
    approvals: json<readonly Approval[]>,
    /** Why it was refused last. */
    refusal: textOrNull,
    proofAt: instantOrNull,
  }),
  /** A change of the transfer must name it. */
  version: integer,
  payment: parsePayment,
})
export type StoredTransfer = ReturnType<typeof parseTransfer>
export type Transfer = StoredTransfer['transfer']

const STORED = `select ${COLUMNS}, ${PAYMENT_COLUMNS}
     from transfers t join payments p on p.user_id = t.user_id and p.id = t.payment_id`

const insert = statement(
  'transfers.insert',
  `insert into transfers (user_id, payment_id, reference) values ($1, $2, $3) on conflict do nothing`,
)

/** Does nothing if the payment already has a transfer, or the reference is taken. */
export async function insertTransfer(database: Queryable, of: OfPayment & { readonly reference: string }) {
  await database.query(insert, [of.userId, of.paymentId, of.reference])
}

export interface OfPayment {
  readonly userId: string
  readonly paymentId: string
}

const selectOfPayment = statement(
  'transfers.of_payment',
  `${STORED} where t.user_id = $1 and t.payment_id = $2`,
)

/** Null: the payment has another method, or the process died before it wrote the transfer. */
export function findTransfer(database: Queryable, of: OfPayment): Promise<StoredTransfer | null> {
  return firstOf(database.query(selectOfPayment, [of.userId, of.paymentId]), parseTransfer)
}

const selectByReference = statement('transfers.by_reference', `${STORED} where t.reference = $1`)

export function findTransferByReference(database: Queryable, reference: string) {
  return firstOf(database.query(selectByReference, [reference]), parseTransfer)
}

const end = statement(
  'transfers.end',
  `update transfers set state = 'ended', version = version + 1 where reference = $1 and state = 'open'`,
)

/** Ends an open transfer. A decided one stays as it is. */
export async function endTransfer(database: Queryable, reference: string): Promise<void> {
  await database.query(end, [reference])
}

const decide = statement(
  'transfers.decide',
  `with payer as (
     select user_id from users where user_id = $1 and ($10::bigint is null
       or version = $10::bigint) for update
   ), undecided as (
     select p.user_id from payments p join payer using (user_id) where p.id = $2
       and p.status = $9 for update of p
   ), paying as (
     select l.id from undecided u join bank_lines l on l.id = $11
      where l.state = 'open' and (l.payment_id is null or l.payment_id = $2)
        and not exists (select from bank_lines o where o.payment_id = $2 and o.id <> l.id)
        for update of l
   ), decided as (
     update transfers t set state = $4, approvals = $5::jsonb, refusal = $6, version = t.version + 1,
            decided_at = case when $4 in ('approved', 'refused') then $7::timestamptz end
       from undecided u
      where t.user_id = u.user_id and t.payment_id = $2 and t.version = $3
        and ($11::text is null or exists (select from paying))
     returning t.user_id
   ), paid as (
     update bank_lines l set payment_id = $2 from decided d where l.id = $11
   ), released as (
     update bank_lines l set payment_id = null
       from decided d where $4 = 'refused' and l.payment_id = $2 and l.state = 'open'
   ), due as (
     update payments p set next_check_at = $7::timestamptz
       from decided d
      where p.user_id = d.user_id and p.id = $2 and p.status not in ('paid', 'refunded')
   ), moved as (
     update users u set version = u.version + 1 from decided d where u.user_id = d.user_id
   ), audited as (
     ${insertAudit({ userId: 'd.user_id', at: '$7::timestamptz', entry: '$8::jsonb', from: 'decided d' })}
   )
   select case when exists (select from decided) then 'saved'
               when $11::text is null or exists (select from paying) or not exists (select from undecided)
                 then 'stale'
               else 'line_taken' end as became`,
)

/**
 * `stale`: the transfer or its payment has changed since it was read. `line_taken`: the line pays something
 * else or is decided, or another line pays the payment.
 */
export async function saveDecision(
  database: Queryable,
  { payment, version }: StoredTransfer,
  after: Transfer,
  of: {
    readonly audit: AuditEntry
    readonly now: Instant
    /** The user's version that the operator saw; absent: the operator saw no preview. */
    readonly seenVersion?: number
    readonly lineId?: string | undefined
  },
): Promise<'saved' | 'stale' | 'line_taken'> {
  const { state, approvals, refusal } = after
  const key = [payment.userId, payment.id, version]
  const facts = [state, JSON.stringify(approvals), refusal, at(of.now), JSON.stringify(of.audit)]
  const seen = [payment.status, of.seenVersion ?? null, of.lineId ?? null]
  const [row = {}] = await database.query(decide, [...key, ...facts, ...seen])
  return word<'saved' | 'stale' | 'line_taken'>(row, 'became')
}

// Uses the index bank_lines_named.
const selectNaming = statement(
  'transfers.line_naming',
  `with named as materialized (
     select * from bank_lines where refs <> '{}' and refs && array[$1]
   )
   select account, day::text, amount_centimes / 100 as amount, text from named
    where state = 'open' and payment_id is null and doubts = '{}'
      and amount_centimes > 0 and amount_centimes % 100 = 0
    limit 2`,
)
const parseNaming = rowOf({ account: word<AccountKind>, day: text, amount: integer, text })

/** The one line of the bank statements that names the reference; null: none does, or several do. */
export async function lineNaming(database: Queryable, reference: string) {
  const rows = await database.query(selectNaming, [reference])
  return rows[0] && rows.length === 1 ? parseNaming(rows[0]) : null
}

const selectPays = statement(
  'transfers.line_pays',
  'select id from bank_lines where id = $1 and payment_id = $2',
)

export async function doesLinePay(database: Queryable, lineId: string, paymentId: string): Promise<boolean> {
  return (await database.query(selectPays, [lineId, paymentId])).length > 0
}
