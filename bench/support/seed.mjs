// Fills the database of a benchmark with users who paid and payments that wait for their webhook. The ids are
// counted, so that the driver can name them.
import { openDatabase, readPlans, statement } from '../../packages/ishtirak/dist/main/internal.js'
import { createDatabase } from './postgres.mjs'
import { INSERT_SELLER, insertReceipts } from './receipt-rows.mjs'
import { startService } from './service.mjs'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const PRO = readPlans(undefined).plans.find(({ id }) => id === 'pro')

/** Users u_1…: each in the middle of a paid month, with `paymentsEach` months bought one after the other. */
const insertUsers = statement(
  'bench.users',
  `insert into users (user_id, version, event_sequence, anchor_at, run_months, paid_until, periods,
                      last_instrument, email, name, created_at, announce_at)
   select 'u_' || i, $3::int, 0, $4::timestamptz - ($3::int - 1) * interval '30 days', $3::int,
          $4::timestamptz + interval '30 days',
          jsonb_build_array(jsonb_build_object('sourceId', 'pay_u_' || i || '_' || $3::int, 'plan', $5::jsonb,
            'months', 1, 'start', extract(epoch from $4::timestamptz) * 1000,
            'end', extract(epoch from $4::timestamptz + interval '30 days') * 1000)),
          'edahabia', 'u' || i || '@example.dz', 'User ' || i, $4::timestamptz - interval '1 year',
          $4::timestamptz + interval '23 days'
     from generate_series($1::int, $2::int) i`,
)
const PAID = `with paid as (
   insert into payments (user_id, id, plan, amount, currency, live, status, method_reference, checkout_url,
                         instrument, created_at, expires_at, attempt_ends_at, paid_at, period_start,
                         period_end)
   select 'u_' || i, 'pay_u_' || i || '_' || n, $5::jsonb, 2000, 'DZD', false, 'paid',
          'chk_u_' || i || '_' || n,
          'https://pay.chargily.dz/test/checkouts/chk_u_' || i || '_' || n || '/pay', 'edahabia', s,
          s + interval '30 minutes', s, s + interval '1 minute', s, s + interval '30 days'
     from generate_series($1::int, $2::int) i, generate_series(1, $3::int) n,
          lateral (select $4::timestamptz - ($3::int - n) * interval '30 days' as s) t
   )`
const RECEIPTS = `
     select 'u_' || i as user_id, 'pay_u_' || i || '_' || n as id, 'BENCH' as series,
            (i - 1) * $3::int + n as number, $4::timestamptz as issued_at, 2000 as amount
       from generate_series($1::int, $2::int) i, generate_series(1, $3::int) n`
const insertPaid = statement(
  'bench.paid',
  `${PAID}, sold_by as (${INSERT_SELLER}) ${insertReceipts(RECEIPTS)}`,
)
const insertPaidEarlier = statement(
  'bench.paid_earlier',
  `${PAID}
   insert into receipts (user_id, payment_id, series, number, issued_at, snapshot)
   select user_id, id, series, number, issued_at, '{}' from (${RECEIPTS}) r`,
)
/** Users with one payment that waits for its webhook. */
const insertWaitingUsers = statement(
  'bench.waiting_users',
  `insert into users (user_id, version, created_at)
   select $1::text || i, 1, $4::timestamptz from generate_series($2::int, $3::int) i`,
)
const insertWaiting = statement(
  'bench.waiting',
  `insert into payments (user_id, id, plan, amount, currency, live, status, method_reference, checkout_url,
                         created_at, expires_at, attempt_ends_at, next_check_at)
   select $1::text || i, 'pay_' || $1::text || i, $5::jsonb, 2000, 'DZD', false, 'pending',
          'chk_' || $1::text || i, 'https://pay.chargily.dz/test/checkouts/chk_' || $1::text || i || '/pay',
          $4::timestamptz, $4::timestamptz + interval '30 minutes', $4::timestamptz,
          $4::timestamptz + interval '1 day'
     from generate_series($2::int, $3::int) i`,
)
const insertEntries = statement(
  'bench.entries',
  `insert into balance_entries (user_id, sequence, id, kind, amount, balance_before, balance_after,
                                created_at)
   select user_id, 1, 'bal_' || user_id, 'correction', 6000, 0, 6000, $1::timestamptz from users`,
)
const giveOrders = statement(
  'bench.orders',
  `update users set balance = 6000, balance_entry = 1, balance_since = $1::timestamptz,
          standing_order = jsonb_build_object('plan', $2::jsonb, 'months', 1, 'price', 2000, 'offered', null),
          renews_at = paid_until`,
)
/** Each user has the portal open: the cookie is `session_of_` and the user's id. */
const insertSessions = statement(
  'bench.sessions',
  `insert into portal_sessions (user_id, id, session_digest, expires_at)
   select 'u_' || i, 'prt_u_' || i,
          translate(rtrim(encode(sha256(convert_to('session_of_u_' || i, 'UTF8')), 'base64'), '='),
                    '+/', '-_'),
          $3::timestamptz + interval '8 hours'
     from generate_series($1::int, $2::int) i`,
)
/** Leaves out empty tables: the planner expects a table that it has never analyzed to grow. */
const analyze = statement('bench.analyze', 'analyze users, payments, portal_sessions')

