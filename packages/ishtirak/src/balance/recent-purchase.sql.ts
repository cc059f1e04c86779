// Finds the purchase that a call repeats.
import type { Instant } from '../core/instant.js'
import { BY_BALANCE } from '../core/subscription.js'
import { type Queryable, statement } from '../database/database.js'
import { at, text } from '../database/rows.js'

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

/** The newest payment by balance of this offer that is no renewal; null: none since then. */
export async function findRecentPurchase(
  database: Queryable,
  of: {
    readonly userId: string
    readonly planId: string
    /** Null: a plan change. */
    readonly months: number | null
    readonly codeHash: string | null
    /** Null: the purchase order number does not matter. */
    readonly poNumber: string | null
    readonly since: Instant
  },
): Promise<string | null> {
  const { userId, planId, months, codeHash, poNumber, since } = of
  const values = [userId, at(since), planId, months, codeHash, poNumber]
  const [row] = await database.query(selectRecent, values)
  return row ? text(row, 'id') : null
}
