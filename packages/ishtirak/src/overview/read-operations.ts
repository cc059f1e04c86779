// What operators read across users, and about one: the inbox, the search, the months, the timeline. A part of `OPERATIONS`.

import { CSV, LIMITED, reads } from '../acts/operation.js'
import {
  AccountsQuerySchema,
  JournalQuerySchema,
  JournalSchema,
  MonthParamsSchema,
  MonthSchema,
} from '../books/month-schemas.js'
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
  getMonth: reads(
    '/months/:month',
    'What was paid and refunded in a month, by method and by day, with tax, duty and fees; and whose time began and ended',
    {
      params: MonthParamsSchema,
      description:
        'A payment is of the month in which it was paid, a refund of the month in which it was recorded.',
    },
    MonthSchema,
  ),
  getJournal: reads(
    '/months/:month/receipts',
    'The receipts of a month in the order they were paid, as in the file for the accountant',
    { params: MonthParamsSchema, querystring: JournalQuerySchema },
    JournalSchema,
    ['invalid_cursor'],
  ),
  exportAccounts: reads(
    '/exports/accounts',
    'The payments and refunds of a month for the accountant, with tax, duty, fees and totals, as CSV',
    { querystring: AccountsQuerySchema },
    CSV,
    LIMITED,
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
