// Who a user is: e-mail address, name and language, as the platform or the user's token says. Nothing of it moves money.
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, textOrNull } from '../database/rows.js'

/** Null: not known. */
export interface UserProfile {
  readonly email: string | null
  readonly name: string | null
  readonly locale: Locale | null
}

/** Of `users u`. */
export const PROFILE_COLUMNS = 'u.email, u.name, u.locale'

export function parseProfile(row: Row): UserProfile {
  return {
    email: textOrNull(row, 'email'),
    name: textOrNull(row, 'name'),
    // The check constraint of the column holds the same list.
    locale: textOrNull(row, 'locale') as Locale | null,
  }
}

const selectLocale = statement('profiles.locale', 'select locale from users where user_id = $1')

/** The language of a user's profile; null: not known. */
export async function findUserLocale(database: Queryable, userId: string): Promise<Locale | null> {
  const [row] = await database.query(selectLocale, [userId])
  return row ? (textOrNull(row, 'locale') as Locale | null) : null
}

/** The claims of the user's token. They fill what the platform has not set. */
export interface KnownUser {
  readonly userId: string
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly locale?: string | undefined
}

/** As parameters, in the order of the columns. */
export const fromToken = ({ userId, email, name, locale }: KnownUser) =>
  [userId, email ?? null, name ?? null, locale ?? null] as const

// Nothing is written, and so no commit waits for the disk, where we know all of it already.
const remember = statement(
  'profiles.remember',
  `insert into users as u (user_id, email, name, locale, created_at)
   select $1::text, $2::text, $3::text, $4::text, $5::timestamptz
    where not exists (
      select from users where user_id = $1::text and (email is not null or $2::text is null)
         and (name is not null or $3::text is null) and (locale is not null or $4::text is null))
       on conflict (user_id) do update
      set email = coalesce(u.email, excluded.email), name = coalesce(u.name, excluded.name),
          locale = coalesce(u.locale, excluded.locale)`,
)

/** Makes sure that the user has a row, and fills what was not known. */
export async function rememberUser(database: Queryable, user: KnownUser, now: Instant): Promise<void> {
  await database.query(remember, [...fromToken(user), at(now)])
}

/** What the platform says of a user. Absent: leave it; null: forget it. */
export type ProfileChange = Partial<UserProfile>

// The version stays: a decision that is under way is not made stale by a new name.
const save = statement(
  'profiles.save',
  `insert into users as u (user_id, email, name, locale, created_at)
   values ($1, $2, $3, $4, $8::timestamptz)
       on conflict (user_id) do update
      set email = case when $5::bool then excluded.email else u.email end,
          name = case when $6::bool then excluded.name else u.name end,
          locale = case when $7::bool then excluded.locale else u.locale end`,
)

/** Makes the user known where they were not. */
export async function saveProfile(
  database: Queryable,
  userId: string,
  change: ProfileChange,
  now: Instant,
): Promise<void> {
  const { email, name, locale } = change
  const given = [email !== undefined, name !== undefined, locale !== undefined]
  const values = [email ?? null, name ?? null, locale ?? null]
  await database.query(save, [userId, ...values, ...given, at(now)])
}
