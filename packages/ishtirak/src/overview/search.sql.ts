// The search of operators as rows. Each part rides on an index, and gives a bounded number.

import { readPhone } from '../acts/phone.js'
import type { Instant } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import { type Queryable, statement } from '../database/database.js'
import { at, flag, text } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from '../ledger/payments.sql.js'
import { FACT_COLUMNS, parseUser } from '../ledger/users.sql.js'
import type { AmountAndDay, SearchWords } from './search-words.js'

/** Of each kind of hit. Users may share an address, and a checkout be reported for several of them. */
const HITS_MAX = 20

/** Behind every text that begins with `key`, in the order of code points. */
const endOf = (key: string) => `${key} || chr(1114111)`

/** Signs of a company's number: with fewer, each amount would find those of a province. */
const NUMBER_MIN = 8

const beginning = (key: string, rank: number) => `
     select s.user_id, ${rank} from asked a
      cross join lateral (
        select user_id from user_search s
         where a.${key} <> '' and s.key >= a.${key} and s.key < ${endOf(`a.${key}`)}
         order by s.key, user_id limit ${HITS_MAX}) s`

// Of one consonant half of all users begin so.
const sounding = (dhal: string) =>
  `(select '~' || sound from search_sound(array_to_string(search_words($1), ' '), '${dhal}') sound
     where length(sound) > 1)`

// An address has signs in it that are none of a name's. `offset 0` keeps the planner from walking all users
// in their order until twenty have this address, which it takes for the shorter way where there are a million
// of them.
const selectUsers = statement(
  'operator_search.users',
  `with asked as materialized (
     select search_key($1) as address, array_to_string(search_words($1), ' ') as name,
            ${sounding('d')} as sound, ${sounding('z')} as other,
            (select '#' || number from search_number($1) number
              where length(number) >= ${NUMBER_MIN}) as number
   ), exact as (
     select user_id from users where user_id = $1
      union
    (select user_id from users where phone = $2 order by user_id limit ${HITS_MAX})
      union
    (select user_id from (select user_id from users where lower(email) = lower($1) offset 0) same
      order by user_id limit ${HITS_MAX})
      union
    (select user_id from user_search where key = (select number from asked)
      order by user_id limit ${HITS_MAX})
      union
     select user_id from proformas where series = $3 and number = $4::int
   ), begun as (
     select user_id, min(rank) as rank
       from (${['address', 'name', 'number'].map((key) => beginning(key, 1)).join(' union all ')} union all
             ${['sound', 'other'].map((key) => beginning(key, 2)).join(' union all ')}) b(user_id, rank)
      where user_id not in (select user_id from exact)
      group by user_id order by rank, user_id limit ${HITS_MAX}
   )
   select u.user_id, h.rank = 0 as exact, ${FACT_COLUMNS}
     from (select user_id, 0 as rank from exact union all select user_id, rank from begun) h
     join users u using (user_id)
    order by h.rank, u.name, u.email, u.user_id`,
)

/**
 * By an id, an address, a telephone, the NIF or RC of a company, or the number of a proforma, whole: exact.
 * Else by the beginning of an address, of such a number, or of a word of a name; behind these, by what the
 * name sounds like.
 */
export async function findUsersByWord(
  database: Queryable,
  { word, receipt }: Pick<SearchWords, 'word' | 'receipt'>,
) {
  const asked = [word, readPhone(word), receipt?.series ?? null, receipt?.number ?? null]
  const rows = await database.query(selectUsers, asked)
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
     from documents d join payments p on p.user_id = d.user_id and p.id = d.payment_id
    where d.series = $2 and d.number = $3::int`,
)

/** Exact hits: by the word, and by each of `references`, as it is stored. */
export async function findPaymentsByWord(
  database: Queryable,
  { word, receipt }: Pick<SearchWords, 'word' | 'receipt'>,
  references: readonly string[],
): Promise<readonly Payment[]> {
  const found = [word, receipt?.series ?? null, receipt?.number ?? null, [word, ...references]]
  return (await database.query(selectPayments, found)).map(parsePayment)
}

const partly = (stored: string, part: string) =>
  `select ${PAYMENT_COLUMNS} from unnest($1::text[]) a(part) cross join lateral (
     select * from payments p
      where p.method in ('transfer', 'cash', 'cheque')
        and ${stored} collate "C" >= ${part} and ${stored} collate "C" < ${endOf(part)}
      limit ${HITS_MAX}) p`

const selectByPart = statement(
  'operator_search.part',
  `select * from (
     ${partly('p.method_reference', 'part')}
      union
     ${partly('reverse(p.method_reference)', 'reverse(part)')}) p
    order by created_at desc, id limit ${HITS_MAX}`,
)

/** Of transfers and of the desk: by how a reference begins or ends, as it is stored; the newest first. */
export async function findPaymentsByPart(
  database: Queryable,
  parts: readonly string[],
): Promise<readonly Payment[]> {
  return (await database.query(selectByPart, [parts])).map(parsePayment)
}

const endsSo = (amount: string) => `${amount} % $3::bigint = $4::int`
const isBooked = `${endsSo('p.amount')} or ${endsSo('p.amount_asked')}`
// Of cash, with its duty: what was counted out at the desk.
const withDuty = `p.method = 'cash' and exists (
  select from documents d where d.user_id = p.user_id and d.payment_id = p.id and d.place = p.receipt_place
    and ${endsSo('(p.amount + d.duty_centimes / 100)')})`
const CAME = `(p.review->>'amount')::bigint`

const hits = (part: number, by: readonly [amount: string, instant: string], where: string) => `
  (select ${PAYMENT_COLUMNS}, ${part} as part, ${by[0]} as by_amount, ${by[1]} as by_instant from payments p
    where ${where}
    order by ${by[0]}, ${by[1]} desc, p.id limit ${HITS_MAX})`

// The amount itself comes before those that end with it.
const selectByAmount = statement(
  'operator_search.amount',
  `select * from (${[
    hits(
      0,
      ['p.amount', 'p.paid_at'],
      `p.paid_at >= $1::timestamptz and p.paid_at < $2::timestamptz and (${isBooked} or ${withDuty})`,
    ),
    hits(
      1,
      [CAME, 'p.created_at'],
      `p.status = 'review' and p.created_at < $2::timestamptz and ${endsSo(CAME)}
       and p.amount % $3::bigint <> $4::int`,
    ),
    hits(
      2,
      ['p.amount', 'p.created_at'],
      `p.created_at >= $1::timestamptz and p.created_at < $2::timestamptz and p.paid_at is null
       and ${endsSo('p.amount')}`,
    ),
  ].join(' union all ')}) p
    order by part, by_amount, by_instant desc, id limit ${HITS_MAX}`,
)

/**
 * What was paid in `[from, to)`, by what came or was asked for; what came and is under review; then, never
 * paid, what was begun in it.
 */
export async function findPaymentsByAmount(
  database: Queryable,
  { ending, digits }: Pick<AmountAndDay, 'ending' | 'digits'>,
  day: { readonly from: Instant; readonly to: Instant },
): Promise<readonly Payment[]> {
  const rows = await database.query(selectByAmount, [at(day.from), at(day.to), 10 ** digits, ending])
  return rows.map(parsePayment)
}
