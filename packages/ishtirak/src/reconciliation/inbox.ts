// Discrepancies that an operator has to judge, in the inbox.
import type { InboxKind } from '../acts/inbox-kind.js'
import { addressOf } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import { FOUND } from './inbox.sql.js'

export const DISCREPANCIES_WAITING: readonly InboxKind[] = [
  {
    name: 'discrepancy',
    place: 6,
    urgency: 'now',
    select: FOUND,
    isMoney: true,
    nextActs: ['payment.recheck', 'reconciliation.start'],
    next: (entry) => (entry.payment_id === null ? 'reconciliation.start' : 'payment.recheck'),
    detailIs: 'what was found',
    detail: (_pages, view, kind) => codeInWords(view, 'discrepancy', kind),
    path: (base, { id }) => addressOf(base, `health#${id}`),
  },
]
