// One word, looked up wherever an operator may have it from: a user's id or e-mail, a payment's id, the provider's checkout
// id, a receipt's number. Exact hits only, each found through an index.
import type { Payment } from '../core/payment.js'
import { type Queryable, statement } from '../database/database.js'
import { text, textOrNull } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from '../payments/payments.sql.js'

/** Several users may share an address, and one checkout may be reported for several users. */
const HITS_MAX = 20

const selectUsers = statement(
  'operator_search.users',
  `select user_id, email, name from users where user_id = $1
    union all
   (select user_id, email, name from users
     where lower(email) = lower($1) and user_id <> $1 order by user_id limit ${HITS_MAX})`,
)

export interface FoundUser {
  readonly userId: string
  readonly email: string | null
  readonly name: string | null
}

export async function findUsersByWord(database: Queryable, word: string): Promise<readonly FoundUser[]> {
  const rows = await database.query(selectUsers, [word])
  return rows.map((row) => ({
    userId: text(row, 'user_id'),
    email: textOrNull(row, 'email'),
    name: textOrNull(row, 'name'),
  }))
}

const selectPayments = statement(
  'operator_search.payments',
  `select ${PAYMENT_COLUMNS} from payments p where p.id = $1
    union all
   (select ${PAYMENT_COLUMNS} from payments p where p.checkout_id = $1 and p.id <> $1 limit ${HITS_MAX})
    union all
   select ${PAYMENT_COLUMNS}
     from receipts r join payments p on p.user_id = r.user_id and p.id = r.payment_id
    where r.series = $2 and r.number = $3::int`,
)

export async function findPaymentsByWord(
  database: Queryable,
  word: string,
  receipt: { readonly series: string; readonly number: number } | null,
): Promise<readonly Payment[]> {
  const found = [word, receipt?.series ?? null, receipt?.number ?? null]
  return (await database.query(selectPayments, found)).map(parsePayment)
}
