// The click on "upgrade" as rows: what is known of the user, the request written before the provider is called, and the
// lease of whoever is at the provider for it.
import { HOUR, type Instant } from '../domain/instant.js'
import type { Payment } from '../domain/payment.js'
import type { UpgradeFacts } from '../domain/upgrade.js'
import { ConstraintViolation, type Queryable, statement } from './database.js'
import { PAYMENT_COLUMNS, parsePayment } from './payments.js'
import { at } from './rows.js'
import { FACT_COLUMNS, parseUser } from './users.js'

/** What the user's token says of him. It fills what the platform has not told us. */
export interface KnownUser {
  readonly userId: string
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly locale?: string | undefined
}

// Nothing is written, and so no commit waits for the disk, where we know all of it already.
const ensureUser = statement(
  'upgrades.ensure_user',
  `insert into users as u (user_id, email, name, locale, created_at)
   select $1::text, $2::text, $3::text, $4::text, $5::timestamptz
    where not exists (
      select from users where user_id = $1::text and (email is not null or $2::text is null)
         and (name is not null or $3::text is null) and (locale is not null or $4::text is null))
       on conflict (user_id) do update
      set email = coalesce(u.email, excluded.email), name = coalesce(u.name, excluded.name),
          locale = coalesce(u.locale, excluded.locale)`,
)

const selectFacts = statement(
  'upgrades.load',
  `select ${FACT_COLUMNS}, p.*,
          (select coalesce(jsonb_agg(extract(epoch from r.created_at) * 1000 order by r.created_at), '[]')
             from payments r where r.user_id = u.user_id and r.created_at > $2::timestamptz) as recent_at
     from users u
     left join lateral (
       select ${PAYMENT_COLUMNS} from payments p
        where p.user_id = u.user_id and p.status in ('requested', 'pending')
     ) p on true
    where u.user_id = $1`,
)

/** Makes sure that the user has a row, and gives what a decision about his upgrade needs. */
export async function loadForUpgrade(
  database: Queryable,
  user: KnownUser,
  now: Instant,
): Promise<UpgradeFacts & { readonly version: number }> {
  await rememberUser(database, user, now)
  const [row] = await database.query(selectFacts, [user.userId, at(now - HOUR)])
  if (!row) throw new Error('the user that was just made sure of is not there')
  const { version, subscription } = parseUser(row)
  return {
    version,
    subscription,
    open: row.id === null ? null : parsePayment(row),
    // Aggregated by the statement above from a timestamptz, in milliseconds.
    recentAt: row.recent_at as readonly Instant[],
  }
}

/** Makes sure that the user has a row, and fills what we did not know of him. */
export async function rememberUser(database: Queryable, user: KnownUser, now: Instant): Promise<void> {
  const { userId, email, name, locale } = user
  await database.query(ensureUser, [userId, email ?? null, name ?? null, locale ?? null, at(now)])
}

const insertRequested = statement(
  'upgrades.request',
  `with guard as (
     update users set version = version + 1 where user_id = $1 and version = $2 returning user_id
   )
   insert into payments (user_id, id, plan, amount, currency, live, status, created_at, expires_at,
                         attempt_ends_at, next_check_at)
   select user_id, $3::text, $4::jsonb, $5::int, $6::text, $7::bool, 'requested', $8::timestamptz, $9::timestamptz,
          $10::timestamptz, $11::timestamptz
     from guard
   returning id`,
)

/** Writes the payment before anyone is asked to pay. False: somebody else has taken the user's one place. */
export async function insertPayment(
  database: Queryable,
  payment: Payment,
  version: number,
): Promise<boolean> {
  try {
    const rows = await database.query(insertRequested, [
      payment.userId,
      version,
      payment.id,
      JSON.stringify(payment.plan),
      payment.price.amount,
      payment.price.currency,
      payment.live,
      at(payment.createdAt),
      at(payment.expiresAt),
      at(payment.attemptEndsAt),
      at(payment.nextCheckAt),
    ])
    return rows.length === 1
  } catch (error) {
    if (error instanceof ConstraintViolation && error.constraint === 'payments_one_open_per_user')
      return false
    throw error
  }
}

const moveLease = statement(
  'upgrades.move_lease',
  `update payments set attempt_ends_at = $4::timestamptz
    where user_id = $1 and id = $2 and status = 'requested' and attempt_ends_at = $3::timestamptz
   returning id`,
)

/** Takes over a request that was left half way, or gives one back early. False: somebody else holds it now. */
export async function moveAttemptLease(
  database: Queryable,
  payment: Payment,
  attemptEndsAt: Instant,
): Promise<boolean> {
  const { userId, id } = payment
  const rows = await database.query(moveLease, [userId, id, at(payment.attemptEndsAt), at(attemptEndsAt)])
  return rows.length === 1
}

const releaseLeases = statement(
  'upgrades.release_leases',
  `update payments set attempt_ends_at = $1::timestamptz
    where status = 'requested' and attempt_ends_at > $1::timestamptz`,
)

/** For the embedded database at its start: it has one process, so whoever held a lease is gone. */
export async function releaseAttemptLeases(database: Queryable, now: Instant): Promise<void> {
  await database.query(releaseLeases, [at(now)])
}

const withdraw = statement(
  'upgrades.withdraw',
  `with guard as (
     update users set version = version + 1 where user_id = $1
   )
   update payments set status = $3::text, next_check_at = null
    where user_id = $1 and id = $2 and status = 'requested'`,
)

/** There is no checkout and will be none (refused, or never made), so the user's place is free again. */
export async function withdrawPayment(
  database: Queryable,
  payment: Payment,
  status: 'canceled' | 'expired',
): Promise<void> {
  await database.query(withdraw, [payment.userId, payment.id, status])
}
