// The payments that reports of a provider are about, each with its user.
import type { CheckoutReport } from '../core/checkout.js'
import { type Queryable, statement } from '../database/database.js'
import { integer, rowOf, textOrNull } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from './payments.sql.js'
import { FACT_COLUMNS, parseUser } from './users.sql.js'

const selectForSettlement = statement(
  'settlements.load',
  `select a.ordinal, ${PAYMENT_COLUMNS}, p.traceparent, ${FACT_COLUMNS}
     from unnest($1::text[], $2::text[], $3::text[]) with ordinality a(method, reference, payment_id, ordinal)
     join lateral (
       select user_id, id from payments where method_reference = a.reference and method = a.method
       union all
       select user_id, id from payments
        where id = a.payment_id and method = a.method
          and not exists (select from payments where method_reference = a.reference and method = a.method)
     ) found on true
     join payments p on p.user_id = found.user_id and p.id = found.id
     join users u on u.user_id = p.user_id`,
)

/** What a report names: the checkout, and our own id from its metadata. Whose it is, only our row says. */
export interface ReportedIds extends Pick<CheckoutReport, 'method' | 'paymentId'> {
  /** Null: to be found by our id alone. */
  readonly checkoutId: string | null
}

const parseLoaded = rowOf(
  {
    payment: parsePayment,
    user: parseUser,
    /** Of the click that it began with, where traces were collected. */
    traceparent: textOrNull,
  },
  (shape) => ({ ...shape }),
)
/** Ours, with the user it belongs to, at the version that a change of their money must name. */
export type LoadedPayment = ReturnType<typeof parseLoaded>

/** For each report its payment, by the checkout's id, else by our own id; null when it is not ours. */
export async function loadForSettlements(
  database: Queryable,
  reports: readonly ReportedIds[],
): Promise<readonly (LoadedPayment | null)[]> {
  const rows = await database.query(selectForSettlement, [
    reports.map(({ method }) => method),
    reports.map(({ checkoutId }) => checkoutId),
    reports.map(({ paymentId }) => paymentId),
  ])
  const found = new Map(rows.map((row) => [integer(row, 'ordinal'), parseLoaded(row)]))
  // `with ordinality` counts from 1.
  return reports.map((_, index) => found.get(index + 1) ?? null)
}
