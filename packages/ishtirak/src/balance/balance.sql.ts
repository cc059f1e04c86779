// Finds users whose renewal is due or near, standing orders that match no sold offer, and the purchase that a
// call repeats.
import type { PaysAtOnce } from '../acts/capability.js'
import type { Instant } from '../core/instant.js'
import type { Actor } from '../core/person.js'
import type { Offer } from '../core/plan.js'
import { BY_BALANCE } from '../core/subscription.js'
import { type Queryable, statement } from '../database/database.js'
import { at, firstOf, rowOf, text } from '../database/rows.js'
import { FACT_COLUMNS, parseUser } from '../ledger/users.sql.js'

// Uses the index users_renew.
const selectDue = statement(
  'balance.due_renewals',
  `select u.user_id, ${FACT_COLUMNS} from users u
    where u.renews_at <= $1::timestamptz
    order by u.renews_at
    limit $2::int`,
)

const parseFacts = rowOf({ userId: text, user: parseUser })

export async function findUsersToRenew(database: Queryable, now: Instant, limit: number) {
  return (await database.query(selectDue, [at(now), limit])).map(parseFacts)
}

// Uses the index users_renew.
const queueAhead = statement(
  'balance.queue_renewals_ahead',
  `insert into mails (user_id, kind, about, queued_at, due_at)
   select u.user_id, 'renewal_ahead', to_char(u.renews_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
          $1::timestamptz, $1::timestamptz
     from users u
    where u.renews_at > $1::timestamptz and u.renews_at <= $2::timestamptz
       on conflict do nothing`,
)

/** Queues one mail for each renewal of the next days. */
export async function queueRenewalsAhead(database: Queryable, now: Instant, aheadMs: number): Promise<void> {
  await database.query(queueAhead, [at(now), at(now + aheadMs)])
}

// Uses the index users_with_order.
const selectOthers = statement(
  'balance.other_orders',
  `select u.user_id, ${FACT_COLUMNS} from users u
    where u.standing_order is not null and not exists (
      select from jsonb_to_recordset($1::jsonb) o(plan text, months int, price int)
       where o.plan = u.standing_order->'plan'->>'id' and o.months = (u.standing_order->>'months')::int
         and o.price = coalesce(u.standing_order->'offered'->>'price', u.standing_order->>'price')::int)
    order by u.user_id
    limit $2::int`,
)

/** Standing orders that match neither a sold offer nor the price that the user was told. */
export async function findOtherOrders(database: Queryable, offers: readonly Offer[], limit: number) {
  const sold = offers.map(({ plan, months, price }) => ({ plan: plan.id, months, price: price.amount }))
  return (await database.query(selectOthers, [JSON.stringify(sold), limit])).map(parseFacts)
}

/** A purchase by balance as a call asks for it. */
export type Asked = Parameters<PaysAtOnce['buy']>[1] & { readonly user: Actor; readonly months: number }

// Uses the index payments_of_user.
const selectRecent = statement(
  'balance.recent_purchase',
  `select p.id from payments p
    where p.user_id = $1 and p.created_at > $2::timestamptz
      and p.method = '${BY_BALANCE}' and p.status = 'paid'
      and p.plan->>'id' = $3 and p.months is not distinct from $4::int and p.code_hash is not distinct from $5
      and ($6::text is null or p.po_number = $6)
      and exists (
        select from balance_entries b
         where b.user_id = p.user_id and b.payment_id = p.id and b.kind = 'purchase')
    order by p.created_at desc limit 1`,
)

/**
 * The newest payment by balance of this offer that is no renewal; null: none since then. A plan change has no
 * term, and an order without a purchase order number repeats one with any.
 */
export async function findRecentPurchase(
  database: Queryable,
  { user, planId, months, start, poNumber }: Asked,
  codeHash: string | null,
  since: Instant,
): Promise<string | null> {
  const term = start === 'now' ? null : months
  const values = [user.userId, at(since), planId, term, codeHash, poNumber ?? null]
  return firstOf(database.query(selectRecent, values), (row) => text(row, 'id'))
}
