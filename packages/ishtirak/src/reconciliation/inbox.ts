// Discrepancies that a person judges, as entries of the inbox.
import type { InboxKind } from '../acts/inbox-kind.js'
import { addressOf } from '../pages/console-frame.js'
import { discrepancyInWords } from './discrepancy-facts.js'
import { FOUND } from './inbox.sql.js'

export const DISCREPANCIES_WAITING: readonly InboxKind[] = [
  {
    name: 'discrepancy',
    place: 6,
    urgency: 'now',
    select: FOUND,
    isMoney: true,
    nextActs: ['payment.recheck', 'reconciliation.start'],
    next: ({ paymentId }) => (paymentId === null ? 'reconciliation.start' : 'payment.recheck'),
    detailIs: 'what was found',
    detail: (_pages, view, kind) => discrepancyInWords(view, kind),
    path: (base, { id }) => addressOf(base, 'discrepancies', id),
  },
]
