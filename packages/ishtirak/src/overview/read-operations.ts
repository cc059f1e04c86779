// What operators read across users, and about one: the inbox, the search, the timeline. A part of `OPERATIONS`.

import { reads } from '../acts/operation.js'
import { TrailQuerySchema, TrailSchema } from './audit-trail.js'
import { HealthSchema } from './health-schemas.js'
import { InboxQuerySchema, InboxSchema } from './inbox-schemas.js'
import { OperatorUserParamsSchema } from './schemas.js'
import { FoundSchema, SearchQuerySchema } from './search-schemas.js'
import { TimelineQuerySchema, TimelineSchema } from './timeline.js'

export const READINGS = {
  readHealth: reads(
    '/health',
    'How the service is: what `ishtirak doctor` would say of it, and when its jobs last ran',
    {},
    HealthSchema,
  ),
  readInbox: reads(
    '/inbox',
    'What waits for a person, kind by kind, what waits longest first',
    {
      querystring: InboxQuerySchema,
      description:
        'Payments under review, transfers to look at, second payments, findings of the last comparison, events that are not delivered, mail that failed; each with the act that comes next.',
    },
    InboxSchema,
    ['invalid_cursor'],
  ),
  readTrail: reads(
    '/audit',
    'What operators did and were refused, newest first, of all or by operator, act, day, user or payment',
    { querystring: TrailQuerySchema },
    TrailSchema,
    ['invalid_cursor'],
  ),
  search: reads(
    '/search',
    'Users and payments by whatever is known of them: ids, e-mail, name, reference, receipt number, amount and day',
    { querystring: SearchQuerySchema },
    FoundSchema,
  ),
  getTimeline: reads(
    '/users/:user_id/timeline',
    'What happened to a user, newest first: payments, periods, grants, events, reports, mail and acts',
    {
      params: OperatorUserParamsSchema,
      querystring: TimelineQuerySchema,
      description: 'Events and mail are kept for 90 days. 404 when the user is not known.',
    },
    TimelineSchema,
    ['invalid_cursor'],
  ),
}
