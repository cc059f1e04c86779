// The shop that the console is measured on: five years of payments, laid down in the order in which they were
// made, and what waits for operators. Made by the database itself, without indexes and keys, which come when
// the rows are there.

import pg from 'pg'
import { INSERT_SELLER, insertReceipts } from './receipt-rows.mjs'
import { PRO } from './seed.mjs'

/**
 * A tenth of the users came 55 months ago and paid each month; the others paid four months, and left a page
 * unpaid.
 */
const [FAITHFUL_MONTHS, OTHERS_MONTHS] = [55, 4]
/** Each thirtieth user pays on this day, every 30 days: six times as many payments as on another. */
const BUSY_DAYS_AGO = 12

/** Midnight in UTC, of today; ids are counted. */
const today = new Date(new Date().toISOString().slice(0, 10))
export const userIdOf = (i) => `user_${String(i).padStart(8, '0')}`
export const paymentIdOf = (i, n) => `pay_${String(n).padStart(8, '0')}${String(i).padStart(18, '0')}`
export const dayAgo = (days) => new Date(today - days * 86_400_000).toISOString().slice(0, 10)
export const busyDay = dayAgo(BUSY_DAYS_AGO)

const plan = `'${JSON.stringify(PRO)}'::jsonb`
const day0 = `timestamptz '${today.toISOString()}'`
const userId = `'user_' || lpad(i::text, 8, '0')`
const id = (prefix) => `'${prefix}' || lpad(n::text, 8, '0') || lpad(i::text, 18, '0')`

/**
 * User `i`, purchase `n` from 1 on, 0 for the page that was not paid; `at` is when it was begun, `paid` the
 * last one.
 */
const purchases = (users) => `(
  select i, n, months, i % 50 = 7 as by_transfer,
         last_day - (months - greatest(n, 1)) * interval '30 days' - (n = 0)::int * interval '1 day'
           + (i::bigint * 7919 % 80000) * interval '1 second' as at
    from generate_series(1, ${users}) i,
         lateral (select case when i % 10 = 0 then ${FAITHFUL_MONTHS} else ${OTHERS_MONTHS} end as months,
                         ${day0} - interval '1 day' * case when i % 30 = 0 then ${BUSY_DAYS_AGO}
                           when i % 10 = 0 then 1 + i::bigint * 7 % 29
                           else 2 + i::bigint * 7727 % 1700 end as last_day) of_user,
         lateral generate_series((i % 10 = 0)::int, months) n) purchases`

const amount = '(array[2000, 2000, 2000, 4500, 4500, 1800, 1000, 9000])[1 + (i + n) % 8]'
const isRefunded = '(i * 31 + n) % 67 = 0 and n < months'

/** Those that were begun in the span; the older half and the newer half are written beside each other. */
const paid = (users, span) => `
  insert into payments (user_id, id, plan, amount, discount, currency, live, status, method_reference,
                        checkout_url, instrument, method, created_at, expires_at, attempt_ends_at, paid_at,
                        period_start, period_end, second_of, reports)
  select ${userId}, ${id('pay_')}, ${plan}, amount,
         case amount when 1800 then 200 when 1000 then 1000 else 0 end, 'DZD', false,
         case when n = 0 then 'expired' when ${isRefunded} then 'refunded' else 'paid' end, ${id('chk_')},
         case when not by_transfer then 'https://pay.chargily.dz/checkouts/' || ${id('chk_')} || '/pay' end,
         case when n = 0 then null when by_transfer then 'ccp' when i % 4 = 0 then 'cib' else 'edahabia' end,
         case when by_transfer then 'transfer' else 'chargily' end, at, at + interval '30 minutes', at,
         paid_at, paid_at, paid_at + interval '30 days',
         case when n = months and i % 3000 = 11 then ${id('pay_')} end,
         case when n = 0 then '[]' else jsonb_build_array(jsonb_build_object(
           'source', 'webhook', 'eventId', ${id('evt_')}, 'paymentId', ${id('pay_')},
           'checkoutId', ${id('chk_')}, 'heardAt', extract(epoch from paid_at)::bigint * 1000,
           'outcome', 'booked', 'status', 'paid', 'amount', amount, 'currency', 'DZD', 'live', false,
           'fees', 45, 'saidPaidAt', null, 'isInstantBelieved', true)) end
    from (select *, ${amount} as amount, case when n > 0 then at + interval '90 seconds' end as paid_at
            from ${purchases(users)} where ${span} order by at) p`

const MIDDLE = `${day0} - interval '2 years'`