/** True if the schema is older than 0001_schema, as that of the anchor is. */
const selectEarlier = statement(
  'bench.earlier',
  `select exists (select from information_schema.columns
                   where table_schema = current_schema() and table_name = 'payments'
                     and column_name = 'checkout_id') as is_earlier`,
)
/** The names of columns and members in the schema of the anchor. */
const EARLIER = {
  method_reference: 'checkout_id',
  instrument: 'payment_method',
  last_instrument: 'payment_method',
  periods: 'months',
  sourceId: 'paymentId',
}
const earlier = (asked) => ({
  ...asked,
  text: asked.text.replace(/\b\w+\b/g, (word) => EARLIER[word] ?? word),
})

/** Rows per query: the server has a time limit for each query. */
const SLICE = 5_000
/** Gives each user a balance of 6,000 dinars and a standing order. */
export async function seedOrders(database) {
  const now = new Date().toISOString()
  await database.transaction(async (transaction) => {
    await transaction.query(insertEntries, [now])
    await transaction.query(giveOrders, [now, JSON.stringify(PRO)])
  })
}

/**
 * Starts a service on a database of its own with these rows. The service makes its schema first. The rows fit
 * both schemas, because new columns have defaults.
 */
export async function startSeeded(server, name, { rows, ...options }) {
  const databaseUrl = await createDatabase(server.url, name)
  const service = await startService({ databaseUrl, ...options })
  const database = await openDatabase({ url: databaseUrl })
  await seed(database, rows)
  await database.close()
  return service
}

/** Expects the schema. `waiting`: how many payments wait, by the prefix of their users. */
export async function seed(database, { users, paymentsEach = 10, waiting = {} }) {
  const now = Date.now()
  const at = (instant) => new Date(instant).toISOString()
  const plan = JSON.stringify(PRO)
  const [{ is_earlier: isEarlier }] = await database.query(selectEarlier)
  const insert = (asked, values) => database.query(isEarlier ? earlier(asked) : asked, values)
  await inSlices(users, Math.ceil(SLICE / paymentsEach), async (first, last) => {
    const values = [first, last, paymentsEach, at(now - 10 * DAY), plan]
    await insert(insertUsers, values)
    await insert(isEarlier ? insertPaidEarlier : insertPaid, values)
    await insert(insertSessions, [first, last, at(now)])
  })
  for (const [prefix, count] of Object.entries(waiting)) {
    await inSlices(count, SLICE, async (first, last) => {
      await insert(insertWaitingUsers, [prefix, first, last, at(now - MINUTE)])
      await insert(insertWaiting, [prefix, first, last, at(now - MINUTE), plan])
    })
  }
  await database.query(analyze)
}

/** Two slices at a time, since there are two cores. */
async function inSlices(count, size, insert) {
  let first = 1
  const work = async () => {
    while (first <= count) {
      const begin = first
      first += size
      await insert(begin, Math.min(count, begin + size - 1))
    }
  }
  await Promise.all([work(), work()])
}
