// Finds the purchase that a call repeats.
import type { PaysAtOnce } from '../acts/capability.js'
import type { Instant } from '../core/instant.js'
import type { Actor } from '../core/person.js'
import { BY_BALANCE } from '../core/subscription.js'
import { type Queryable, statement } from '../database/database.js'
import { at, firstOf, text } from '../database/rows.js'

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
