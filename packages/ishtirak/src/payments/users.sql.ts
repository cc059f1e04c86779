// A user as a row: the facts of prepaid time and the version that guards them.
import { firstAnnouncementAt } from '../core/announcement.js'
import type { Payment } from '../core/payment.js'
import type { PaidPeriod, SubscriptionFacts } from '../core/subscription.js'
import { shareStatements } from '../database/coalesce.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instantOrNull, integer, json, text, textOrNull } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from './payments.sql.js'
import { PROFILE_COLUMNS, parseProfile, type UserProfile } from './profile.sql.js'

export const FACT_COLUMNS = `
  u.version, u.event_sequence, u.anchor_at, u.run_months, u.paid_until, u.months as periods, u.ended_at,
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
      periods: json<readonly StoredPeriod[]>(row, 'periods').map(toPeriod),
      endedAt: instantOrNull(row, 'ended_at'),
      instrument: textOrNull(row, 'last_payment_method'),
    },
    ...parseProfile(row),
  }
}

/** Code before migration 14 writes no `months`: it sells single ones. */
type StoredPeriod = Omit<PaidPeriod, 'months'> & Partial<Pick<PaidPeriod, 'months'>>

const toPeriod = (stored: StoredPeriod): PaidPeriod => ({ months: 1, ...stored })

/** The facts as columns, for `jsonb_to_record`, with the schedule of announcements that new facts begin with. */
export function factsToColumns(facts: SubscriptionFacts) {
  return {
    anchor_at: at(facts.run?.anchorAt ?? null),
    run_months: facts.run?.months ?? null,
    paid_until: at(facts.paidUntil),
    months: facts.periods,
    ended_at: at(facts.endedAt),
    payment_method: facts.instrument,
    announce_at: at(firstAnnouncementAt(facts)),
  }
}

/**
 * Joins the newest open payment that meets `condition`; each method has a place for one. Found through an index of open
 * payments alone: most users have none, and then no page of theirs is read.
 */
export const openPayment = (condition = 'true') => `
  left join lateral (
    select ${PAYMENT_COLUMNS} from payments p
     where p.user_id = u.user_id and p.status in ('requested', 'pending') and ${condition}
     order by p.created_at desc limit 1
  ) p on true`

const selectWithOpen = statement(
  'users.with_open_payment',
  `select ${FACT_COLUMNS}, p.* from users u ${openPayment()} where u.user_id = $1`,
)

const selectManyWithOpen = statement(
  'users.many_with_open_payment',
  `select i.user_id as asked_for, ${FACT_COLUMNS}, p.*
     from unnest($1::text[]) i(user_id) join users u using (user_id) ${openPayment()}`,
)

interface UserWithOpenPayment {
  readonly user: UserRecord
  /** The newest payment that is open. */
  readonly open: Payment | null
}

/** Null: the user is unknown. */
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
