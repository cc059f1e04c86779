// What waits for an operator, as rows: one statement with a part for each kind that capabilities bring, each
// on an index of what waits.

import { type InboxKind, type InboxRow, readInboxRow, URGENCIES } from '../acts/inbox-kind.js'
import type { Instant } from '../core/instant.js'
import { assembled, type Queryable, type Row, type Statement } from '../database/database.js'
import { at, instantOrNull, integer } from '../database/rows.js'

/** Where a page goes on: behind this entry. */
export type InboxPosition = Pick<InboxRow, 'kind' | 'waits_since' | 'id'>

/** The kinds from the top, and the statements that are put together from them, once for a service. */
export interface Inbox {
  readonly kinds: readonly InboxKind[]
  readonly statements: Readonly<Record<'page' | 'ofUser' | 'waits' | 'note', Statement>>
}

/** Mail knows the `knownMax` entries of each kind that wait longest. */
export function createInbox(kinds: readonly InboxKind[], knownMax = KNOWN_MAX): Inbox {
  const statements = {
    page: assembled('inbox.page', selectPage(kinds)),
    ofUser: assembled('inbox.of_user', selectOfUser(kinds)),
    waits: assembled('inbox.waits', kinds.map(waitPart).join(' union all ')),
    note: assembled('inbox_known.note', note(kinds.filter(isMailed), knownMax)),
  }
  return { kinds, statements }
}

const COLUMNS = 'since, id, user_id, payment_id, amount, detail'
/** What waits of this kind: `since`, `id` and what it is about; `$1` is now. */
const partOf = ({ select }: InboxKind) => `select ${COLUMNS} from (${select}) w(${COLUMNS})`

const rankOf = ({ urgency }: InboxKind) => URGENCIES.indexOf(urgency)
const ORDER = 'rank, since, place, id'
const placed = (kind: InboxKind) => `select ${rankOf(kind)} as rank, ${kind.place} as place, w.*`

// Each part gives at most a page.
const pagePart = (kind: InboxKind) => `(
     ${placed(kind)} from (${partOf(kind)}) w
      where ($2::int is null or $2 = ${kind.place})
        and ($3::int is null or $3 < ${rankOf(kind)}
             or ($3 = ${rankOf(kind)} and (since, ${kind.place}, id) > ($4::timestamptz, $5::int, $6::text)))
      order by since, id limit $7::int)`

// What an entry has beside the columns of its part.
const entryColumns = (kinds: readonly InboxKind[]) => `w.*, u.email, u.name,
          ${byKind(kinds, 'otherPayment', 'null::text')} as other_payment_id,
          ${byKind(kinds, 'count', '1')} as count`

/** What several kinds have alike is asked in one place. */
function byKind(kinds: readonly InboxKind[], column: 'otherPayment' | 'count', none: string): string {
  const whens = [...new Set(kinds.flatMap((kind) => kind[column] ?? []))].map((sql) => {
    const places = kinds.filter((kind) => kind[column] === sql).map(({ place }) => place)
    return `when w.place in (${places.join(', ')}) then ${sql}`
  })
  return whens.length === 0 ? none : `case ${whens.join('\n               ')} else ${none} end`
}

const selectPage = (kinds: readonly InboxKind[]) => `
   select ${entryColumns(kinds)}
     from (${kinds.map(pagePart).join(' union all ')}) w left join users u using (user_id)
    order by ${ORDER}
    limit $7::int`

const partOfUser = (kind: InboxKind) =>
  `(${placed(kind)} from (${partOf(kind)}) w where user_id = $2 order by since, id limit $3::int)`

const selectOfUser = (kinds: readonly InboxKind[]) => `
   select ${entryColumns(kinds)}
     from (${kinds.map(partOfUser).join(' union all ')}) w join users u using (user_id)
    order by ${ORDER}
    limit $3::int`

/** What is urgent first, and of one urgency what waits longest. */
export async function inboxPage(
  database: Queryable,
  inbox: Inbox,
  of: {
    /** Null: of all kinds. */
    readonly kind: InboxKind | null
    readonly after: InboxPosition | null
    readonly limit: number
    readonly now: Instant
  },
): Promise<readonly InboxRow[]> {
  const { kind, after, limit, now } = of
  const rows = await database.query(inbox.statements.page, [
    at(now),
    kind?.place ?? null,
    after && rankOf(after.kind),
    at(after?.waits_since ?? null),
    after?.kind.place ?? null,
    after?.id ?? null,
    limit,
  ])
  return rows.map((row) => parseRow(inbox, row))
}

/** One user's entries of the inbox, in the same order. */
export async function inboxOfUser(
  database: Queryable,
  inbox: Inbox,
  of: { readonly userId: string; readonly limit: number; readonly now: Instant },
): Promise<readonly InboxRow[]> {
  const rows = await database.query(inbox.statements.ofUser, [at(of.now), of.userId, of.limit])
  return rows.map((row) => parseRow(inbox, row))
}

function kindIn({ kinds }: Inbox, row: Row): InboxKind {
  const kind = kinds.find(({ place }) => place === integer(row, 'place'))
  if (!kind) throw new TypeError('a part of the inbox has no kind')
  return kind
}

const parseRow = (inbox: Inbox, row: Row): InboxRow => ({ kind: kindIn(inbox, row), ...readInboxRow(row) })

/** Counted no further: a page says "100 and more". */
export const COUNTED_MAX = 100

const waitPart = (kind: InboxKind) => `
   select ${kind.place} as place, count(*)::int as entries, min(since) as oldest
     from (select since from (${partOf(kind)}) w order by since, id limit ${COUNTED_MAX}) bounded`

export interface InboxWait {
  readonly kind: InboxKind
  /** Counted up to `COUNTED_MAX`. */
  readonly entries: number
  readonly oldest: Instant | null
}

/** Counts what waits of each kind, with its oldest. */
export async function inboxWaits(
  database: Queryable,
  inbox: Inbox,
  now: Instant,
): Promise<readonly InboxWait[]> {
  const rows = await database.query(inbox.statements.waits, [at(now)])
  return rows.map((row) => ({
    kind: kindIn(inbox, row),
    entries: integer(row, 'entries'),
    oldest: instantOrNull(row, 'oldest'),
  }))
}

/** Operators get no mail of the others. */
export const isMailed = (kind: InboxKind) => kind.isMailed !== false

/** Of each kind, those that wait longest. Those behind them are told of when they move up. */
const KNOWN_MAX = 1_000

const waiting = (kind: InboxKind, most: number) =>
  `(select '${kind.name}' as kind, id from (${partOf(kind)}) w order by since, id limit ${most})`

// Where more wait than are known, an entry may only have been pushed back: it stays known.
const note = (kinds: readonly InboxKind[], most: number) => `
   with waiting as materialized (
     ${kinds.map((kind) => waiting(kind, most)).join(' union all ')}
     union all select kind, id from jsonb_to_recordset($2::jsonb) as t (kind text, id text)
   ), gone as (
     delete from inbox_known
      where (kind, id) not in (select kind, id from waiting)
        and kind not in (select kind from waiting group by kind having count(*) >= ${most})
   )
   insert into inbox_known (kind, id)
   select kind, id from waiting w
    where not exists (select from inbox_known k where k.kind = w.kind and k.id = w.id)
    order by kind, id
       on conflict do nothing`
