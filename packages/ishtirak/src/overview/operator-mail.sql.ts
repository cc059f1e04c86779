// The table inbox_known has one row for each entry of the inbox. A new entry is unmailed until a mail names
// it.
import type { Instant } from '../core/instant.js'
import { type Queryable, statement } from '../database/database.js'
import { at, rowOf, text } from '../database/rows.js'
import type { Inbox } from './inbox.sql.js'

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
