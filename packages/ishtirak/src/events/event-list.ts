// The list of written events, with the state of the platform's address beside it.
import { Type } from 'typebox'
import { list } from '../acts/list.js'
import { nullable, object } from '../http/schemas.js'
import type { CommonParts } from '../ledger/parts.js'
import {
  countWaitingEvents,
  EndpointSchema,
  listEvents,
  loadEventEndpoint,
  WrittenEventSchema,
} from './event-history.sql.js'
import { listQuery } from './schemas.js'

type ListDeps = Pick<CommonParts, 'database'>

export const EventCountsSchema = object('EventCounts', { users: Type.Integer(), events: Type.Integer() })

export const eventList = list<ListDeps>()({
  path: '/events',
  operationId: 'listEvents',
  summary: 'Events to the platform, newest first, and whether its address works',
  filter: Type.Object({
    ...listQuery,
    state: Type.Optional(
      Type.Literal('waiting', {
        description: 'Only those that the platform has not confirmed, oldest first',
      }),
    ),
  }),
  item: WrittenEventSchema,
  title: 'Events',
  isWhole: true,
  beside: {
    endpoint: nullable(EndpointSchema),
    waiting: EventCountsSchema,
  },
  command: {
    ...{ usage: 'events list', rows: 'events' },
    columns: ['id', 'created_at', 'user_id', 'sequence', 'type', 'state', 'attempts', 'failure', 'due_at'],
  },
  read: async (deps, { user_id: userId = null, state }, { limit }) => {
    const of = { userId, waiting: state === 'waiting', limit }
    const { data: items, ...beside } = await reportEvents(deps, of)
    return { items, nextCursor: null, beside }
  },
})

export async function reportEvents({ database }: ListDeps, of: Parameters<typeof listEvents>[1]) {
  const [endpoint, waiting, data] = await Promise.all([
    loadEventEndpoint(database),
    countWaitingEvents(database),
    listEvents(database, of),
  ])
  return { endpoint, waiting, data }
}
