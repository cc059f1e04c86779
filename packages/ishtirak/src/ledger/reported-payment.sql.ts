// Loads the payments that reports of a provider are about, each with its user.
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

/** What a report names: the checkout, and our own id in its metadata. Only our row names the user. */
export interface ReportedIds extends Pick<CheckoutReport, 'method' | 'paymentId'> {
  /** Null: the payment is found by our id alone. */
  readonly checkoutId: string | null
}

const parseLoaded = rowOf({
  payment: parsePayment,
  user: parseUser,
  /** The trace of the click that started the payment, if traces were collected. */
  traceparent: textOrNull,
})
/** Our payment with its user, at the version that a revision of the user's money must name. */
export type LoadedPayment = ReturnType<typeof parseLoaded>

/** The payment of each report, found by the checkout's id, else by our own; null: not ours. */
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
