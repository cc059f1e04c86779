// What comparisons found and a person judges.
import type { InboxKind } from '../acts/inbox-kind.js'
import { addressOf } from '../pages/console-frame.js'
import { findingInWords } from './finding-facts.js'
import { FOUND } from './inbox.sql.js'

export const FINDINGS_WAITING: readonly InboxKind[] = [
  {
    name: 'finding',
    place: 6,
    urgency: 'now',
    select: FOUND,
    isMoney: true,
    nextActs: ['payment.recheck', 'reconciliation.start'],
    next: ({ paymentId }) => (paymentId === null ? 'reconciliation.start' : 'payment.recheck'),
    detailIs: 'what was found',
    detail: (_pages, view, kind) => findingInWords(view, kind),
    path: (base, { id }) => addressOf(base, 'findings', id),
  },
]
