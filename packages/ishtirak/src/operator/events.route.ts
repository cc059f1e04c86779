// The operator's look at the events to the platform, and what they may do about delivery: again from one on, all that
// waits, and no more waiting for one.
import {
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
import { actedBy, acts, BASE, type OperatorRouteDeps, reads } from './route.js'
import { OptionalWhySchema, WhySchema } from './schemas.js'

export type EventRoutesDeps = OperatorRouteDeps & ManageEventsDeps

const EVENTS = `${BASE}/events`

export function eventRoutes(app: App, deps: EventRoutesDeps): void {
  const listSchema = {
    ...reads(EventsSchema),
    operationId: 'listEvents',
    summary: 'Events to the platform, newest first, and whether its address works',
    querystring: EventsQuerySchema,
  }
  app.get(EVENTS, { schema: listSchema }, async ({ query }) => {
    const { user_id: userId = null, state, limit = 50 } = query
    return reportEvents(deps, { userId, waiting: state === 'waiting', limit })
  })
  const resendSchema = {
    ...acts(ResentSchema),
    operationId: 'resendEvent',
    summary: 'Deliver an event and all later ones of its user again, in order',
    params: EventParamsSchema,
    body: OptionalWhySchema,
  }
  app.post(`${EVENTS}/:event_id/resend`, { schema: resendSchema }, (request) =>
    resendFrom(deps, request.params.event_id, actedBy(deps, request, request.body.why)),
  )
  const restartSchema = {
    ...acts(RestartedSchema),
    operationId: 'resendWaitingEvents',
    summary: 'Switch the address on again, and begin anew with all that waits',
    body: OptionalWhySchema,
  }
  app.post(`${EVENTS}/resend-waiting`, { schema: restartSchema }, (request) =>
    resendAllWaiting(deps, actedBy(deps, request, request.body.why)),
  )
  const skipSchema = {
    ...acts(SkippedSchema),
    operationId: 'skipEvent',
    summary: 'Wait no longer for this event and those before it',
    description: 'For an event that its receiver will never take: the later ones of its user can go on.',
    params: EventParamsSchema,
    body: WhySchema,
  }
  app.post(`${EVENTS}/:event_id/skip`, { schema: skipSchema }, async (request) => {
    await skipEvent(deps, request.params.event_id, actedBy(deps, request, request.body.why))
    return { skipped: true as const }
  })
}
