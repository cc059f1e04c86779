// Payments as operators read them: the newest of all users, and everything known of one.

import { type Instant, toTimestamp } from '../core/instant.js'
import {
  PAYMENT_KINDS,
  type Payment,
  type PaymentKind,
  type PaymentStatus,
  PUBLIC_PAYMENT_STATUSES,
  type PublicPaymentStatus,
} from '../core/payment.js'
import { type ReceiptSnapshot, receiptNumber } from '../core/receipt.js'
import type { StoredReport } from '../core/stored-report.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instant, integer, json, text } from '../database/rows.js'
import { describeTotal } from '../ledger/load.sql.js'
import {
  type HistoryPosition,
  isOfKind,
  KIND,
  PAYMENT_COLUMNS,
  parsePayment,
  publicStatusSql,
} from '../ledger/payments.sql.js'
import { viewRows } from '../ledger/schemas.js'
import { ACT_COLUMNS, ActSchema } from '../ledger/user-acts.sql.js'
import { ReceivedEventSchema, SentSchema } from './schemas.js'

const ORDER = 'order by p.created_at desc, p.id desc limit $1::int'
const isAfter = (at: string, id: string) => `(p.created_at, p.id) < (${at}::timestamptz, ${id})`
const newest = (name: string, where: string) =>
  statement(`operator.${name}`, `select ${PAYMENT_COLUMNS} from payments p ${where} ${ORDER}`)

// Apart from the further pages: planned while the table is empty, a bound would make this one read all
// payments later.
const selectNewest = newest('newest', '')
const selectNewestAfter = newest('newest_after', `where ${isAfter('$2', '$3')}`)
const isOfStatus = `($4::text is null or $4 = ${publicStatusSql('$5')})`
// Apart: a plan that does not know whether there is a user would look through the payments of all.
const selectNewestOfUser = newest(
  'newest_of_user',
  `where ${isAfter('$2', '$3')} and ${isOfStatus} and ${isOfKind('$6')} and p.user_id = $7`,
)
// Rides on payments_listed: the newest of each kind and stored status that is asked for, then the newest of
// these.
const selectNewestListed = statement(
  'operator.newest_listed',
  `select ${PAYMENT_COLUMNS}
     from unnest($6::text[]) w(kind)
    cross join unnest($7::text[]) s(status)
    cross join lateral (
      select * from payments p
       where ${KIND} = w.kind and p.status = s.status and ${isAfter('$2', '$3')} and ${isOfStatus}
       ${ORDER}
    ) p
    ${ORDER}`,
)

/** As they are stored: the public status of an open payment depends on the time. */
function storedStatuses(status: PublicPaymentStatus | null): readonly PaymentStatus[] {
  if (status === null) return ['requested', ...PUBLIC_PAYMENT_STATUSES]
  if (status === 'pending') return ['requested', 'pending']
  return status === 'expired' ? ['requested', 'pending', 'expired'] : [status]
}

/** Newest first. */
export async function newestPayments(
  database: Queryable,
  wanted: {
    /** Null: of all users. */
    readonly userId: string | null
    readonly status: PublicPaymentStatus | null
    readonly kind: PaymentKind | null
    readonly after: HistoryPosition | null
    readonly limit: number
  },
  now: Instant,
): Promise<readonly Payment[]> {
  const { userId, status, kind, after, limit } = wanted
  const page = [limit, after ? at(after.createdAt) : 'infinity', after?.id ?? '']
  const ofStatus = [...page, status, at(now)]
  const find = () => {
    if (userId !== null) return database.query(selectNewestOfUser, [...ofStatus, kind, userId])
    if (status !== null || kind !== null) {
      const places = [kind === null ? PAYMENT_KINDS : [kind], storedStatuses(status)]
      return database.query(selectNewestListed, [...ofStatus, ...places])
    }
    return after ? database.query(selectNewestAfter, page) : database.query(selectNewest, [limit])
  }
  return (await find()).map(parsePayment)
}

const selectReceived = statement(
  'operator.received',
  `select id, type, outcome, received_at as at, report->'amount' as amount from provider_events
    where user_id = $1 and (payment_id = $2 or checkout_id = $3)
    order by received_at, id`,
)

const selectSent = statement(
  'operator.sent',
  `select id, type, sequence, created_at as at from outbox
    where user_id = $1 and payload->'data'->'payment'->>'id' = $2
    order by sequence`,
)

const selectStored = statement(
  'operator.stored',
  `select p.reports, r.series, r.number, r.issued_at, r.snapshot
     from payments p left join receipts r on r.user_id = p.user_id and r.payment_id = p.id
    where p.user_id = $1 and p.id = $2`,
)

const selectActs = statement(
  'operator.acts_on_payment',
  `select * from (select ${ACT_COLUMNS} from audit where user_id = $1 and payment_id = $2 order by id desc
    limit $3::int) newest
    order by id`,
)

/** What came in, what is stored of it, what went out, the receipt, the newest `acts`, oldest first. */
export async function tracesOf(database: Queryable, { userId, id, checkoutId }: Payment, acts: number) {
  const of = [userId, id]
  const [stored = {}] = await database.query(selectStored, of)
  const receipt = receiptIn(stored)
  return {
    receipt: receipt && {
      number: receiptNumber(receipt.series, receipt.number),
      issued_at: toTimestamp(instant(stored, 'issued_at')),
      ...describeTotal(json<ReceiptSnapshot>(stored, 'snapshot')),
    },
    reports: json<readonly StoredReport[]>(stored, 'reports'),
    received: viewRows(ReceivedEventSchema, await database.query(selectReceived, [...of, checkoutId])),
    sent: viewRows(SentSchema, await database.query(selectSent, of)),
    audit: viewRows(ActSchema, await database.query(selectActs, [...of, acts])),
  }
}

/** Of a row that receipts are joined to. */
function receiptIn(row: Row): { readonly series: string; readonly number: number } | null {
  return row.number === null ? null : { series: text(row, 'series'), number: integer(row, 'number') }
}
