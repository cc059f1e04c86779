// One user as the operator sees them, and the search: one word, looked up wherever an operator may have it from: a user's
// id or e-mail, a payment's id, the provider's checkout id, a receipt's number. Exact hits only, each through an index.
import type { Instant } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { readReceiptNumber } from '../core/receipt.js'
import { type Queryable, statement } from '../database/database.js'
import { instant, text } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from '../payments/payments.sql.js'
import { FACT_COLUMNS, parseUser, type UserRecord } from '../payments/users.sql.js'
import { viewRows } from '../payments/views.js'
import { FoundUserSchema } from './schemas.js'

export interface UserRow extends UserRecord {
  readonly userId: string
  readonly createdAt: Instant
}

const selectUser = statement(
  'operator.user',
  `select ${FACT_COLUMNS}, u.user_id, u.created_at from users u where u.user_id = $1`,
)

export async function findUser(database: Queryable, userId: string): Promise<UserRow | null> {
  const [row] = await database.query(selectUser, [userId])
  if (!row) return null
  return { ...parseUser(row), userId: text(row, 'user_id'), createdAt: instant(row, 'created_at') }
}

/** White space around the word comes from copying it. */
export async function search({ database }: { readonly database: Queryable }, typed: string) {
  const word = typed.trim()
  const [users, payments] = await Promise.all([
    findUsersByWord(database, word),
    findPaymentsByWord(database, word, readReceiptNumber(word)),
  ])
  return { users, payments }
}

/** Several users may share an address, and one checkout may be reported for several users. */
const HITS_MAX = 20

const selectUsers = statement(
  'operator_search.users',
  `select user_id, email, name from users where user_id = $1
    union all
   (select user_id, email, name from users
     where lower(email) = lower($1) and user_id <> $1 order by user_id limit ${HITS_MAX})`,
)

export async function findUsersByWord(database: Queryable, word: string) {
  return viewRows(FoundUserSchema, await database.query(selectUsers, [word]))
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
