// A user as a row: the facts of prepaid time with the version that guards them, the buyer's details, and the
// profile, which comes from the platform or the user's token and never affects money.

import { type Boundary, firstAnnouncementAt } from '../core/announcement.js'
import type { Balance } from '../core/balance.js'
import type { BuyerDetails } from '../core/buyer-details.js'
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { Actor } from '../core/person.js'
import { type PaidPeriod, renewsAt, type SubscriptionFacts } from '../core/subscription.js'
import { withoutNulls } from '../core/without-nulls.js'
import { shareStatements } from '../database/coalesce.js'
import { ConstraintViolation, type Queryable, type Row, statement } from '../database/database.js'
import {
  at,
  firstOf,
  instant,
  instantOrNull,
  integer,
  json,
  rowOf,
  text,
  textOrNull,
  wordOrNull,
} from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from './payments.sql.js'

export const PROFILE_COLUMNS = 'u.email, u.name, u.locale'

// Object literals: each status reads a user, and a description of three objects takes 0.2 µs longer.
/** Null: unknown. */
export const parseProfile = (row: Row) => ({
  email: textOrNull(row, 'email'),
  name: textOrNull(row, 'name'),
  locale: wordOrNull<Locale>(row, 'locale'),
})
type UserProfile = Readonly<ReturnType<typeof parseProfile>>

export const FACT_COLUMNS = `
  u.version, u.anchor_at, u.run_months, u.paid_until, u.periods, u.ended_at,
  u.last_instrument, u.buyer, ${PROFILE_COLUMNS},
  case when u.balance_since is not null then json_build_object(
    'amount', u.balance, 'entries', coalesce(u.balance_entry, 0), 'order', u.standing_order,
    'since', (date_part('epoch', u.balance_since) * 1000)::bigint) end as balance_facts`

/** The facts with the version at which they were read. A revision decided on them must name it. */
export interface UserRecord extends UserProfile {
  readonly version: number
  readonly subscription: SubscriptionFacts
  /** The buyer's details for invoices; null: none were given. */
  readonly buyer: BuyerDetails | null
}

export function parseUser(row: Row): UserRecord {
  const anchorAt = instantOrNull(row, 'anchor_at')
  return {
    version: integer(row, 'version'),
    subscription: {
      run: anchorAt === null ? null : { anchorAt, months: integer(row, 'run_months') },
      paidUntil: instantOrNull(row, 'paid_until'),
      periods: json<readonly PaidPeriod[]>(row, 'periods'),
      endedAt: instantOrNull(row, 'ended_at'),
      instrument: textOrNull(row, 'last_instrument'),
      balance: json<Balance | null>(row, 'balance_facts'),
    },
    buyer: json<BuyerDetails | null>(row, 'buyer'),
    ...parseProfile(row),
  }
}

/** The facts as columns for `jsonb_to_record`, with the first schedule of announcements. */
export function factsToColumns(facts: SubscriptionFacts): object {
  const { balance } = facts
  return withoutNulls({
    anchor_at: at(facts.run?.anchorAt ?? null),
    run_months: facts.run?.months ?? null,
    paid_until: at(facts.paidUntil),
    periods: facts.periods,
    ended_at: at(facts.endedAt),
    last_instrument: facts.instrument,
    announce_at: at(firstAnnouncementAt(facts)),
    balance: balance?.amount ?? null,
    balance_entry: balance?.entries || null,
    balance_since: at(balance?.since ?? null),
    standing_order: balance?.order ?? null,
    renews_at: at(renewsAt(facts)),
  })
}

/**
 * Joins an open payment of `users u`: one with a payable page comes before one that waits for an operator,
 * then the newest. Each method has one open payment at most. The index holds only open payments: most users
 * have none, and then no table page is read.
 */
