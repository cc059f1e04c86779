// What waits for an operator, as rows: one statement with a part for each kind, each on an index of what
// waits.

import type { Instant } from '../core/instant.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, instant, instantOrNull, integer, text } from '../database/rows.js'

/** In the order of the inbox. */
export const INBOX_KINDS = [
  'events_off',
  'payment_review',
  'transfer_approval',
  'transfer_proof',
  'second_payment',
  'finding',
  'event_stuck',
  'mail_failed',
  'transfer_open',
] as const
export type InboxKind = (typeof INBOX_KINDS)[number]

/** Where a page goes on: behind this entry. */
export interface InboxPosition {
  readonly kind: InboxKind
  readonly since: Instant
  readonly id: string
}

/** An address that fails for so long is worth a look; a shorter outage ends by itself. */
const FAILING = '1 hour'
/** Attempts over two and a half hours. */
const ATTEMPTS_MIN = 5
/**
 * Users whose events wait, those with the longest step first: what failed often waits longest for its next
 * attempt.
 */
const WAITING_MAX = 1_000
/** Mail that failed longer ago has been seen. */
const MAIL_SHOWN = '14 days'

const isFailed = (mail: string) => `
  (${mail}.outcome like 'refused:%' or (${mail}.outcome like 'failed:%' and ${mail}.attempts >= 5))
   and ${mail}.queued_at > $1::timestamptz - interval '${MAIL_SHOWN}'`

const fromMilliseconds = (text: string) => `to_timestamp((${text})::bigint / 1000.0)`

const TRANSFER = `
  from transfers t join payments p on p.user_id = t.user_id and p.id = t.payment_id
 where t.state in ('open', 'ended') and (t.proof_at is not null or t.approvals <> '[]')
   and p.status <> 'review'`

// Of a comparison that has ended, the last of each method. Earlier ones are of other times; fifty are those
// of many days.
const LAST_COMPARISONS = `
  select distinct on (method) id, started_at
    from (select id, method, started_at from comparisons
           where finished_at is not null order by started_at desc limit 50) newest
   order by method, started_at desc`

/**
 * Each gives `since`, `id`, `user_id`, `payment_id`, `amount` and `detail`; `$1` is now. `id` is unique
 * within the kind.
 */
const PARTS: Readonly<Record<InboxKind, string>> = {
  events_off: `
    select coalesce(disabled_at, failing_since) as since, 'events' as id, null::text as user_id,
      null::text as payment_id,
           null::int as amount, coalesce(disabled_because, 'failing') as detail
      from event_endpoint
     where disabled_at is not null or failing_since <= $1::timestamptz - interval '${FAILING}'`,
  payment_review: `
    select coalesce(${fromMilliseconds("reports->-1->>'heardAt'")}, created_at), id, user_id, id, amount,
           (select string_agg(difference, ', ')
             from jsonb_array_elements_text(review->'differences') difference)
      from payments where status = 'review'`,
  transfer_approval: `
    select ${fromMilliseconds("t.approvals->-1->>'at'")}, p.id, t.user_id, p.id, p.amount,
      t.approvals->-1->>'by'
    ${TRANSFER} and t.approvals <> '[]'`,
  transfer_proof: `
    select t.proof_at, p.id, t.user_id, p.id, p.amount, null::text ${TRANSFER} and t.approvals = '[]'`,
  second_payment: `
    select paid_at, id, user_id, id, amount, second_of from payments
     where second_of is not null and status = 'paid' and kept_at is null`,
  // An unknown checkout may name a payment that is not ours.
  finding: `
    select f.found_at, concat_ws(' ', f.kind, f.checkout_id, f.user_id), nullif(f.user_id, ''),
           (select p.id from payments p where p.id = f.payment_id limit 1), (f.details->>'amount')::bigint,
             f.kind
      from (${LAST_COMPARISONS}) c
      join comparison_findings f on f.seen_at >= c.started_at and f.comparison_id = c.id
     where f.outcome in ('reported', 'unknown_checkout') and f.closed_at is null`,
  // Where the address itself fails, all wait: that is said once, above.
  event_stuck: `
    select o.created_at, o.id, u.user_id, o.payload->'data'->'payment'->>'id', null::int, o.failure
      from (select user_id, delivered_sequence from users where delivered_sequence < event_sequence
             order by deliver_at desc limit ${WAITING_MAX}) u
      join outbox o on o.user_id = u.user_id and o.sequence = u.delivered_sequence + 1
     where o.attempts >= ${ATTEMPTS_MIN}
       and exists (select from event_endpoint where disabled_at is null and failing_since is null)`,
  // An address that bounces does so for each mail to it: the first stands for all of a user, with what became
  // of the newest.
  mail_failed: `
    select m.queued_at, m.user_id, m.user_id,
           case when n.kind in ('receipt', 'refunded', 'payment_requested', 'proof_received',
             'payment_refused') then n.about end,
           null::int, n.kind || ': ' || n.outcome
      from mails m
     cross join lateral (
       select kind, about, outcome from mails n where n.user_id = m.user_id and ${isFailed('n')}
        order by n.queued_at desc, n.kind, n.about limit 1) n
     where ${isFailed('m')}
       and not exists (
         select from mails e
          where e.user_id = m.user_id and ${isFailed('e')}
            and (e.queued_at, e.kind, e.about) < (m.queued_at, m.kind, m.about))`,
  // Last: most of them wait for the money alone.
  transfer_open: `
    select p.created_at, p.id, p.user_id, p.id, p.amount, t.reference
      from payments p join transfers t on t.user_id = p.user_id and t.payment_id = p.id
     where p.method = 'transfer' and p.status = 'pending' and p.expires_at > $1::timestamptz
       and t.state = 'open' and t.proof_at is null and t.approvals = '[]'`,
}