/** One after the other, each pair of lists beside each other: there are two cores. */
const steps = (users) => [
  [[paid(users, `at < ${MIDDLE}`)], [paid(users, `at >= ${MIDDLE}`)]],
  [
    [
      // Pages under review and transfers that wait belong to users who have one besides all that was paid.
      `insert into payments (user_id, id, plan, amount, currency, live, status, method_reference, method,
                             created_at, expires_at, attempt_ends_at, review)
       select ${userId}, ${id('pay_')}, ${plan}, 2000, 'DZD', false,
              case when isReview then 'review' else 'pending' end, ${id('chk_')},
              case when isReview then 'chargily' else 'transfer' end, at, at + interval '10 days', at,
              case when isReview then
                '{"differences": ["amount"], "status": "paid", "amount": 1900, "currency": "DZD"}'::jsonb end
         from generate_series(1, ${users}, 1250) i,
              lateral (select 90 as n, i % 2 = 1 as isReview, ${day0} - i * interval '1 second' as at) s`,
      INSERT_SELLER,
      insertReceipts(`
        select user_id, id, series, row_number() over (partition by series order by paid_at, id) as number,
               paid_at as issued_at, amount
          from (select *, 'TEST-' || to_char(paid_at at time zone 'Africa/Algiers', 'YYYY') as series
                  from payments where paid_at is not null) p`),
      `insert into document_series (series, last_number)
       select series, max(number) from documents group by series`,
    ],
    [
      `insert into users (user_id, version, event_sequence, delivered_sequence, anchor_at, run_months,
                          paid_until, periods, last_instrument, email, name, locale, created_at, announce_at)
       select ${userId}, months, waiting, 0, at, 1, at + interval '30 days',
              jsonb_build_array(jsonb_build_object('sourceId', ${id('pay_')}, 'plan', ${plan}, 'months', 1,
                'start', extract(epoch from at) * 1000,
                'end', extract(epoch from at + interval '30 days') * 1000)),
              'edahabia', first || '.' || last || i || '@' ||
                (array['gmail.com', 'example.dz', 'outlook.com'])[1 + i % 3],
              initcap(first || ' ' || last), 'fr', at - (months - 1) * interval '30 days',
              case when at + interval '23 days' > now() then at + interval '23 days' end
         from ${purchases(users)},
              lateral (select case when i % 500 = 3 then 1 else 0 end as waiting,
                              (array['amina', 'mohamed', 'yasmine', 'karim', 'nadia', 'sofiane', 'lina',
                                     'omar'])[1 + i % 8] as first,
                              'ben' || translate((i % 5000)::text, '0123456789', 'aeioulmnrs') as last) named
        where n = months`,
      `insert into user_search (user_id, key)
       select user_id, key from users, search_keys(name, email, buyer) key`,
      `insert into reconciliations (id, method, since_at, started_by, started_at, next_round_at, finished_at,
                                    checkouts, discrepancies)
       select 'rcn_' || lpad(n::text, 10, '0'), 'chargily', t - interval '3 days', 'schedule', t, t,
              t + interval '1 minute', 17000, 10
         from generate_series(1, 1826) n, lateral (select ${day0} - (1826 - n) * interval '1 day' as t) s`,
      `insert into discrepancies (id, user_id, method, checkout_id, kind, payment_id, outcome, details,
                                  reconciliation_id, found_at, seen_at)
       select 'dsc_' || c.id || n, ${userId}, 'chargily', 'chk_' || c.id || n, 'differs',
              ${id('pay_')}, 'reported', '{"amount": 2000}', c.id, c.started_at, c.finished_at
         from reconciliations c, generate_series(1, case when c.id = 'rcn_0000001826' then 200 else 10 end) n,
              lateral (select 1 + (right(c.id, 4)::int * 500 + n * 37) % ${users} as i) s`,
      `insert into event_endpoint (url, deliver_from)
       values ('https://host.example', ${day0} - interval '5 years')`,
      // Events that the platform does not take: a fifth of those who wait.
      `insert into outbox (user_id, sequence, id, type, payment_id, told, created_at, attempts, failure)
       select ${userId}, 1, 'evt_' || i, 'payment.paid', 'pay_1', '{}',
              ${day0} - i * interval '1 second' / 10, case when i % 2500 = 3 then 9 else 1 end, 'answered 500'
         from generate_series(3, ${users}, 500) i`,
      `insert into mails (user_id, kind, about, queued_at, due_at, attempts, outcome)
       select ${userId}, 'receipt', 'pay_' || i, ${day0} - i * interval '2 seconds', null, 1,
              case when i % 2000 = 1 then 'refused: 550 no such mailbox' else 'sent' end
         from generate_series(1, ${users} / 2) i`,
      `insert into audit (user_id, id, acted_at, actor, act, before, after)
       select '', 'act_' || lpad(n::text, 26, '0'), ${day0} - (100000 - n) * interval '25 minutes', 'amina',
              'sign_in', '{}', '{}'
         from generate_series(1, 100000) n`,
      `insert into operator_sessions (id, session_digest, operator, role, signed_in_by, key_digest,
                                      created_at, expires_at)
       select 'ses_' || n, 'digest_' || n, 'amina', 'owner', 'key', 'digest', now(),
              now() + interval '8 hours'
         from generate_series(1, 20) n`,
      `insert into provider_events (user_id, id, type, checkout_id, payment_id, outcome, report, received_at)
       select user_id, 'evt_' || substr(id, 5), 'checkout.paid', method_reference, id, 'booked',
              jsonb_build_object('amount', amount), paid_at
         from payments where paid_at is not null and method = 'chargily'`,
      `insert into audit (user_id, id, acted_at, actor, act, reason, payment_id, before, after)
       select user_id, 'act_' || substr(id, 5), paid_at + interval '5 days', 'amina', 'payment.refund',
              'asked for', id, '{}', '{}'
         from payments where status = 'refunded'`,
    ],
  ],
  [
    [
      `insert into transfers (user_id, payment_id, reference, state, approvals, proof_at)
     select user_id, id, method_reference, case when paid_at is null then 'open' else 'approved' end,
            case when paid_at is null and right(id, 1) < '5' then '[]'
                 else '[{"by": "amina", "at": 1790000000000, "amount": 2000}]' end::jsonb,
            created_at + interval '1 hour'
       from payments where method = 'transfer' and (paid_at is not null or status = 'pending')`,
    ],
  ],
]

