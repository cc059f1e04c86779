// A user as a row: the facts of his prepaid time and the version that guards them.
import { firstAnnouncementAt } from '../core/announcement.js'
import type { Payment } from '../core/payment.js'
import type { PaidMonth, SubscriptionFacts } from '../core/subscription.js'
import { shareStatements } from '../database/coalesce.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instantOrNull, integer, json, text, textOrNull } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from './payments.sql.js'
import { PROFILE_COLUMNS, parseProfile, type UserProfile } from './profile.sql.js'

export const FACT_COLUMNS = `
  u.version, u.event_sequence, u.anchor_at, u.run_months, u.paid_until, u.months, u.ended_at,
  u.payment_method as last_payment_method, ${PROFILE_COLUMNS}`

/** The facts with the version they were read at: a change decided on them must name it. */
export interface UserRecord extends UserProfile {
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
    ...parseProfile(row),
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

// Found through an index of open payments alone: most users have none, and then no page of theirs is read.
export const OPEN_PAYMENT = `
  left join lateral (
    select ${PAYMENT_COLUMNS} from payments p
     where p.user_id = u.user_id and p.status in ('requested', 'pending')
  ) p on true`

const selectWithOpen = statement(
  'users.with_open_payment',
  `select ${FACT_COLUMNS}, p.* from users u ${OPEN_PAYMENT} where u.user_id = $1`,
)

const selectManyWithOpen = statement(
  'users.many_with_open_payment',
  `select i.user_id as asked_for, ${FACT_COLUMNS}, p.*
     from unnest($1::text[]) i(user_id) join users u using (user_id) ${OPEN_PAYMENT}`,
)

export interface UserWithOpenPayment {
  readonly user: UserRecord
  /** The payment that occupies his one place for a payable checkout. */
  readonly open: Payment | null
}

/** Null: we have never heard of the user. */
export type LoadUser = (userId: string) => Promise<UserWithOpenPayment | null>

/** What `/status` needs, in one round trip; calls that arrive during one share the next. */
export function createLoadUser(database: Queryable): LoadUser {
  return shareStatements<string, UserWithOpenPayment | null>(database, {
    one: async (database, userId) => {
      const [row] = await database.query(selectWithOpen, [userId])
      return row ? parseWithOpen(row) : null
    },
    many: async (database, userIds) => {
      const rows = await database.query(selectManyWithOpen, [userIds])
      const found = new Map(rows.map((row) => [text(row, 'asked_for'), parseWithOpen(row)]))
      return userIds.map((userId) => found.get(userId) ?? null)
    },
  })
}

function parseWithOpen(row: Row): UserWithOpenPayment {
  return { user: parseUser(row), open: row.id === null ? null : parsePayment(row) }
}
