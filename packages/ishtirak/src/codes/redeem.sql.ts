// Redeemed codes as their user sees them: the grants that codes gave.

import { type Queryable, statement } from '../database/database.js'
import { RedemptionSchema, viewRows } from '../ledger/schemas.js'

/** More than a user is expected to redeem; a longer list would need pages. */
const SHOWN_MAX = 100

const selectNewest = statement(
  'redemptions.newest',
  `select id, plan->>'id' as plan, months, granted_at as redeemed_at, period_start, period_end
     from grants where user_id = $1 and code_hash is not null
    order by granted_at desc, id desc limit ${SHOWN_MAX}`,
)

export type Redemption = Awaited<ReturnType<typeof listRedemptions>>[number]

/** Newest first. */
export async function listRedemptions(database: Queryable, userId: string) {
  return viewRows(RedemptionSchema, await database.query(selectNewest, [userId]))
}
