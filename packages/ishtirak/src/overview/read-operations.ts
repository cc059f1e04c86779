// What operators read across users, and about one: the inbox, the search, the months, the timeline. A part of `OPERATIONS`.

import { CSV, LIMITED, reads } from '../acts/operation.js'
import {
  AccountsQuerySchema,
  JournalQuerySchema,
  JournalSchema,
  MonthParamsSchema,
  MonthSchema,
} from '../books/month-schemas.js'

export const READINGS = {
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
}
