// Payments of all users as a list, newest first.
import type { Instant } from '../core/instant.js'
import {
  PAYMENT_STATUSES,
  type Payment,
  type PaymentStatus,
  PUBLIC_METHODS,
  type PublicMethod,
  type PublicPaymentStatus,
} from '../core/payment.js'
import { type Queryable, statement } from '../database/database.js'
import { at } from '../database/rows.js'
import {
  type HistoryPosition,
  isByMethod,
  PAYMENT_COLUMNS,
  PUBLIC_METHOD,
  parsePayment,
  publicStatusSql,
} from './payments.sql.js'

const ORDER = 'order by p.created_at desc, p.id desc limit $1::int'
const IS_AFTER = '(p.created_at, p.id) < ($2::timestamptz, $3) and p.created_at >= $8::timestamptz'
const IS_OF_STATUS = `($4::text is null or $4 = ${publicStatusSql('$5')})`
// A query of its own: the plan of a common one would walk through the payments of all users.
const selectNewestOfUser = statement(
  'operator.newest_of_user',
  `select ${PAYMENT_COLUMNS} from payments p
    where ${IS_AFTER} and ${IS_OF_STATUS} and ${isByMethod('$6')} and p.user_id = $7 ${ORDER}`,
)
// Uses payments_listed: the newest of each wanted method and stored status, then the newest of these. An
// index of all payments would be one more write for each booking.
const selectNewestListed = statement(
  'operator.newest_listed',
  `select ${PAYMENT_COLUMNS}
     from unnest($6::text[]) w(method)
    cross join unnest($7::text[]) s(status)
    cross join lateral (
      select * from payments p
       where ${PUBLIC_METHOD} = w.method and p.status = s.status and ${IS_AFTER} and ${IS_OF_STATUS}
       ${ORDER}
    ) p
    ${ORDER}`,
)

/** The stored statuses of a public status, which depends on the time for open payments. */
function storedStatuses(status: PublicPaymentStatus | null): readonly PaymentStatus[] {
  if (status === null) return PAYMENT_STATUSES
  if (status === 'pending') return ['requested', 'pending']
  return status === 'expired' ? ['requested', 'pending', 'expired'] : [status]
}

export async function newestPayments(
  database: Queryable,
  wanted: {
    readonly userId: string | null
    readonly status: PublicPaymentStatus | null
    readonly method: PublicMethod | null
    readonly since: Instant | null
    readonly after: HistoryPosition | null
    readonly limit: number
  },
  now: Instant,
): Promise<readonly Payment[]> {
  const { userId, status, method, since, after, limit } = wanted
  const page = [limit, after ? at(after.createdAt) : 'infinity', after?.id ?? '']
  const ofStatus = [...page, status, at(now)]
  const from = since === null ? '-infinity' : at(since)
  const places = [method === null ? PUBLIC_METHODS : [method], storedStatuses(status)]
  const rows =
    userId === null
      ? database.query(selectNewestListed, [...ofStatus, ...places, from])
      : database.query(selectNewestOfUser, [...ofStatus, method, userId, from])
  return (await rows).map(parsePayment)
}
