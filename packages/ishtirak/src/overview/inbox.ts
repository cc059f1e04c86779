// The inbox: what an operator must decide, each entry with its next act.

import type { InboxKind, InboxRow } from '../acts/inbox-kind.js'
import type { AskedPage } from '../acts/list.js'
import { pageCursor } from '../acts/paging.js'
import type { Queryable } from '../database/database.js'
import type { Clock } from '../runtime/clock.js'
import { type Inbox, type InboxPosition, inboxPage, inboxWaits } from './inbox.sql.js'

export interface InboxDeps {
  readonly database: Queryable
  readonly clock: Clock
  readonly inbox: Inbox
}

export type InboxEntry = ReturnType<typeof withNextAct>

export function withNextAct(row: InboxRow) {
  const { next, nextActs } = row.kind
  return { ...row, next_act: next?.(row) ?? nextActs[0] }
}

/** Null: no kind has this name. */
export function kindNamed({ kinds }: Inbox, name: string | undefined): InboxKind | null {
  return kinds.find((kind) => kind.name === name) ?? null
}

const cursorOf = ({ kinds }: Inbox) =>
  pageCursor<InboxPosition>(
    ({ kind, waits_since, id }) => [kind.place, waits_since, id],
    ([place, since, id]) => {
      const kind = kinds.find((one) => one.place === place)
      return kind && typeof since === 'number' && typeof id === 'string'
        ? { kind, waits_since: since, id }
        : null
    },
  )

/** The most urgent first, then the oldest, with the counts of all kinds. Throws `invalid_cursor`. */
export async function readInbox(
  { database, clock, inbox }: InboxDeps,
  of: { readonly kind?: string | undefined },
  { cursor, limit }: AskedPage,
) {
  const position = cursorOf(inbox)
  const after = cursor === null ? null : position.decode(cursor)
  const now = clock.now()
  const [rows, waits] = await Promise.all([
    inboxPage(database, inbox, { kind: kindNamed(inbox, of.kind), after, limit: limit + 1, now }),
    inboxWaits(database, inbox, now),
  ])
  const { items, nextCursor } = position.pageOf(rows, limit)
  const counts = Object.fromEntries(waits.map(({ kind, entries }) => [kind.name, entries]))
  return { items: items.map(withNextAct), nextCursor, beside: { counts } }
}
