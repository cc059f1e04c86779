// What operators read across users, and about one: the inbox, the search, the months, the timeline. A part of `OPERATIONS`.

import { CSV, LIMITED, reads } from '../acts/operation.js'
import {
  AccountsQuerySchema,
  JournalQuerySchema,
  JournalSchema,
  MonthParamsSchema,
  MonthSchema,
} from '../books/month-schemas.js'
import { DecisionSchema, ReceivedSchema } from '../transfers/approval-schemas.js'
import { PaymentParamsSchema } from './schemas.js'

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
  previewApproval: reads(
    '/payments/:payment_id/approve',
    'What approving a transfer would change, now; nothing is changed',
    {
      params: PaymentParamsSchema,
      querystring: ReceivedSchema,
      description: 'The same decision as that of the approval. 409 when it is decided already.',
    },
    DecisionSchema,
    [...LIMITED, 'conflict', 'second_operator_needed'],
  ),
  previewRefusal: reads(
    '/payments/:payment_id/refuse',
    'What refusing a transfer would change, now; nothing is changed',
    {
      params: PaymentParamsSchema,
      description: 'The same decision as that of the refusal. 409 when its money is booked.',
    },
    DecisionSchema,
    [...LIMITED, 'conflict'],
  ),
}
