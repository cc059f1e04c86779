// Payments as rows: read, written, and listed for the history. Nothing here changes a payment.

import type { PaymentPurpose } from '../core/checkout.js'
import type { Instant } from '../core/instant.js'
import {
  type Metadata,
  type Payment,
  type PaymentStatus,
  PUBLIC_METHODS,
  type PublicPaymentStatus,
  type ShownPayment,
} from '../core/payment.js'
import type { Plan } from '../core/plan.js'
import { shareStatements } from '../database/coalesce.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import {
  at,
  column,
  columnsOf,
  type Description,
  firstOf,
  flag,
  instant,
  instantOrNull,
  integer,
  integerOrNull,
  json,
  recordOf,
  rowOf,
  text,
  textOrNull,
  word,
  writerOf,
} from '../database/rows.js'

const readPrice = rowOf({ amount: integer, currency: text })

/** The fields that users see and that change in the life of a payment. */
const SHOWN_STATE = {
  status: word<PaymentStatus>,
  amountAsked: integerOrNull,
  checkoutId: column('method_reference', textOrNull),
  checkoutUrl: textOrNull,
  instrument: textOrNull,
  expiresAt: instant,
  paidAt: instantOrNull,
  periodStart: instantOrNull,
  periodEnd: instantOrNull,
}

/** All fields that change in the life of a payment. */
const STATE = {
  ...SHOWN_STATE,
  price: rowOf({ amount: integer }),
  nextCheckAt: instantOrNull,
  review: json<Payment['review']>,
  change: json<Payment['change']>,
  keptAt: instantOrNull,
}

/** The fields that users see, but for the plan. */
const SHOWN = {
  ...SHOWN_STATE,
  id: text,
  boughtBy: textOrNull,
  metadata: json<Metadata | null>,
  kind: word<PaymentPurpose>,
  months: integerOrNull,
  price: readPrice,
  method: text,
  createdAt: instant,
}

/** The one list of the columns of a payment. */
const describedPayment = rowOf({
  ...STATE,
  ...SHOWN,
  userId: text,
  poNumber: textOrNull,
  returnUrl: textOrNull,
  plan: json<Plan | null>,
  codeHash: textOrNull,
  discount: integer,
  live: flag,
  attemptEndsAt: instant,
  secondOf: textOrNull,
})
// The constraint fields_fit_the_kind says which fields belong to which kind.
export const parsePayment = describedPayment as Description<Payment>

export const PAYMENT_COLUMNS = columnsOf(parsePayment, 'p')

// Columns with name and type: `jsonb_populate_record(null::payments, …)` reads every column of the table,
// which costs 12 µs a row for a state.
/**
 * `insert into payments (${COLUMN_NAMES}) select ${NEW_PAYMENT} from jsonb_to_record(…) as
 * ${PAYMENT_RECORD}`.
 */
export const COLUMN_NAMES = columnsOf(parsePayment)
export const NEW_PAYMENT = columnsOf(parsePayment, 'n')
export const PAYMENT_RECORD = `n(${recordOf(parsePayment)})`

export const paymentToColumns = writerOf(parsePayment)

const stateToColumns = writerOf(rowOf({ id: text, ...STATE }))

/** The id, and the columns in which `after` differs. All of them if `before` is not this payment. */
export function changedColumns(before: Payment | null, after: Payment): object {
  const columns = stateToColumns(after)
  if (before?.id !== after.id) return columns
  const old = stateToColumns(before)
  const changed = Object.entries(columns).filter(([name, value]) => value !== old[name])
  return { id: after.id, ...Object.fromEntries(changed) }
}

/** The columns that pages show of `payments p`: with all columns a page takes twice as long. */
const SHOWN_COLUMNS = `
  ${columnsOf(rowOf(SHOWN), 'p')}, p.plan->>'id' as plan_id, p.plan->>'name' as plan_name`

const readPlanName = (row: Row) =>
  row.plan_id === null ? null : { id: text(row, 'plan_id'), name: text(row, 'plan_name') }

const parseShown = rowOf({ ...SHOWN, plan: readPlanName }) as Description<ShownPayment>

/** The payment after which a page of the history continues, going back in time. */
export interface HistoryPosition {
  readonly createdAt: Instant
  readonly id: string
}

/** The rule of `publicStatusAt` for `payments p`. `now` is a parameter or a column. */
export const publicStatusSql = (now: string) => `case
            when p.status not in ('requested', 'pending') then p.status
            when p.expires_at > ${now}::timestamptz then 'pending'
            else 'expired' end`

interface HistoryQuery {
  readonly userId: string
  readonly after: HistoryPosition | null
  /** The public status, which depends on `now` for open payments. */
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

/** Reads that arrive while another runs share the next query. */
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

/** Null: there is no such payment of this user. Another user's payment looks the same from outside. */
export function findPayment(database: Queryable, userId: string, id: string): Promise<Payment | null> {
  return firstOf(database.query(selectPayment, [userId, id]), parsePayment)
}

const selectPaymentsById = statement(
  'payments.by_id',
  `select ${PAYMENT_COLUMNS} from payments p where p.id = any($1::text[])`,
)

export async function findPaymentsById(
  database: Queryable,
  ids: readonly string[],
): Promise<readonly Payment[]> {
  return ids.length === 0 ? [] : (await database.query(selectPaymentsById, [ids])).map(parsePayment)
}

/** For the page that a payer returns to without a token: the id has 80 random bits. */
export async function findPaymentById(database: Queryable, id: string): Promise<Payment | null> {
  return (await findPaymentsById(database, [id]))[0] ?? null
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

export async function insertFoundPayment(database: Queryable, payment: Payment): Promise<void> {
  await database.query(insertFound, [JSON.stringify(paymentToColumns(payment))])
}

/** The rule of `publicMethodOf` for `payments p`. The index payments_listed needs this very text. */
const METHOD_NAMES = PUBLIC_METHODS.map((name) => `'${name}'`).join(', ')
export const PUBLIC_METHOD = `case when p.method in (${METHOD_NAMES}) then p.method else 'card' end`
/** The list filter. `method` is a parameter; null: any method. */
export const isByMethod = (method: string) => `(${method}::text is null or ${method} = ${PUBLIC_METHOD})`
