// The inbox: what an operator must decide, each entry with its next act. Capabilities bring its kinds.
import { Type } from 'typebox'
import { type InboxKind, type InboxRow, URGENCIES } from '../acts/inbox-kind.js'
import { list } from '../acts/list.js'
import { type PageRequest, pageCursor } from '../acts/paging.js'
import { toTimestamp } from '../core/instant.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { consoleSay } from '../i18n/messages.js'
import { codeInWords } from '../pages/console-words.js'
import type { ReadDeps } from './all-pages.js'
import { COUNTED_MAX, type Inbox, type InboxPosition, inboxPage, inboxWaits } from './inbox.sql.js'

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
  { database, clock, inbox }: ReadDeps,
  of: { readonly kind?: string | undefined },
  { cursor, limit }: PageRequest,
) {
  const position = cursorOf(inbox)
  const after = cursor === null ? null : position.decode(cursor)
  const now = clock.now()
  const [rows, waits] = await Promise.all([
    inboxPage(database, inbox, { kind: kindNamed(inbox, of.kind), after, limit: limit + 1 }, now),
    inboxWaits(database, inbox, now),
  ])
  const { items, nextCursor } = position.pageOf(rows, limit)
  const counts = Object.fromEntries(waits.map(({ kind, entries }) => [kind.name, entries]))
  return { items: items.map(withNextAct), nextCursor, beside: { counts } }
}

const namesOf = (kinds: readonly InboxKind[]) => kinds.map(({ name }) => name)

export const inboxEntry = (kinds: readonly InboxKind[]) =>
  object('InboxEntry', {
    kind: Type.Enum(namesOf(kinds), { title: 'InboxKind', description: describe(kinds, titleOf) }),
    urgency: Type.Enum([...URGENCIES], {
      description:
        '`now`: money waits, or a customer who paid may be without access; `soon`: money is where it ' +
        'should not be; `later`: the rest',
    }),
    waits_since: timestamp,
    id: Type.String({ description: 'Unique within the kind; for an event its id' }),
    user_id: nullable(Type.String()),
    email: nullable(Type.String()),
    name: nullable(Type.String()),
    payment_id: nullable(Type.String()),
    amount: nullable(Type.Integer({ description: 'Whole dinars' })),
    detail: nullable(
      Type.String({
        description: describe(kinds, ({ detailIs }) => detailIs),
        examples: ['amount: ours is 2000, the provider says 50'],
      }),
    ),
    other_payment_id: nullable(Type.String({ description: describe(kinds, ({ other }) => other?.is) })),
    count: Type.Integer({ description: 'How many failed mails the entry stands for; 1 for other kinds' }),
    next_act: Type.Enum([...new Set(kinds.flatMap(({ nextActs }) => nextActs))], {
      description: 'The name of the act in the audit trail',
    }),
  })

export const inboxReadings = (kinds: readonly InboxKind[]) =>
  list<ReadDeps>()({
    path: '/inbox',
    operationId: 'readInbox',
    summary: 'What operators must decide: the most urgent first, then the oldest',
    description: 'Each entry names the act that comes next.',
    filter: Type.Object({
      kind: Type.Optional(Type.Enum(namesOf(kinds), { description: 'Only entries of this kind' })),
    }),
    item: inboxEntry(kinds),
    title: 'Inbox',
    beside: {
      counts: Type.Object(
        Object.fromEntries(namesOf(kinds).map((name) => [name, Type.Integer({ maximum: COUNTED_MAX })])),
        { description: `Entries of each kind; ${COUNTED_MAX}: as many or more` },
      ),
    },
    command: { usage: 'inbox', rows: 'inbox' },
    read: readInbox,
    view: () => viewInboxEntry,
  }).readings

function titleOf({ name }: InboxKind): string {
  return codeInWords({ say: consoleSay('en') }, 'kind', name)
}

function describe(kinds: readonly InboxKind[], of: (kind: InboxKind) => string | undefined): string {
  const said = kinds.map((kind) => [kind.name, of(kind)] as const)
  return said.flatMap(([name, text]) => (text === undefined ? [] : [`\`${name}\`: ${text}`])).join('; ')
}

export function viewInboxEntry({ kind, ...entry }: InboxEntry) {
  const { name, urgency } = kind
  return { ...entry, kind: name, urgency, waits_since: toTimestamp(entry.waits_since) }
}
