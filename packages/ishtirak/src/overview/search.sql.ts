// The search of operators as rows. Each part rides on an index, and gives a bounded number.
import type { Instant } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import type { AmountAndDay, SearchWords } from '../core/search.js'
import { type Queryable, statement } from '../database/database.js'
import { at, flag, text } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from '../ledger/payments.sql.js'
import { FACT_COLUMNS, parseUser } from '../ledger/users.sql.js'

/** Of each kind of hit. Users may share an address, and a checkout be reported for several of them. */
const HITS_MAX = 20

/** Behind every text that begins with `key`, in the order of code points. */
const endOf = (key: string) => `${key} || chr(1114111)`

const beginning = (key: string) => `(
     select s.user_id from asked a
      cross join lateral (
        select user_id from user_search s
         where a.${key} <> '' and s.key >= a.${key} and s.key < ${endOf(`a.${key}`)}
         order by s.key, user_id limit ${HITS_MAX}) s)`

// An address has signs in it that are none of a name's. `offset 0` keeps the planner from walking all users
// in their order until twenty have this address, which it takes for the shorter way where there are a million
// of them.
const selectUsers = statement(
  'operator_search.users',
  `with asked as materialized (
     select search_key($1) as address, array_to_string(search_words($1), ' ') as name
   ), exact as (
     select user_id from users where user_id = $1
      union
    (select user_id from (select user_id from users where lower(email) = lower($1) offset 0) same
      order by user_id limit ${HITS_MAX})
   ), begun as (
     select user_id from ${beginning('address')} by_address
      union
     select user_id from ${beginning('name')} by_name
     except
     select user_id from exact
   )
   select u.user_id, h.exact, ${FACT_COLUMNS}
     from (select user_id, true as exact from exact
            union all
           (select user_id, false from begun order by user_id limit ${HITS_MAX})) h
     join users u using (user_id)
    order by h.exact desc, u.name, u.email, u.user_id`,
)

/** By an id or an address, whole: exact. Else by the beginning of an address, or of a word of a name. */
export async function findUsersByWord(database: Queryable, word: string) {
  const rows = await database.query(selectUsers, [word])
  return rows.map((row) => ({ ...parseUser(row), userId: text(row, 'user_id'), exact: flag(row, 'exact') }))
}

const selectPayments = statement(
  'operator_search.payments',
  `select ${PAYMENT_COLUMNS} from payments p where p.id = $1
    union all
   (select ${PAYMENT_COLUMNS} from payments p where p.method_reference = any($4::text[]) and p.id <> $1
     limit ${HITS_MAX})
    union all
   select ${PAYMENT_COLUMNS}
     from receipts r join payments p on p.user_id = r.user_id and p.id = r.payment_id
    where r.series = $2 and r.number = $3::int`,
)

/** Exact hits: by the word, and by each of `references`, as it is stored. */
export async function findPaymentsByWord(
  database: Queryable,
  { word, receipt }: Omit<SearchWords, 'amountAndDay'>,
  references: readonly string[],
): Promise<readonly Payment[]> {
  const found = [word, receipt?.series ?? null, receipt?.number ?? null, [word, ...references]]
  return (await database.query(selectPayments, found)).map(parsePayment)
}

const endsSo = 'p.amount % $3::bigint = $4::int'

// The amount itself comes before those that end with it.
const selectByAmount = statement(
  'operator_search.amount',
  `(select ${PAYMENT_COLUMNS} from payments p
     where p.paid_at >= $1::timestamptz and p.paid_at < $2::timestamptz and ${endsSo}
     order by p.amount, p.paid_at, p.id limit ${HITS_MAX})
    union all
   (select ${PAYMENT_COLUMNS} from payments p
     where p.created_at >= $1::timestamptz and p.created_at < $2::timestamptz and p.paid_at is null
       and ${endsSo}
     order by p.amount, p.created_at, p.id limit ${HITS_MAX})
    limit ${HITS_MAX}`,
)

/** Paid in `[from, to)`; then, never paid, begun in it. */
export async function findPaymentsByAmount(
  database: Queryable,
  { ending, digits }: Pick<AmountAndDay, 'ending' | 'digits'>,
  day: { readonly from: Instant; readonly to: Instant },
): Promise<readonly Payment[]> {
  const rows = await database.query(selectByAmount, [at(day.from), at(day.to), 10 ** digits, ending])
  return rows.map(parsePayment)
}
