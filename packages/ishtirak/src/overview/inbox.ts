// What waits for a person: each entry with the one act that comes next.

import { pageCursor } from '../acts/page.js'
import type { Queryable } from '../database/database.js'
import type { Clock } from '../runtime/clock.js'
import { INBOX_KINDS, type InboxKind, type InboxPosition, inboxCounts, inboxPage } from './inbox.sql.js'
import { withNextAct } from './next-act.js'

export interface InboxDeps {
  readonly database: Queryable
  readonly clock: Clock
}

const cursor = pageCursor<InboxPosition>(
  ({ kind, since, id }) => [INBOX_KINDS.indexOf(kind), since, id],
  read,
)

function read([rank, since, id]: readonly (string | number)[]): InboxPosition | null {
  const kind = INBOX_KINDS[Number(rank)]
  return kind && typeof since === 'number' && typeof id === 'string' ? { kind, since, id } : null
}

/** Kind by kind, and of each what waits longest first. Throws `invalid_cursor`. */
export async function readInbox(
  { database, clock }: InboxDeps,
  of: { readonly kind: InboxKind | null; readonly cursor: string | null; readonly limit: number },
) {
  const { kind, limit } = of
  const after = of.cursor === null ? null : cursor.decode(of.cursor)
  const now = clock.now()
  const [rows, counts] = await Promise.all([
    inboxPage(database, { kind, after, limit: limit + 1, now }),
    inboxCounts(database, now),
  ])
  const { items, nextCursor } = cursor.pageOf(rows, limit)
  return { counts, entries: items.map(withNextAct), nextCursor }
}
