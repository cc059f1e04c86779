// All events of the last 90 days in one order, for a platform that has lost events or has no address.
import { type Static, Type } from 'typebox'
import { cursorOf } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import { BillingError } from '../core/error.js'
import { orderedEvent } from '../core/event.js'
import { DAY } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { object, query, timestamp } from '../http/schemas.js'
import type { CommonParts } from '../ledger/parts.js'
import { eventsAfter, givePositions } from './event-feed.sql.js'
import { listQuery } from './schemas.js'

/** A platform has a quarter of a year to notice that it needs events again. */
const CURSOR_DAYS = 90
const CURSOR_MS = CURSOR_DAYS * DAY
/** A day longer than cursors: the first page has the oldest events, and its cursor must still be valid. */
export const KEPT = CURSOR_MS + DAY
/** The length of a page if the platform asks for none. */
const SHOWN = 50

export type FeedDeps = Pick<CommonParts, 'clock'> & { readonly database: Database }

/** All events that were written before the instant `at` have been read, or come after the position. */
const cursors = cursorOf({ position: 'number', at: 'number' })

/** Throws `invalid_cursor` and `cursor_too_old`. */
async function readFeed({ database, clock }: FeedDeps, after: string | undefined, limit: number) {
  const now = clock.now()
  const from = after === undefined ? { position: 0, at: now } : cursors.decode(after)
  if (from.at < now - CURSOR_MS) throw new BillingError('cursor_too_old')
  const read = () => eventsAfter(database, from.position, limit + 1)
  let found = await read()
  if (found.length <= limit && (await givePositions(database, now, limit + 1)) > 0) found = await read()
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const hasMore = found.length > limit
  const at = hasMore && last ? Math.max(last.createdAt, now - CURSOR_MS + DAY) : now
  const next = { position: last?.position ?? from.position, at }
  return {
    data: items.map((event) => ({ id: event.id, ...orderedEvent(event) })),
    has_more: hasMore,
    next_cursor: cursors.encode(next),
  }
}

/** The schema names no members, so that the serializer keeps them in the order that is signed. */
const EventDataSchema = Type.Unsafe<unknown>({
  type: 'object',
  additionalProperties: true,
  description: 'The data of this type of event, see `webhooks`',
  examples: [{ user_id: 'user-1', sequence: 1 }],
})

const ListedEventSchema = object('ListedEvent', {
  id: Type.String({
    description: 'The id, which is also the `webhook-id`',
    examples: ['evt_01jd7k3v9m4w8x2z5c6b7n8q9r'],
  }),
  type: Type.String({ description: 'One of the types in `webhooks`', examples: ['subscription.activated'] }),
  timestamp,
  data: EventDataSchema,
})

const EventPageSchema = object('EventPage', {
  data: Type.Array(ListedEventSchema),
  has_more: Type.Boolean({ description: 'False: these were all until now' }),
  next_cursor: Type.String({ examples: ['WzE3OTUyNTQ0MDAwMDEsMTc5NTI1NDQwMDAwMF0'] }),
})
export type EventPage = Static<typeof EventPageSchema>

export const eventFeed = reading<FeedDeps>()({
  path: '/events',
  operationId: 'listEventsForPlatform',
  summary: 'The events of all users in one order, also those that were not delivered',
  description:
    `Without \`after\` from the oldest kept. Nothing later appears behind a cursor that was given out. ` +
    `A cursor is good for ${CURSOR_DAYS} days, then it is answered 410; each answer has a new one.`,
  query: query({
    after: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000, description: '`next_cursor` of an earlier answer' }),
    ),
    limit: listQuery.limit,
  }),
  answer: EventPageSchema,
  refuses: ['invalid_cursor', 'cursor_too_old'],
  command: null,
  read: (deps, { query: { after, limit = SHOWN } }) => readFeed(deps, after, limit),
})
