// What may be used once in the whole shop, and who took it, as the cell knows it that has its part.
import { statement } from '../database/database.js'

const IS_FREE = 'known.holder = excluded.holder or (known.holder = $5 and known.claimed_at < $6)'

// For a holder, who may have claimed it before; or in place of another, whose claim is old.
export const claimName = statement(
  'shop_claims.claim',
  `insert into shop_claims as known (user_id, kind, holder, claimed_at) values ($1, $2, $3, $4)
       on conflict on constraint shop_claims_once do update
      set holder = case when ${IS_FREE} then excluded.holder else known.holder end,
          claimed_at = case when ${IS_FREE} then excluded.claimed_at else known.claimed_at end
   returning holder`,
  {},
)

export const findHolder = statement(
  'shop_claims.holder',
  'select holder from shop_claims where user_id = $1 and kind = $2',
  {},
)
