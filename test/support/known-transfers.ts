// Transfers in any state, as rows: what queries about bank statements compare lines with.

import { INSERT_SELLER, insertReceipts } from '../../bench/support/receipt-rows.mjs'
import type { Queryable } from '../../packages/ishtirak/src/database/database.js'
import { sql } from './sql.js'

/** User `user-<n>` has the payment `pay_<n>` with the reference `ref_<n>`. */
export interface KnownTransfer {
  readonly n: number
  readonly amount?: number
  readonly state: 'open' | 'ended' | 'approved'
  readonly status: 'pending' | 'paid' | 'refunded' | 'expired' | 'review'
  readonly approvedBy: string | null
}

export const bookedByKarim = (n: number, changes: Partial<KnownTransfer> = {}): KnownTransfer => ({
  ...{ n, state: 'approved', status: 'paid', approvedBy: 'karim', ...changes },
})

const insert = sql(`with input as (
     select 'user-' || n as user_id, 'pay_' || n as id, 'ref_' || n as reference, n,
            coalesce(amount, 2000) as amount, state, status, status in ('paid', 'refunded') as is_booked,
            timestamptz '2026-11-20' as day,
            case when "approvedBy" is null then '[]'
                 else jsonb_build_array(jsonb_build_object('by', "approvedBy")) end as approvals
       from jsonb_to_recordset($1::jsonb)
         known (n int, amount int, state text, status text, "approvedBy" text)
   ), payer as (
     insert into users (user_id, created_at) select user_id, day from input
   ), payment as (
     insert into payments (user_id, id, plan, amount, currency, live, method, status, method_reference,
       created_at, expires_at, attempt_ends_at, paid_at, period_start, period_end, review)
     select user_id, id, '{}', amount, 'DZD', false, 'transfer', status, reference, day,
            day + interval '7 days', day, case when is_booked then day end, case when is_booked then day end,
            case when is_booked then day + interval '30 days' end,
            case when status = 'review' then '{}'::jsonb end
       from input
   ), seller as (
     ${INSERT_SELLER}
   ), receipt as (
     ${insertReceipts(`select user_id, id, '2026' as series, n as number, day as issued_at, amount
                         from input where is_booked`)}
   )
   insert into transfers (user_id, payment_id, reference, state, approvals)
   select user_id, id, reference, state, approvals from input`)

export async function insertTransfers(
  database: Queryable,
  transfers: readonly KnownTransfer[],
): Promise<void> {
  await database.query(insert, [JSON.stringify(transfers)])
}
