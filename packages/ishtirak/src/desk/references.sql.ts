// The payment that a reference of the desk names, which another cell asks for.
import { statement } from '../database/database.js'

export const findTaken = statement(
  'payments.of_desk_reference',
  `select id, status from payments
    where user_id = $1 and method_reference = $2 and method = $3 and method in ('cash', 'cheque')`,
  {},
)