export const OPEN_PAYMENT = `
  left join lateral (
    select ${PAYMENT_COLUMNS} from payments p
     where p.user_id = u.user_id and p.status in ('requested', 'pending')
     order by p.checkout_url is null, p.created_at desc limit 1
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

export type LoadUser = ReturnType<typeof createLoadUser>

/** Reads what `/status` needs in one round trip, which calls that arrive together share; null: unknown. */
export function createLoadUser(database: Queryable) {
  return shareStatements<string, ReturnType<typeof parseWithOpen> | null>(database, {
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

function parseWithOpen(row: Row) {
  return { user: parseUser(row), open: row.id === null ? null : parsePayment(row) }
}

const selectUser = statement(
  'users.one',
  `select ${FACT_COLUMNS}, u.user_id, u.phone, u.created_at from users u where u.user_id = $1`,
)

const parseKnownUser = (row: Row) => ({
  ...parseUser(row),
  userId: text(row, 'user_id'),
  phone: textOrNull(row, 'phone'),
  createdAt: instant(row, 'created_at'),
})

export function findUser(database: Queryable, userId: string) {
  return firstOf(database.query(selectUser, [userId]), parseKnownUser)
}

const selectPaymentWithUser = statement(
  'operator.payment',
  `select ${PAYMENT_COLUMNS}, ${FACT_COLUMNS} from payments p join users u using (user_id) where p.id = $1`,
)

const parsePaymentWithUser = rowOf({ payment: parsePayment, user: parseUser })

export function findPaymentWithUser(database: Queryable, paymentId: string) {
  return firstOf(database.query(selectPaymentWithUser, [paymentId]), parsePaymentWithUser)
}

const selectProfiles = statement(
  'profiles.of_users',
  `select u.user_id, ${PROFILE_COLUMNS} from users u where u.user_id = any($1::text[])`,
)

export async function findProfiles(database: Queryable, userIds: readonly string[]) {
  const rows = userIds.length === 0 ? [] : await database.query(selectProfiles, [userIds])
  return rows.map((row) => ({ userId: text(row, 'user_id'), ...parseProfile(row) }))
}

const selectLocale = statement('profiles.locale', 'select locale from users where user_id = $1')

/** The language of a user's profile; null: unknown. */
export function findUserLocale(database: Queryable, userId: string): Promise<Locale | null> {
  return firstOf(database.query(selectLocale, [userId]), (row) => wordOrNull<Locale>(row, 'locale'))
}

/** The claims of the user's token. They fill only what the platform has not set. */
export interface KnownUser extends Actor {
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly locale?: string | undefined
}

export const userParameters = ({ userId, email, name, locale }: KnownUser) =>
  [userId, email ?? null, name ?? null, locale ?? null] as const

// If everything is known, nothing is written, so no commit waits for the disk.
const remember = statement(
  'profiles.remember',
  `insert into users as u (user_id, email, name, locale, phone, created_at)
   select $1::text, $2::text, $3::text, $4::text, $5::text, $6::timestamptz
    where not exists (
      select from users where user_id = $1::text and (email is not null or $2::text is null)
         and (name is not null or $3::text is null) and (locale is not null or $4::text is null)
         and (phone is not null or $5::text is null))
       on conflict (user_id) do update
      set email = coalesce(u.email, excluded.email), name = coalesce(u.name, excluded.name),
          locale = coalesce(u.locale, excluded.locale), phone = coalesce(u.phone, excluded.phone),
          changed_at = excluded.created_at`,
)

/** Makes sure that the user has a row, and fills empty fields of the profile. */
export async function rememberUser(
  database: Queryable,
  user: KnownUser,
  now: Instant,
  phone: string | null = null,
): Promise<void> {
  await database.query(remember, [...userParameters(user), phone, at(now)])
}

export interface Customer {
  readonly name: string
  /** In the form of `readPhone`; null: they have none. */
  readonly phone: string | null
}

const selectByPhone = statement('profiles.by_phone', 'select user_id from users where phone = $1')

export function findUserByPhone(database: Queryable, phone: string): Promise<string | null> {
  return firstOf(database.query(selectByPhone, [phone]), (row) => text(row, 'user_id'))
}

/** Fills empty fields. If the telephone number is another user's, returns that user and writes nothing. */
export async function rememberCustomer(
  database: Queryable,
  userId: string,
  { name, phone }: Customer,
  now: Instant,
): Promise<string | null> {
  try {
    await rememberUser(database, { userId, name }, now, phone)
    return null
  } catch (error) {
    const isTaken = error instanceof ConstraintViolation && error.constraint === 'users_by_phone'
    if (phone === null || !isTaken) throw error
    return findUserByPhone(database, phone)
  }
}

/** The new values of a profile. Null clears a value, an absent one stays. */
type ProfileChange = { readonly [Field in keyof UserProfile]?: string | null | undefined }

// The version stays: a new name must not make a decision that is being made stale.
const save = statement(
  'profiles.save',
  `insert into users as u (user_id, email, name, locale, created_at)
   select $1, n.email, n.name, n.locale, $3::timestamptz
     from jsonb_to_record($2::jsonb) n(email text, name text, locale text)
       on conflict (user_id) do update
      set email = case when $2::jsonb ? 'email' then excluded.email else u.email end,
          name = case when $2::jsonb ? 'name' then excluded.name else u.name end,
          locale = case when $2::jsonb ? 'locale' then excluded.locale else u.locale end,
          changed_at = excluded.created_at`,
)

export async function saveProfile(
  database: Queryable,
  userId: string,
  change: ProfileChange,
  now: Instant,
): Promise<void> {
  await database.query(save, [userId, JSON.stringify(change), at(now)])
}

export type DueUser = Awaited<ReturnType<typeof loadDueAnnouncements>>[number]

// Uses the index users_announce.
const selectDue = statement(
  'announcements.due',
  `select u.user_id, u.announced, ${FACT_COLUMNS}
     from users u
    where u.announce_at <= $1::timestamptz
    order by u.announce_at
    limit $2::int`,
)

/** The users whose boundary was passed first come first. */
export async function loadDueAnnouncements(database: Queryable, now: Instant, limit: number) {
  const rows = await database.query(selectDue, [at(now), limit])
  return rows.map((row) => ({
    userId: text(row, 'user_id'),
    user: parseUser(row),
    announced: wordOrNull<Boundary>(row, 'announced'),
  }))
}
