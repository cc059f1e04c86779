// The kinds of waiting payments in the inbox: payments in review and second payments.
import type { InboxKind } from '../acts/inbox-kind.js'
import { differencesInWords } from '../pages/console-words.js'
import { IN_REVIEW, PAID_TWICE } from './inbox.sql.js'

export const PAYMENTS_WAITING: readonly InboxKind[] = [
  {
    name: 'payment_review',
    place: 2,
    urgency: 'now',
    select: IN_REVIEW,
    isMoney: true,
    nextActs: ['payment.accept'],
    detailIs: 'what differs',
    detail: differencesInWords,
  },
  {
    name: 'second_payment',
    place: 5,
    urgency: 'soon',
    select: PAID_TWICE,
    nextActs: ['payment.refund'],
    // The inbox shows the other payment in a line of its own.
    detail: () => null,
    other: { sql: 'w.detail', is: 'the one before it', text: 'secondOf' },
  },
]
