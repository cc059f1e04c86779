// Payments as rows: read, written, and listed for the history. Nothing here changes a payment.
import type { Instant } from '../core/instant.js'
import {
  PAYMENT_KINDS,
  type Payment,
  type PaymentStatus,
  type PublicPaymentStatus,
  type ShownPayment,
} from '../core/payment.js'
import type { Money, Plan } from '../core/plan.js'
import { shareStatements } from '../database/coalesce.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import {
  at,
  flag,
  instant,
  instantOrNull,
  integer,
  integerOrNull,
  json,
  shapeOf,
  text,
  textOrNull,
} from '../database/rows.js'

interface Column<Value> {
  readonly name: string
  /** As `jsonb_to_record` reads it. */
  readonly type: string
  read(row: Row, name: string): Value
  write(value: Value): unknown
}

function column<Value>(
  name: string,
  type: string,
  read: (row: Row, name: string) => Value,
  write: (value: Value) => unknown = (value) => value,
): Column<Value> {
  return { name, type, read, write }
}

/** A payment as its row holds it: the price in two columns. */
type StoredPayment = Omit<Payment, 'price'> & Money

/** The one list of what a payment's row holds. */
const COLUMNS: { readonly [Field in keyof StoredPayment]: Column<StoredPayment[Field]> } = {
  userId: column('user_id', 'text', text),
  id: column('id', 'text', text),
  plan: column('plan', 'jsonb', json<Plan>),
  months: column('months', 'int', integer),
  amount: column('amount', 'int', integer),
  currency: column('currency', 'text', text),
  amountAsked: column('amount_asked', 'int', integerOrNull),
  codeHash: column('code_hash', 'text', textOrNull),
  discount: column('discount', 'int', integer),
  method: column('method', 'text', text),
  live: column('live', 'bool', flag),
  // The check constraint of the column holds the same list.
  status: column('status', 'text', (row, name) => text(row, name) as PaymentStatus),
  checkoutId: column('method_reference', 'text', textOrNull),
  checkoutUrl: column('checkout_url', 'text', textOrNull),
  instrument: column('instrument', 'text', textOrNull),
  createdAt: column('created_at', 'timestamptz', instant, at),
  expiresAt: column('expires_at', 'timestamptz', instant, at),
  attemptEndsAt: column('attempt_ends_at', 'timestamptz', instant, at),
  nextCheckAt: column('next_check_at', 'timestamptz', instantOrNull, at),
  paidAt: column('paid_at', 'timestamptz', instantOrNull, at),
  periodStart: column('period_start', 'timestamptz', instantOrNull, at),
  periodEnd: column('period_end', 'timestamptz', instantOrNull, at),
  secondOf: column('second_of', 'text', textOrNull),
  review: column('review', 'jsonb', json<Payment['review']>),
}
// `Object.keys` forgets the names of an object's fields.
const FIELDS = Object.keys(COLUMNS) as readonly (keyof StoredPayment)[]

/** What changes in the life of a payment. */
const STATE = [
  'status',
  'amount',
  'amountAsked',
  'checkoutId',
  'checkoutUrl',
  'instrument',
  'expiresAt',
  'nextCheckAt',
  'paidAt',
  'periodStart',
  'periodEnd',
  'review',
] as const satisfies readonly (keyof StoredPayment)[]

const named = (fields: readonly (keyof StoredPayment)[], table?: string) =>
  fields.map((field) => (table ? `${table}.` : '') + COLUMNS[field].name).join(', ')

/** Of `payments p`. */
export const PAYMENT_COLUMNS = named(FIELDS, 'p')

const STATE_AND_ID = ['id', ...STATE] as const

// `jsonb_populate_record(null::payments, …)` looks at all columns of the table, 12 µs a row.
const record = (fields: readonly (keyof StoredPayment)[]) =>
  `n(${fields.map((field) => `${COLUMNS[field].name} ${COLUMNS[field].type}`).join(', ')})`

