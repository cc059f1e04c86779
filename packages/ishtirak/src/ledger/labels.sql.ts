// The names of payments and users, for links to them.
import type { Payment } from '../core/payment.js'
import { type Queryable, statement } from '../database/database.js'
import { text, textOrNull } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from './payments.sql.js'

const selectPayments = statement(
  'labels.payments',
  `select ${PAYMENT_COLUMNS} from payments p where p.id = any($1::text[])`,
)

const selectUsers = statement(
  'labels.users',
  'select user_id, name, email from users where user_id = any($1::text[])',
)

/** Returns the payments that exist. */
export async function paymentsNamed(
  database: Queryable,
  ids: readonly string[],
): Promise<readonly Payment[]> {
  return ids.length === 0 ? [] : (await database.query(selectPayments, [ids])).map(parsePayment)
}

export async function usersNamed(database: Queryable, ids: readonly string[]) {
  const rows = ids.length === 0 ? [] : await database.query(selectUsers, [ids])
  return rows.map((row) => ({
    userId: text(row, 'user_id'),
    name: textOrNull(row, 'name'),
    email: textOrNull(row, 'email'),
  }))
}
