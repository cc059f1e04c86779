// The queries of the inbox. Each is one query with a part for each kind of the capabilities, and each part
// uses an index of its own.

import { type InboxKind, type InboxRow, readInboxRow, URGENCIES } from '../acts/inbox-kind.js'
import type { Instant } from '../core/instant.js'
import { assembled, type Queryable, type Row, type Statement, statement } from '../database/database.js'
import { at, instantOrNull, integer, rowOf, text } from '../database/rows.js'

export type InboxPosition = Pick<InboxRow, 'kind' | 'waits_since' | 'id'>

/** The kinds in their order, and the queries that are assembled from them at the start. */
export interface Inbox {
  readonly kinds: readonly InboxKind[]
  readonly statements: Readonly<Record<'page' | 'ofUser' | 'waits' | 'note', Statement>>
}

/** `knownMax`: see `KNOWN_MAX`. */
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
/** The entries of one kind; `$1` is now. */
const partOf = ({ select }: InboxKind) => `select ${COLUMNS} from (${select}) w(${COLUMNS})`

const rankOf = ({ urgency }: InboxKind) => URGENCIES.indexOf(urgency)
const ORDER = 'rank, since, place, id'
const placed = (kind: InboxKind) => `select ${rankOf(kind)} as rank, ${kind.place} as place, w.*`

// At most one page of each kind is read.
const pagePart = (kind: InboxKind) => `(
     ${placed(kind)} from (${partOf(kind)}) w
      where ($2::int is null or $2 = ${kind.place})
        and ($3::int is null or $3 < ${rankOf(kind)}
             or ($3 = ${rankOf(kind)} and (since, ${kind.place}, id) > ($4::timestamptz, $5::int, $6::text)))
      order by since, id limit $7::int)`

const entryColumns = (kinds: readonly InboxKind[]) => `w.*, u.email, u.name,
          ${byKind(kinds, 'other', 'null::text')} as other_payment_id,
          ${byKind(kinds, 'count', '1')} as count`

/** Kinds with the same SQL share one branch. */
function byKind(kinds: readonly InboxKind[], column: 'other' | 'count', none: string): string {
  const whens = [...new Set(kinds.flatMap((kind) => kind[column]?.sql ?? []))].map((sql) => {
    const places = kinds.filter((kind) => kind[column]?.sql === sql).map(({ place }) => place)
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

/** The most urgent first, then the oldest. `kind`: only this one; null: all. */
export async function inboxPage(
  database: Queryable,
  inbox: Inbox,
  of: { readonly kind: InboxKind | null; readonly after: InboxPosition | null; readonly limit: number },
  now: Instant,
): Promise<readonly InboxRow[]> {
  const { kind, after, limit } = of
  const behind = after && [rankOf(after.kind), at(after.waits_since), after.kind.place, after.id]
  const values = [at(now), kind?.place ?? null, ...(behind ?? [null, null, null, null]), limit]
  const rows = await database.query(inbox.statements.page, values)
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

/** Counting stops here: a page says "100 and more". */
export const COUNTED_MAX = 100

const waitPart = (kind: InboxKind) => `
   select ${kind.place} as place, count(*)::int as entries, min(since) as oldest
     from (select since from (${partOf(kind)}) w order by since, id limit ${COUNTED_MAX}) bounded`

export type InboxWait = Awaited<ReturnType<typeof inboxWaits>>[number]

/** The number of entries of each kind (`COUNTED_MAX` if there are more), and when the oldest came. */
export async function inboxWaits(database: Queryable, inbox: Inbox, now: Instant) {
  const rows = await database.query(inbox.statements.waits, [at(now)])
  return rows.map((row) => ({
    kind: kindIn(inbox, row),
    entries: integer(row, 'entries'),
    oldest: instantOrNull(row, 'oldest'),
  }))
}

export const isMailed = (kind: InboxKind) => kind.isMailed !== false

/** So many of the oldest entries of each kind are remembered. Later ones are mailed when they move up. */
const KNOWN_MAX = 1_000

const waiting = (kind: InboxKind, most: number) =>
  `(select '${kind.name}' as kind, id from (${partOf(kind)}) w order by since, id limit ${most})`

// If more entries wait than are remembered, a missing one may only have been pushed back, so it stays.
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

// The table inbox_known has one row for each entry of the inbox. A new entry is unmailed until a mail names
// it.
const parseEntry = rowOf({ kind: text, id: text })
export type KnownEntry = ReturnType<typeof parseEntry>

/** Adds the inbox's entries and `beside`. Deletes those that left, so they are new if they come again. */
export async function noteInbox(
  database: Queryable,
  { statements }: Inbox,
  { now, beside }: { readonly now: Instant; readonly beside: readonly KnownEntry[] },
): Promise<void> {
  await database.query(statements.note, [at(now), JSON.stringify(beside)])
}

const selectUnmailed = statement(
  'inbox_known.unmailed',
  'select kind, id from inbox_known where not mailed order by kind, id',
)

export async function unmailedEntries(database: Queryable): Promise<readonly KnownEntry[]> {
  return (await database.query(selectUnmailed, [])).map(parseEntry)
}

const tell = statement(
  'inbox_known.tell',
  `update inbox_known k set mailed = true
     from jsonb_to_recordset($1::jsonb) as t (kind text, id text)
    where k.kind = t.kind and k.id = t.id`,
)

export async function markMailed(database: Queryable, entries: readonly KnownEntry[]): Promise<void> {
  await database.query(tell, [JSON.stringify(entries)])
}