/** `insert into payments (${COLUMN_NAMES}) select ${NEW_PAYMENT} from … as ${PAYMENT_RECORD}`. */
export const COLUMN_NAMES = named(FIELDS)
export const NEW_PAYMENT = named(FIELDS, 'n')
export const PAYMENT_RECORD = record(FIELDS)

/** `update payments set ${NEW_STATE} from jsonb_to_record(…) as ${STATE_RECORD}`. */
export const NEW_STATE = `(${named(STATE)}) = (${named(STATE, 'n')})`
export const STATE_RECORD = record(STATE_AND_ID)

// Field by field: an object that is filled by computed names is several times slower to read and to copy (a
// webhook took 25 % more processor time).
export function parsePayment(row: Row): Payment {
  const read = <Field extends keyof StoredPayment>(field: Field): StoredPayment[Field] =>
    COLUMNS[field].read(row, COLUMNS[field].name)
  return {
    userId: read('userId'),
    id: read('id'),
    plan: read('plan'),
    months: read('months'),
    price: { amount: read('amount'), currency: read('currency') },
    amountAsked: read('amountAsked'),
    codeHash: read('codeHash'),
    discount: read('discount'),
    method: read('method'),
    live: read('live'),
    status: read('status'),
    checkoutId: read('checkoutId'),
    checkoutUrl: read('checkoutUrl'),
    instrument: read('instrument'),
    createdAt: read('createdAt'),
    expiresAt: read('expiresAt'),
    attemptEndsAt: read('attemptEndsAt'),
    nextCheckAt: read('nextCheckAt'),
    paidAt: read('paidAt'),
    periodStart: read('periodStart'),
    periodEnd: read('periodEnd'),
    secondOf: read('secondOf'),
    review: read('review'),
  }
}

/** Of `payments p`. A page of twenty reads it: what is not shown would take as long again. */
const SHOWN_COLUMNS = `p.id, p.plan->>'id' as plan_id, p.plan->>'name' as plan_name, p.months, p.amount,
          p.amount_asked, p.currency, p.status, p.method, p.method_reference, p.checkout_url, p.instrument,
          p.created_at, p.expires_at, p.paid_at, p.period_start, p.period_end`

function parseShown(row: Row): ShownPayment {
  return {
    id: text(row, 'id'),
    plan: { id: text(row, 'plan_id'), name: text(row, 'plan_name') },
    months: integer(row, 'months'),
    price: { amount: integer(row, 'amount'), currency: text(row, 'currency') },
    amountAsked: integerOrNull(row, 'amount_asked'),
    status: COLUMNS.status.read(row, 'status'),
    method: text(row, 'method'),
    checkoutId: textOrNull(row, 'method_reference'),
    checkoutUrl: textOrNull(row, 'checkout_url'),
    instrument: textOrNull(row, 'instrument'),
    createdAt: instant(row, 'created_at'),
    expiresAt: instant(row, 'expires_at'),
    paidAt: instantOrNull(row, 'paid_at'),
    periodStart: instantOrNull(row, 'period_start'),
    periodEnd: instantOrNull(row, 'period_end'),
  }
}

/** The whole row, for a statement that reads JSON. */
export const paymentToColumns = columnsWriter(FIELDS)

/** What changes in the life of a payment, with its id. */
export const paymentStateToColumns = columnsWriter(STATE_AND_ID)

function columnsWriter(fields: readonly (keyof StoredPayment)[]) {
  const empty = shapeOf(fields.map((field) => COLUMNS[field].name))
  return (payment: Payment) => {
    const columns: Record<string, unknown> = { ...empty }
    const write = <Field extends keyof StoredPayment>(field: Field, stored: Pick<StoredPayment, Field>) => {
      const { name, write }: Column<StoredPayment[Field]> = COLUMNS[field]
      columns[name] = write(stored[field])
    }
    for (const field of fields) {
      if (field === 'amount' || field === 'currency') write(field, payment.price)
      else write(field, payment)
    }
    return columns
  }
}