/** Into a database with an empty schema. `told` is called with each part and how long it took. */
export async function fillShop(url, { users, told = () => {} }) {
  const [one, other] = await Promise.all([connect(url), connect(url)])
  const timed = async (name, work) => {
    const startedAt = performance.now()
    await work
    told(name, Math.round((performance.now() - startedAt) / 1000))
  }
  const kept = await dropKeys(one)
  // What is written to no log is read as any other table.
  const { rows: tables } = await one.query(
    "select tablename as name from pg_tables where schemaname = 'public'",
  )
  for (const { name } of tables)
    await one.query(`alter table ${name} set unlogged; alter table ${name} disable trigger all`)
  const inTurn = async (client, statements) => {
    for (const text of statements) await timed(text.slice(0, 40), client.query(text))
  }
  for (const [ours, beside] of steps(users)) await Promise.all([inTurn(one, ours), inTurn(other, beside)])
  const indexes = kept.indexes.values()
  const build = async (client) => {
    for (const text of indexes) await client.query(text)
  }
  await timed('indexes', Promise.all([build(one), build(other)]))
  await timed('keys', inTurn(one, kept.keys))
  for (const { name } of tables) await one.query(`alter table ${name} enable trigger all`)
  await timed('vacuum', one.query('vacuum analyze'))
  await Promise.all([one, other].map((client) => client.end()))
}

async function connect(url) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    "set work_mem = '1GB'; set maintenance_work_mem = '1GB'; set synchronous_commit = off; set jit = off",
  )
  return client
}

/** Gives the statements that make them again. */
async function dropKeys(client) {
  const { rows: constraints } = await client.query(
    `select conrelid::regclass as on, conname as name, contype as type,
            pg_get_constraintdef(oid) as definition
       from pg_constraint
      where connamespace = 'public'::regnamespace and contype in ('f', 'p', 'u') order by contype`,
  )
  const { rows: indexes } = await client.query(
    `select indexname as name, indexdef as definition from pg_indexes where schemaname = 'public'`,
  )
  for (const { on, name } of constraints) await client.query(`alter table ${on} drop constraint ${name}`)
  for (const { name } of indexes) await client.query(`drop index if exists ${name}`)
  const references = constraints.filter(({ type }) => type === 'f')
  const unique = constraints.filter(({ type }) => type !== 'f')
  const using = { p: 'primary key', u: 'unique' }
  return {
    indexes: indexes.map(({ definition }) => definition),
    keys: [
      ...unique.map(
        ({ on, name, type }) => `alter table ${on} add constraint ${name} ${using[type]} using index ${name}`,
      ),
      ...references.map(
        ({ on, name, definition }) => `alter table ${on} add constraint ${name} ${definition} not valid`,
      ),
    ],
  }
}
