import { INSERT_SELLER, insertReceipts } from '../../bench/support/receipt-rows.mjs'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import type { SettlementChange } from '../../packages/ishtirak/src/ledger/settlement-change.js'
import type { UsageOperation } from '../../packages/ishtirak/src/limits/decide-usage.js'
import { bookingOf } from '../support/bookings.js'
import { aPayment, NOON } from '../support/fixtures.js'

/** A small part has something due: a small table would be scanned rightly. */
export async function fill(database: Database, users: number): Promise<void> {
  // Of all rows: what a sample says of a few rare ones is another thing in each run.
  const all = 'set local default_statistics_target = 1000; analyze'
  await database.script(`${rowsOf(users).join(';')}; ${all}`)
}

export const rowsOf = (users: number): string[] => [
  `insert into users (user_id, version, event_sequence, delivered_sequence, email, name, created_at,
    announce_at)
   select 'user-' || n, 1, 3, case when n % 1000 = 0 then 1 else 3 end,
          'user-' || n || '@host.example', 'Amina Benali ' || n, now(),
          timestamptz '2026-11-21T12:00:00Z' + (case when n % 1000 = 0 then -1
            else n end) * interval '1 minute'
     from generate_series(1, ${users}) n`,
  `insert into payments (user_id, id, plan, amount, currency, live, status, method_reference, checkout_url,
    created_at,
                         expires_at, attempt_ends_at, next_check_at)
   select 'user-' || n, 'pay_' || n || '_' || k, '{}', 2000, 'DZD', false, case k when 5 then 'pending'
     else 'failed' end,
          'chk_' || n || '_' || k, 'https://pay.example', t, t + interval '30 minutes', t,
          case when k = 5 then t + (case when n % 1000 = 0 then 0 else 1 end) * interval '1 day' end
     from generate_series(1, ${users}) n, generate_series(1, 5) k,
          lateral (select timestamptz '2026-11-21T11:50:00Z' - (5 - k) * interval '30 days' as t) s`,
  `insert into outbox (user_id, sequence, id, type, content, created_at)
   select 'user-' || n, k, 'evt_' || n || '_' || k, 'payment.failed', '{}',
     timestamptz '2026-11-21T11:00:00Z' - n * interval '1 second'
     from generate_series(1, ${users}) n, generate_series(1, 3) k`,
  `insert into provider_events (user_id, id, type, outcome, received_at)
   select 'user-' || n, 'evt_' || n, 'checkout.failed', 'failed', now() from generate_series(1, ${users}) n`,
  INSERT_SELLER,
  // The seller of the bookings below, which only the first one would write.
  `insert into seller_versions (hash, seller)
   select unnest('{${sellersOf(booking('user-1'))}}'::text[]), '{}'`,
  insertReceipts(`select user_id, id, '2025' as series, row_number() over (order by id) as number,
                         now() as issued_at, amount
                    from payments where id like '%\\_1'`),
  `insert into mails (user_id, kind, about, queued_at, due_at)
   select 'user-' || n, 'receipt', 'pay_' || n, timestamptz '2026-11-21T11:00:00Z',
          case when n % 1000 = 0 then timestamptz '2026-11-21T11:00:00Z' end
     from generate_series(1, ${users}) n`,
  `insert into usage (user_id, limit_name, scope, counts_as, used, revision)
    select 'user-' || n, 'projects', '', 'gauge', 1, 1 from generate_series(1, ${users}) n`,
  `insert into usage_operations (user_id, operation_id, kind, limit_name, scope, amount, maximum, used,
    created_at)
    select 'user-' || n, 'old', 'consume', 'projects', '', 1, 3, 1, now() from generate_series(1,
      ${users}) n`,
  `insert into transfers (user_id, payment_id, reference, state, refusal, proof_at)
   select 'user-' || n, 'pay_' || n || '_4', 'reference-' || n, case when n % 1000 = 0 then 'open'
     else 'refused' end, 'late',
          timestamptz '2026-11-21T11:00:00Z'
     from generate_series(1, ${users}) n`,
  `insert into transfer_proofs (user_id, payment_id, n, uploaded_at, media_type, bytes, sha256)
   select 'user-' || n, 'pay_' || n || '_4', 1, timestamptz '2026-11-21T11:00:00Z', 'image/png', 9,
     'digest-' || n
     from generate_series(1, ${users}) n`,
  // Asked for, and no proof so far.
  `with asked as (
     insert into payments (user_id, id, plan, amount, currency, live, method, status, method_reference,
       created_at, expires_at, attempt_ends_at)
     select 'user-' || n, 'pay_' || n || '_6', '{}', 2000, 'DZD', false, 'transfer', 'pending', 'slip-' || n,
       t, t + interval '7 days', t
       from generate_series(1000, ${users}, 1000) n,
         lateral (select timestamptz '2026-11-21T11:50:00Z' as t) s
     returning user_id, id, method_reference
   )
   insert into transfers (user_id, payment_id, reference) select user_id, id, method_reference from asked`,
  `insert into reconciliations (id, method, since_at, started_by, started_at, next_round_at, finished_at)
   select 'rcn_' || n, 'chargily', t, 'schedule', t, t, t
     from generate_series(1, 500) n,
       lateral (select timestamptz '2026-11-21T12:00:00Z' - n * interval '1 day' as t) s`,
  `insert into discrepancies (id, user_id, method, checkout_id, kind, outcome, details, reconciliation_id,
    found_at, seen_at)
   select 'dsc_' || n, 'user-' || n, 'chargily', 'chk_' || n || '_1', 'differs', 'reported', '{}',
          'rcn_' || (1 + n % 500), t, t
     from generate_series(1, ${users}) n,
          lateral (select timestamptz '2026-11-21T12:00:00Z' - (1 + n % 500) * interval '1 day' as t) s`,
  `insert into audit (user_id, id, acted_at, actor, act, payment_id, before, after)
   select 'user-' || n, 'act_' || n,
     timestamptz '2026-11-21T11:00:00Z' - interval '1 day' * (n % 1000 + n / 1000 * 20),
          'amina', case when n % 1000 = 0 then 'payment.refund' else 'payment.recheck' end,
            'pay_' || n || '_1', '{}', '{}'
     from generate_series(1, ${users}) n`,
  `insert into event_endpoint (url, deliver_from) values ('https://host.example', timestamptz '2026-01-01')`,
]

export const ids = (count: number) => Array.from({ length: count }, (_, n) => `user-${n + 1}`)
export function booking(userId: string): SettlementChange {
  const number = userId.slice('user-'.length)
  const payment = aPayment({
    userId,
    id: `pay_${number}_5`,
    checkoutId: `chk_${number}_5`,
    nextCheckAt: null,
  })
  return bookingOf(payment, { version: 1, eventId: `evt_paid_${userId}` })
}

const sellersOf = ({ documents }: SettlementChange) => documents.map(({ seller }) => seller).join()

export const consume: UsageOperation = {
  kind: 'consume',
  userId: 'user-7',
  limit: 'projects',
  countsAs: 'gauge',
  scopeId: '',
  amount: 1,
  operationId: 'deploy-1',
  consumeOperationId: null,
  resetsAt: null,
  maximum: 10,
  version: 1,
  isUserRead: true,
  now: NOON,
}
