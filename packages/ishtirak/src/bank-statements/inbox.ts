// Money that went out again although its payment is approved.
import type { InboxKind } from '../acts/inbox-kind.js'
import { RETURNED } from './inbox.sql.js'

export const MONEY_RETURNED: readonly InboxKind[] = [
  {
    name: 'money_returned',
    place: 12,
    urgency: 'now',
    isMoney: true,
    select: RETURNED,
    nextActs: ['payment.refund', 'bank_line.set_aside'],
    next: () => 'payment.refund',
    detailIs: 'the day on which it went out',
    detail: ({ formats }, { say, locale }, day) =>
      say('returnedOnDay', { day: formats.day(Date.parse(day), locale) }),
  },
]
