// A user as a row: the facts of his prepaid time and the version that guards them.
import { firstAnnouncementAt } from '../domain/announcement.js'
import type { Payment } from '../domain/payment.js'
import type { PaidMonth, SubscriptionFacts } from '../domain/subscription.js'
import { type Queryable, type Row, statement } from './database.js'
import { PAYMENT_COLUMNS, parsePayment } from './payments.js'
import { at, instantOrNull, integer, json, textOrNull } from './rows.js'

export const FACT_COLUMNS = `
  u.version, u.event_sequence, u.anchor_at, u.run_months, u.paid_until, u.months, u.ended_at,
  u.payment_method as last_payment_method`

/** The facts with the version they were read at: a change decided on them must name it. */
export interface UserRecord {
  readonly version: number
  readonly eventSequence: number
  readonly subscription: SubscriptionFacts
}

export function parseUser(row: Row): UserRecord {
  const anchorAt = instantOrNull(row, 'anchor_at')
  return {
    version: integer(row, 'version'),
    eventSequence: integer(row, 'event_sequence'),
    subscription: {
      run: anchorAt === null ? null : { anchorAt, months: integer(row, 'run_months') },
      paidUntil: instantOrNull(row, 'paid_until'),
      months: json<readonly PaidMonth[]>(row, 'months'),
      endedAt: instantOrNull(row, 'ended_at'),
      paymentMethod: textOrNull(row, 'last_payment_method'),
    },
  }
}

/** The facts as columns, for `jsonb_to_record`, with the schedule of announcements that new facts begin with. */
export function factsToColumns(facts: SubscriptionFacts) {
  return {
    anchor_at: at(facts.run?.anchorAt ?? null),
    run_months: facts.run?.months ?? null,
    paid_until: at(facts.paidUntil),
    months: facts.months,
    ended_at: at(facts.endedAt),
    payment_method: facts.paymentMethod,
    announce_at: at(firstAnnouncementAt(facts)),
  }
}

const selectWithNewest = statement(
  'users.with_newest_payment',
  `select ${FACT_COLUMNS}, p.*
     from users u
     left join lateral (
       select ${PAYMENT_COLUMNS}, p.asked_at from payments p
        where p.user_id = u.user_id order by p.created_at desc, p.id desc limit 1
     ) p on true
    where u.user_id = $1`,
)

/** What `/status` needs, in one round trip. Null: we have never heard of the user. */
export async function loadUserWithNewestPayment(
  database: Queryable,
  userId: string,
): Promise<{ readonly user: UserRecord; readonly newest: Payment | null } | null> {
  const [row] = await database.query(selectWithNewest, [userId])
  if (!row) return null
  return { user: parseUser(row), newest: row.id === null ? null : parsePayment(row) }
}
