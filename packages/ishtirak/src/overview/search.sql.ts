// The queries of the search. Each part uses an index and returns a limited number of rows.

import type { TimeSpan } from '../acts/day.js'
import { readPhone } from '../acts/phone.js'
import { type Queryable, statement } from '../database/database.js'
import { at, flag, text } from '../database/rows.js'
import { PAYMENT_COLUMNS, parsePayment } from '../ledger/payments.sql.js'
import { FACT_COLUMNS, parseUser } from '../ledger/users.sql.js'
import type { AmountAndDay, SearchWords } from './search-words.js'

type Searched = Pick<SearchWords, 'word' | 'receipt'>

/** For each kind of hit: several users may have the same address or name. */
const HITS_MAX = 20

/** The shortest part of a company's number. A shorter one would match all companies of a province. */
const NUMBER_MIN = 8

// A phonetic key of one consonant is ignored, because too many names begin with it. chr(1114111) is the last
// code point, so all texts that begin with a key sort before the key followed by it. `offset 0` keeps the
// planner from reading all users in their order until twenty have this address.
const selectUsers = statement(
  'operator_search.users',
  `with asked as materialized (
     select search_key($1) as address, array_to_string(search_words($1), ' ') as name,
            (select '~' || sound from search_phonetic_key(array_to_string(search_words($1), ' '), 'd') sound
              where length(sound) > 1) as sound,
            (select '~' || sound from search_phonetic_key(array_to_string(search_words($1), ' '), 'z') sound
              where length(sound) > 1) as other,
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
     select b.user_id, min(k.rank) as rank
       from asked a
      cross join lateral (values (a.address, 1), (a.name, 1), (a.number, 1), (a.sound, 2), (a.other, 2))
            k(key, rank)
      cross join lateral (
        select user_id from user_search s
         where k.key <> '' and s.key >= k.key and s.key < k.key || chr(1114111)
         order by s.key, user_id limit ${HITS_MAX}) b
      where b.user_id not in (select user_id from exact)
      group by b.user_id order by rank, b.user_id limit ${HITS_MAX}
   )
   select u.user_id, h.rank = 0 as exact, ${FACT_COLUMNS}
     from (select user_id, 0 as rank from exact union all select user_id, rank from begun) h
     join users u using (user_id)
    order by h.rank, u.name, u.email, u.user_id`,
)

/**
 * Exact hits: a whole id, address, telephone number, NIF, RC or number of a proforma. Then hits by the
 * beginning of an address, of such a number, or of a word of a name. Last, names that sound alike.
 */
export async function findUsersByWord(database: Queryable, { word, receipt }: Searched) {
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

/** Exact hits, by the word and by each of `references`. */
export async function findPaymentsByWord(
  database: Queryable,
  { word, receipt }: Searched,
  references: readonly string[],
) {
  const found = [word, receipt?.series ?? null, receipt?.number ?? null, [word, ...references]]
  return (await database.query(selectPayments, found)).map(parsePayment)
}

const selectByPart = statement(
  'operator_search.part',
  `select * from (
     select ${PAYMENT_COLUMNS} from unnest($1::text[]) a(part) cross join lateral (
       select * from payments p
        where p.method in ('transfer', 'cash', 'cheque')
          and p.method_reference collate "C" >= part
          and p.method_reference collate "C" < part || chr(1114111)
        limit ${HITS_MAX}) p
      union
     select ${PAYMENT_COLUMNS} from unnest($1::text[]) a(part) cross join lateral (
       select * from payments p
        where p.method in ('transfer', 'cash', 'cheque')
          and reverse(p.method_reference) collate "C" >= reverse(part)
          and reverse(p.method_reference) collate "C" < reverse(part) || chr(1114111)
        limit ${HITS_MAX}) p) p
    order by created_at desc, id limit ${HITS_MAX}`,
)

/** Transfers and payments at the desk whose reference begins or ends so, newest first. */
export async function findPaymentsByPart(database: Queryable, parts: readonly string[]) {
  return (await database.query(selectByPart, [parts])).map(parsePayment)
}

// The amount itself comes before amounts that end with it. Cash is also found by its amount with the stamp
// duty, which is what the customer paid at the desk.
const selectByAmount = statement(
  'operator_search.amount',
  `select * from (
     (select ${PAYMENT_COLUMNS}, 0 as part, p.amount as by_amount, p.paid_at as by_instant from payments p
       where p.paid_at >= $1::timestamptz and p.paid_at < $2::timestamptz
         and (p.amount % $3::bigint = $4::int or p.amount_asked % $3::bigint = $4::int
              or p.method = 'cash' and exists (
                select from documents d
                 where d.user_id = p.user_id and d.payment_id = p.id and d.place = p.receipt_place
                   and (p.amount + d.duty_centimes / 100) % $3::bigint = $4::int))
       order by p.amount, p.paid_at desc, p.id limit ${HITS_MAX})
      union all
     (select ${PAYMENT_COLUMNS}, 1, (p.review->>'amount')::bigint, p.created_at from payments p
       where p.status = 'review' and p.created_at < $2::timestamptz
         and (p.review->>'amount')::bigint % $3::bigint = $4::int and p.amount % $3::bigint <> $4::int
       order by (p.review->>'amount')::bigint, p.created_at desc, p.id limit ${HITS_MAX})
      union all
     (select ${PAYMENT_COLUMNS}, 2, p.amount, p.created_at from payments p
       where p.created_at >= $1::timestamptz and p.created_at < $2::timestamptz and p.paid_at is null
         and p.amount % $3::bigint = $4::int
       order by p.amount, p.created_at desc, p.id limit ${HITS_MAX})) p
    order by part, by_amount, by_instant desc, id limit ${HITS_MAX}`,
)

/**
 * Payments whose amount ends with these digits: first those that were paid in `[from, to)`, by the amount
 * paid or asked; then those under review, by the amount that came; then those that were begun in it and not
 * paid.
 */
export async function findPaymentsByAmount(
  database: Queryable,
  { ending, digits }: Omit<AmountAndDay, 'day'>,
  day: TimeSpan,
) {
  const rows = await database.query(selectByAmount, [at(day.from), at(day.to), 10 ** digits, ending])
  return rows.map(parsePayment)
}
