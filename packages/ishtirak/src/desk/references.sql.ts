// For whom a reference of the desk was taken, as the cell knows it that has the part of the reference.
import { statement } from '../database/database.js'

const IS_FREE = 'known.payer = excluded.payer or (known.payer = $5 and known.claimed_at < $6)'

// For a payer, who may have claimed it before; or in place of another, whose claim is old.
export const claimReference = statement(
  'desk_references.claim',
  `insert into desk_references as known (user_id, method, payer, claimed_at) values ($1, $2, $3, $4)
       on conflict on constraint desk_references_once do update
      set payer = case when ${IS_FREE} then excluded.payer else known.payer end,
          claimed_at = case when ${IS_FREE} then excluded.claimed_at else known.claimed_at end
   returning payer`,
  {},
)

export const findPayer = statement(
  'desk_references.payer',
  'select payer from desk_references where user_id = $1 and method = $2',
  {},
)

export const findTaken = statement(
  'desk_references.payment',
  `select id, status from payments
    where user_id = $1 and method_reference = $2 and method = $3 and method in ('cash', 'cheque')`,
  {},
)