const COLUMNS = 'since, id, user_id, payment_id, amount, detail'
/** What waits of this kind: `since`, `id` and what it is about; `$1` is now. */
export const inboxPart = (kind: InboxKind) => `select ${COLUMNS} from (${PARTS[kind]}) w(${COLUMNS})`

// Each part gives at most a page.
const pagePart = (kind: InboxKind, rank: number) => `(
     select ${rank} as rank, w.* from (${inboxPart(kind)}) w
      where ($2::int is null or $2 = ${rank})
        and ($3::int is null or $3 < ${rank} or ($3 = ${rank} and (since, id) > ($4::timestamptz, $5::text)))
      order by since, id limit $6::int)`

const ranksOf = (...kinds: readonly InboxKind[]) => kinds.map((kind) => INBOX_KINDS.indexOf(kind)).join(', ')

// What an entry has beside the columns of its part.
const ENTRY_COLUMNS = `w.*, u.email, u.name,
          case when w.rank in (${ranksOf('second_payment')}) then w.detail
               when w.rank in (${ranksOf('transfer_approval', 'transfer_proof')}) then (
                 select f.payment_id from transfer_proofs own join transfer_proofs f using (sha256)
                  where own.user_id = w.user_id and own.payment_id = w.payment_id
                    and f.payment_id <> w.payment_id
                  order by f.uploaded_at, f.payment_id limit 1) end as other_payment_id,
          case when w.rank in (${ranksOf('mail_failed')}) then (
                 select count(*) from mails m where m.user_id = w.user_id and ${isFailed('m')})
                   else 1 end as count`

const selectPage = statement(
  'inbox.page',
  `select ${ENTRY_COLUMNS}
     from (${INBOX_KINDS.map(pagePart).join(' union all ')}) w left join users u using (user_id)
    order by rank, since, id
    limit $6::int`,
)

const partOfUser = (kind: InboxKind, rank: number) =>
  `(select ${rank} as rank, w.* from (${inboxPart(kind)}) w where user_id = $2 order by since, id
    limit $3::int)`

const selectOfUser = statement(
  'inbox.of_user',
  `select ${ENTRY_COLUMNS}
     from (${INBOX_KINDS.map(partOfUser).join(' union all ')}) w join users u using (user_id)
    order by rank, since, id
    limit $3::int`,
)