/** Where a page of the history goes on: after this payment, going back in time. */
export interface HistoryPosition {
  readonly createdAt: Instant
  readonly id: string
}

/** `publicStatusAt` of core, of `payments p`. */
export const publicStatusSql = (now: string) => `case
            when p.status not in ('requested', 'pending') then p.status
            when p.expires_at > ${now}::timestamptz then 'pending'
            else 'expired' end`

/** A page of one user's history, newest first. */
interface HistoryQuery {
  readonly userId: string
  readonly after: HistoryPosition | null
  /** The public one, which depends on `now` for open payments. */
  readonly status: PublicPaymentStatus | null
  readonly now: Instant
  readonly limit: number
}

const selectHistories = statement(
  'payments.histories',
  `select h.place, ${SHOWN_COLUMNS}
     from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::timestamptz[], $6::int[])
          with ordinality h(user_id, before, before_id, status, now, most, place)
    cross join lateral (
      select * from payments p
       where p.user_id = h.user_id and (p.created_at, p.id) < (h.before, h.before_id)
         and (h.status is null or h.status = ${publicStatusSql('h.now')})
       order by p.created_at desc, p.id desc limit h.most
    ) p
    order by h.place, p.created_at desc, p.id desc`,
)

export type ListPayments = (query: HistoryQuery) => Promise<readonly ShownPayment[]>

/** Pages that are asked for while others are read share a statement. */
export function createListPayments(database: Queryable): ListPayments {
  return shareStatements(database, {
    many: async (database, queries: readonly HistoryQuery[]) => {
      const rows = await database.query(selectHistories, [
        queries.map(({ userId }) => userId),
        queries.map(({ after }) => (after ? at(after.createdAt) : 'infinity')),
        queries.map(({ after }) => after?.id ?? ''),
        queries.map(({ status }) => status),
        queries.map(({ now }) => at(now)),
        queries.map(({ limit }) => limit),
      ])
      const pages = queries.map((): ShownPayment[] => [])
      for (const row of rows) pages[integer(row, 'place') - 1]?.push(parseShown(row))
      return pages
    },
  })
}

const selectPayment = statement(
  'payments.one',
  `select ${PAYMENT_COLUMNS} from payments p where p.user_id = $1 and p.id = $2`,
)

/** Null when there is none, or it is another user's: to the outside the two are the same. */
export async function findPayment(database: Queryable, userId: string, id: string): Promise<Payment | null> {
  const [row] = await database.query(selectPayment, [userId, id])
  return row ? parsePayment(row) : null
}

const selectPaymentById = statement(
  'payments.by_id',
  `select ${PAYMENT_COLUMNS} from payments p where p.id = $1`,
)

/** For the page that a payer returns to, without a token: the id is 80 random bits. */
export async function findPaymentById(database: Queryable, id: string): Promise<Payment | null> {
  const [row] = await database.query(selectPaymentById, [id])
  return row ? parsePayment(row) : null
}

const insertFound = statement(
  'found_payments.insert',
  `with input as (
     select * from jsonb_populate_record(null::payments, $1::jsonb)
   ), known as (
     insert into users (user_id, created_at) select user_id, created_at from input on conflict do nothing
   )
   insert into payments (${COLUMN_NAMES}) select ${NEW_PAYMENT} from input n
       on conflict do nothing`,
)

/** Changes nothing where there is such a payment by now. */
export async function insertFoundPayment(database: Queryable, payment: Payment): Promise<void> {
  await database.query(insertFound, [JSON.stringify(paymentToColumns(payment))])
}

/** `kindOf` of core, of `payments p`. Written as in the index payments_listed. */
const KIND_NAMES = PAYMENT_KINDS.map((name) => `'${name}'`).join(', ')
export const KIND = `case when p.method in (${KIND_NAMES}) then p.method else 'card' end`
export const isOfKind = (kind: string) => `(${kind}::text is null or ${kind} = ${KIND})`
