// The operator's look at the events to the platform, and what they may do about delivery: again from one on, all that
// waits, and no more waiting for one.
import { timestampOrNull, toTimestamp } from '../core/instant.js'
import {
  type EventsReport,
  type ManageEventsDeps,
  reportEvents,
  resendAllWaiting,
  resendFrom,
  skipEvent,
} from '../events/manage-events.js'
import {
  EventParamsSchema,
  EventsQuerySchema,
  EventsSchema,
  ResentSchema,
  RestartedSchema,
  SkippedSchema,
} from '../events/schemas.js'
import type { App } from '../http/app.js'
import { problemResponses } from '../http/problem.js'
import { ACT, actedBy, BASE, OPERATOR, type OperatorRouteDeps, READ } from './route.js'
import { OptionalWhySchema, WhySchema } from './schemas.js'

export type EventRoutesDeps = OperatorRouteDeps & ManageEventsDeps

const EVENTS = `${BASE}/events`

export function eventRoutes(app: App, deps: EventRoutesDeps): void {
  const listSchema = {
    ...OPERATOR,
    operationId: 'listEvents',
    summary: 'Events to the platform, newest first, and whether its address works',
    querystring: EventsQuerySchema,
    response: { 200: EventsSchema, ...problemResponses(...READ) },
  }
  app.get(EVENTS, { schema: listSchema }, async ({ query }) => {
    const { user_id: userId = null, state, limit = 50 } = query
    return viewEvents(await reportEvents(deps, { userId, waiting: state === 'waiting', limit }))
  })
  const resendSchema = {
    ...OPERATOR,
    operationId: 'resendEvent',
    summary: 'Deliver an event and all later ones of its user again, in order',
    params: EventParamsSchema,
    body: OptionalWhySchema,
    response: { 200: ResentSchema, ...problemResponses(...ACT) },
  }
  app.post(`${EVENTS}/:event_id/resend`, { schema: resendSchema }, async (request) => {
    const resent = await resendFrom(deps, request.params.event_id, actedBy(deps, request, request.body.why))
    return { user_id: resent.userId, events: resent.events }
  })
  const restartSchema = {
    ...OPERATOR,
    operationId: 'resendWaitingEvents',
    summary: 'Switch the address on again, and begin anew with all that waits',
    body: OptionalWhySchema,
    response: { 200: RestartedSchema, ...problemResponses(...ACT) },
  }
  app.post(`${EVENTS}/resend-waiting`, { schema: restartSchema }, (request) =>
    resendAllWaiting(deps, actedBy(deps, request, request.body.why)),
  )
  const skipSchema = {
    ...OPERATOR,
    operationId: 'skipEvent',
    summary: 'Wait no longer for this event and those before it',
    description: 'For an event that its receiver will never take: the later ones of its user can go on.',
    params: EventParamsSchema,
    body: WhySchema,
    response: { 200: SkippedSchema, ...problemResponses(...ACT) },
  }
  app.post(`${EVENTS}/:event_id/skip`, { schema: skipSchema }, async (request) => {
    await skipEvent(deps, request.params.event_id, actedBy(deps, request, request.body.why))
    return { skipped: true as const }
  })
}

function viewEvents({ endpoint, waiting, events }: EventsReport) {
  // Without an address, or with one that is switched off, nothing is going to be sent.
  const isSending = endpoint !== null && endpoint.disabledAt === null
  return {
    endpoint: endpoint && {
      state: endpoint.disabledAt
        ? ('disabled' as const)
        : endpoint.failingSince
          ? ('failing' as const)
          : ('working' as const),
      failing_since: timestampOrNull(endpoint.failingSince),
      disabled_at: timestampOrNull(endpoint.disabledAt),
      disabled_because: endpoint.disabledBecause,
    },
    waiting,
    data: events.map((event) => ({
      id: event.id,
      user_id: event.userId,
      sequence: event.sequence,
      type: event.type,
      created_at: toTimestamp(event.createdAt),
      state: event.state,
      attempts: event.attempts,
      attempted_at: timestampOrNull(event.attemptedAt),
      due_at: isSending ? timestampOrNull(event.dueAt) : null,
      answer_status: event.answerStatus,
      failure: event.failure,
    })),
  }
}
