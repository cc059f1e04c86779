// Everything known of one payment, as operators read it.

import { toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { type ReceiptSnapshot, receiptNumber } from '../core/receipt.js'
import type { StoredReport } from '../core/stored-report.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { instant, integer, json, text } from '../database/rows.js'
import { describeTotal } from '../ledger/load.sql.js'
import { viewRows } from '../ledger/schemas.js'
import { ACT_COLUMNS, ActSchema } from '../ledger/user-acts.sql.js'
import { ReceivedEventSchema, SentSchema } from './schemas.js'

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
