// What operators know of the inbox, as rows: one for each entry that waits. A new one is there untold until a
// mail has named it.
import type { Instant } from '../core/instant.js'
import { type Queryable, type Row, statement } from '../database/database.js'
import { at, text } from '../database/rows.js'
import { INBOX_KINDS, type InboxKind, inboxPart } from './inbox.sql.js'

/** Of each kind, those that wait longest. Those behind them are told of when they move up. */
const KNOWN_MAX = 1_000

/** A transfer that is asked for is no news: there is one for each slip that comes later. */
export const MAILED_KINDS = INBOX_KINDS.filter((kind) => kind !== 'transfer_open')

const waiting = (kind: InboxKind) =>
  `(select '${kind}' as kind, id from (${inboxPart(kind)}) w order by since, id limit ${KNOWN_MAX})`

// Where more wait than are known, an entry may only have been pushed back: it stays known.
const note = statement(
  'inbox_known.note',
  `with waiting as materialized (
     ${MAILED_KINDS.map(waiting).join(' union all ')}
   ), gone as (
     delete from inbox_known k
      where not exists (select from waiting w where w.kind = k.kind and w.id = k.id)
        and (select count(*) from waiting w where w.kind = k.kind) < ${KNOWN_MAX}
   )
   insert into inbox_known (kind, id)
   select kind, id from waiting w
    where not exists (select from inbox_known k where k.kind = w.kind and k.id = w.id)
    order by kind, id
       on conflict do nothing`,
)

/**
 * What entered the inbox is known from now on, and what left it is forgotten: it is new when it comes again.
 */
export async function noteInbox(database: Queryable, now: Instant): Promise<void> {
  await database.query(note, [at(now)])
}

export interface KnownEntry {
  readonly kind: InboxKind
  readonly id: string
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

function parseEntry(row: Row): KnownEntry {
  const kind = INBOX_KINDS.find((one) => one === text(row, 'kind'))
  if (!kind) throw new TypeError('an entry of the inbox has no kind')
  return { kind, id: text(row, 'id') }
}
