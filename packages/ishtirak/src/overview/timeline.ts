// The timeline of a user: money, time, events to the platform, reports, mail and acts.
import { type Static, Type } from 'typebox'
import { list } from '../acts/list.js'
import { type PageRequest, pageCursor, type ReadPage } from '../acts/paging.js'
import { instant, text } from '../database/rows.js'
import { nullable, object, timestamp } from '../http/schemas.js'
import { requireUser } from '../ledger/load.js'
import { viewRows } from '../ledger/schemas.js'
import { USER, UserParamsSchema } from '../ledger/subjects.js'
import type { ReadDeps } from './all-pages.js'
import { TIMELINE_KINDS, type TimelinePosition, timelinePage } from './timeline.sql.js'

const TimelineEntrySchema = object('TimelineEntry', {
  at: timestamp,
  kind: Type.Enum([...TIMELINE_KINDS], {
    description:
      '`payment`: it was ordered; `paid`: its money came; `period`: the time that it bought began; ' +
      '`event`: sent to the platform; `report`: from the provider',
  }),
  id: Type.String({ description: 'Unique within the kind' }),
  what: Type.String({
    description: 'The plan of a payment or period, the length of a grant, else the type',
    examples: ['payment.refund', 'pro'],
  }),
  payment_id: nullable(Type.String()),
  amount: nullable(Type.Integer({ description: 'Whole dinars' })),
  until: nullable(timestamp),
  actor: nullable(Type.String({ description: 'The operator, or the payment method or instrument' })),
  why: nullable(
    Type.String({
      description: 'The reason, the status now, or what became of a report, an event or a mail',
    }),
  ),
})

const cursor = pageCursor<TimelinePosition>(
  ({ at, kind, id }) => [at, TIMELINE_KINDS.indexOf(kind), id],
  ([at, rank, id]) => {
    const kind = TIMELINE_KINDS[Number(rank)]
    return kind && typeof at === 'number' && typeof id === 'string' ? { at, kind, id } : null
  },
)

/** Newest first. Throws `not_found` and `invalid_cursor`. */
export async function pageOfTimeline(
  { database, clock }: ReadDeps,
  { user_id: userId }: Static<typeof UserParamsSchema>,
  page: PageRequest,
): Promise<ReadPage<Static<typeof TimelineEntrySchema>>> {
  const { limit } = page
  const after = page.cursor === null ? null : cursor.decode(page.cursor)
  await requireUser({ database }, userId)
  const rows = await timelinePage(database, userId, { after, limit: limit + 1 }, clock.now())
  const { items, nextCursor } = cursor.pageBy(rows, limit, (row) => ({
    at: instant(row, 'at'),
    // The query writes only kinds of the list.
    kind: text(row, 'kind') as TimelinePosition['kind'],
    id: text(row, 'id'),
  }))
  return { items: viewRows(TimelineEntrySchema, items), nextCursor }
}

export const timelineList = list<ReadDeps>()({
  path: `${USER.path}/timeline`,
  operationId: 'getTimeline',
  summary: 'What happened to a user, newest first: payments, periods, grants, events, reports, mail and acts',
  description: 'Events and mail are kept for 90 days. 404 when the user is not known.',
  params: UserParamsSchema,
  item: TimelineEntrySchema,
  title: 'Timeline',
  command: {
    usage: 'users timeline <user>',
    rows: 'timeline',
    columns: ['at', 'kind', 'what', 'payment_id', 'amount', 'until', 'actor', 'why'],
  },
  read: pageOfTimeline,
})
