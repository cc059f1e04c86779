// The queries for the file of a payment.

import { toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { type StoredReport, wholeReport } from '../core/stored-report.js'
import { type Queryable, statement } from '../database/database.js'
import { firstOf, instant, json, rowOf, text, textOrNull } from '../database/rows.js'
import { describeTotal } from '../ledger/documents.js'
import { documentsOfPayment } from '../ledger/documents.sql.js'
import { viewRows } from '../ledger/schemas.js'
import { ACT_COLUMNS, ActSchema } from '../ledger/user-acts.sql.js'
import { ReceivedEventSchema, SentSchema } from './schemas.js'

const selectReceived = statement(
  'operator.received',
  `select id, type, outcome, received_at as at, amount from provider_events
    where user_id = $1 and (payment_id = $2 or checkout_id = $3)
    order by received_at, id`,
)

const selectSent = statement(
  'operator.sent',
  `select id, type, sequence, created_at as at from outbox
    where user_id = $1 and payment_id = $2
    order by sequence`,
)

const selectStored = statement(
  'operator.stored',
  'select reports from payments where user_id = $1 and id = $2',
)

const selectActs = statement(
  'operator.acts_on_payment',
  `select * from (select ${ACT_COLUMNS} from audit where user_id = $1 and payment_id = $2 order by id desc
    limit $3::int) newest
    order by id`,
)

// A mail about a payment may name a part of it: `pay_1/2`.
const selectLastMail = statement(
  'operator.last_mail',
  `select kind, queued_at, outcome from mails
    where user_id = $1 and split_part(about, '/', 1) = $2
    order by queued_at desc, kind limit 1`,
)
const parseMail = rowOf({ kind: text, queuedAt: instant, outcome: textOrNull })
export type SentMail = ReturnType<typeof parseMail>

export function lastMailAbout(database: Queryable, { userId, id }: Pick<Payment, 'userId' | 'id'>) {
  return firstOf(database.query(selectLastMail, [userId, id]), parseMail)
}

/** The receipt, the provider's reports and events, our events, and the newest `acts` acts, oldest first. */
export async function tracesOf(database: Queryable, payment: Payment, acts: number) {
  const { userId, id, checkoutId } = payment
  const of = [userId, id]
  const [stored = {}] = await database.query(selectStored, of)
  const [first] = await documentsOfPayment(database, { userId, id })
  return {
    receipt: first
      ? {
          number: first.number,
          issued_at: toTimestamp(first.snapshot.issuedAt),
          ...describeTotal(first.snapshot),
        }
      : null,
    reports: json<readonly StoredReport[]>(stored, 'reports').map((one) => wholeReport(payment, one)),
    received: viewRows(ReceivedEventSchema, await database.query(selectReceived, [...of, checkoutId])),
    sent: viewRows(SentSchema, await database.query(selectSent, of)),
    audit: viewRows(ActSchema, await database.query(selectActs, [...of, acts])),
  }
}