export interface InboxRow extends InboxPosition {
  readonly userId: string | null
  readonly email: string | null
  readonly name: string | null
  readonly paymentId: string | null
  readonly amount: number | null
  readonly detail: string | null
  /** Of a second payment the one before it; of a transfer one that the same file was sent for. */
  readonly otherPaymentId: string | null
  /** How many mails the entry stands for; of other kinds 1. */
  readonly count: number
}

/** Kind by kind, and of each what waits longest first. */
export async function inboxPage(
  database: Queryable,
  of: {
    /** Null: of all kinds. */
    readonly kind: InboxKind | null
    readonly after: InboxPosition | null
    readonly limit: number
    readonly now: Instant
  },
): Promise<readonly InboxRow[]> {
  const { kind, after, limit, now } = of
  const rows = await database.query(selectPage, [
    at(now),
    kind && INBOX_KINDS.indexOf(kind),
    after && INBOX_KINDS.indexOf(after.kind),
    at(after?.since ?? null),
    after?.id ?? null,
    limit,
  ])
  return rows.map(parseRow)
}

/** What waits of one user, in the same order. */
export async function inboxOfUser(
  database: Queryable,
  of: { readonly userId: string; readonly limit: number; readonly now: Instant },
): Promise<readonly InboxRow[]> {
  return (await database.query(selectOfUser, [at(of.now), of.userId, of.limit])).map(parseRow)
}

const orNull = <Value>(row: Row, column: string, read: (row: Row, column: string) => Value) =>
  row[column] === null ? null : read(row, column)

function parseRow(row: Row): InboxRow {
  const kind = INBOX_KINDS[integer(row, 'rank')]
  if (!kind) throw new TypeError('a part of the inbox has no kind')
  return {
    kind,
    since: instant(row, 'since'),
    id: text(row, 'id'),
    userId: orNull(row, 'user_id', text),
    email: orNull(row, 'email', text),
    name: orNull(row, 'name', text),
    paymentId: orNull(row, 'payment_id', text),
    amount: orNull(row, 'amount', integer),
    detail: orNull(row, 'detail', text),
    otherPaymentId: orNull(row, 'other_payment_id', text),
    count: integer(row, 'count'),
  }
}

/** Counted no further: a page says "100 and more". */
export const COUNTED_MAX = 100

const countPart = (kind: InboxKind) =>
  `(select count(*) from (select from (${inboxPart(kind)}) w limit ${COUNTED_MAX}) bounded) as ${kind}`

const selectCounts = statement(
  'inbox.counts',
  `select ${INBOX_KINDS.map(countPart).join(', ')}
     where $1::timestamptz is not null`,
)

/** At most `COUNTED_MAX` of each kind. */
export async function inboxCounts(
  database: Queryable,
  now: Instant,
): Promise<Readonly<Record<InboxKind, number>>> {
  const [row = {}] = await database.query(selectCounts, [at(now)])
  return Object.fromEntries(INBOX_KINDS.map((kind) => [kind, integer(row, kind)])) as Record<
    InboxKind,
    number
  >
}

const waitPart = (kind: InboxKind, rank: number) => `
   select ${rank} as rank, count(*)::int as entries, min(since) as oldest
     from (select since from (${inboxPart(kind)}) w order by since, id limit ${COUNTED_MAX}) bounded`

const selectWaits = statement('inbox.waits', INBOX_KINDS.map(waitPart).join(' union all '))

export interface InboxWait {
  readonly kind: InboxKind
  /** At most `COUNTED_MAX`. */
  readonly entries: number
  readonly oldest: Instant | null
}

/** For figures: of each kind how many wait, and since when. */
export async function inboxWaits(database: Queryable, now: Instant): Promise<readonly InboxWait[]> {
  const rows = await database.query(selectWaits, [at(now)])
  return INBOX_KINDS.map((kind, rank) => {
    const row = rows.find((one) => integer(one, 'rank') === rank) ?? {}
    return { kind, entries: integer(row, 'entries'), oldest: instantOrNull(row, 'oldest') }
  })
}
